export type Code = `E${string}` | `W${string}`;
