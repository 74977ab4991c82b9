export { panicMessage } from "./fault";
