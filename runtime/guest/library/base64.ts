// Primitives of std::text::base64 (RFC 4648).
import { BYTES, discard, lengthOf, newBytes } from "./cell";

export function __base64_encode(b: usize, url: bool): usize {
  const length = lengthOf(b);
  const rest = length % 3;
  const groups = length / 3;
  const result = newBytes(url ? groups * 4 + (rest == 0 ? 0 : rest + 1) : (groups + (rest == 0 ? 0 : 1)) * 4);
  let source = b + BYTES;
  let target = result + BYTES;
  for (let i = 0; i < groups; i++) {
    const word = ((load<u8>(source) as u32) << 16) | ((load<u8>(source, 1) as u32) << 8) | load<u8>(source, 2);
    store<u8>(target, letterOf(word >> 18, url));
    store<u8>(target, letterOf((word >> 12) & 63, url), 1);
    store<u8>(target, letterOf((word >> 6) & 63, url), 2);
    store<u8>(target, letterOf(word & 63, url), 3);
    source += 3;
    target += 4;
  }
  if (rest > 0) {
    const word = ((load<u8>(source) as u32) << 16) | (rest == 2 ? (load<u8>(source, 1) as u32) << 8 : 0);
    store<u8>(target, letterOf(word >> 18, url));
    store<u8>(target, letterOf((word >> 12) & 63, url), 1);
    if (rest == 2) store<u8>(target, letterOf((word >> 6) & 63, url), 2);
    else if (!url) store<u8>(target, 0x3d, 2);
    if (!url) store<u8>(target, 0x3d, 3);
  }
  return result;
}

function letterOf(value: u32, url: bool): u8 {
  if (value < 26) return (0x41 + value) as u8;
  if (value < 52) return (0x61 - 26 + value) as u8;
  if (value < 62) return (0x30 - 52 + value) as u8;
  if (value == 62) return url ? 0x2d : 0x2b;
  return url ? 0x5f : 0x2f;
}

/** Standard alphabet; blanks are passed over, decoding stops at the first `=`. Empty for bad text. */
export function __base64_decode(s: usize): usize {
  const length = lengthOf(s);
  if (length == 0) return 0;
  const result = newBytes(length);
  let target = result + BYTES;
  let letters: i32 = 0;
  let padding: i32 = 0;
  let word: u32 = 0;
  let bits: i32 = 0;
  for (let at = s + BYTES; at < s + BYTES + (length as usize); at++) {
    const byte = load<u8>(at);
    if (byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d) continue;
    letters++;
    if (byte == 0x3d) {
      padding++;
      continue;
    }
    const value = valueOf(byte);
    if (value < 0) {
      discard(result);
      return 0;
    }
    if (padding > 0) continue;
    word = (word << 6) | (value as u32);
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      store<u8>(target++, (word >> bits) as u8);
    }
  }
  const size = (target - result - BYTES) as i32;
  if (letters % 4 != 0 || padding > 2 || size == 0) {
    discard(result);
    return 0;
  }
  store<i32>(result, size);
  return result;
}

function valueOf(byte: u8): i32 {
  if (byte >= 0x41 && byte <= 0x5a) return byte - 0x41;
  if (byte >= 0x61 && byte <= 0x7a) return byte - 0x61 + 26;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30 + 52;
  if (byte == 0x2b) return 62;
  return byte == 0x2f ? 63 : -1;
}
