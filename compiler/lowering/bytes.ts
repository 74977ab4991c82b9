const encoder = new TextEncoder();

/** UTF-8 bytes of a text that the compiler itself writes into a program. */
export function encodeText(text: string): Uint8Array {
  return encoder.encode(text);
}
