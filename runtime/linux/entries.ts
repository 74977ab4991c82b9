// What the native back end calls by name, besides the guest runtime's own entries.
export { hale_child } from "./processes";
export { hale_trap } from "./traps";
