// Which program a recording is of: what the compiler lays into every executable, and recordings carry (reference 06b 6b.5, "Identity").
import { createHash } from "node:crypto";
import { toolchainIdentity } from "../toolchain.ts";

/** The parts of a compilation that tell its programs apart. */
export interface BuildInputs {
  readonly target: string;
  readonly profile: string;
  /** Canonical paths with the hashes of their contents. */
  readonly reads: readonly (readonly [path: string, hash: string])[];
  /** The text of the program's shape. */
  readonly shape: string;
}

/** 32 bytes of digest, 8 bytes of the shape's hash. */
export function identityOf({ target, profile, reads, shape }: BuildInputs): Uint8Array {
  const digest = sha256(JSON.stringify([toolchainIdentity(), target, profile, [...reads].sort()]));
  return Buffer.concat([digest, sha256(shape).subarray(0, 8)]);
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
