// `std::str::parse_float` in a native program against V8's `Number()`, bit for bit: random texts and hard ones. The suite takes 20,000;
// HALE_FLOAT_CASES=1000000 asks for a million.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { checkTarget, compile } from "../../../compiler/index.ts";

const CASES = Number(process.env["HALE_FLOAT_CASES"] ?? 20_000);
const LEAST_NORMAL = 2 ** -1022;

/** Reads `numbers.txt`, a number a line, and writes the Floats to `floats.bin`; a NaN where `parse_float` refuses. */
const PROGRAM = `
fn main() {
    let text = std::io::fs::read_file("numbers.txt") or raise;
    let out = std::bytes::BytesBuilder { };
    let mut from = 0;
    let mut i = 0;
    let v = std::str::bytes_view(text);
    while i < v.n {
        if std::str::byte_at(v, i) == 10 {
            out.append_f64_le(std::str::parse_float(text[from..i]) or std::math::nan());
            from = i + 1;
        }
        i += 1;
    }
    std::io::fs::write_bytes("floats.bin", out.finish() or raise) or raise;
}
`;

/** Marsaglia's xorshift: the same cases on every run. */
function randomNumbers(seed: bigint): () => bigint {
  let state = seed;
  return () => {
    state ^= BigInt.asUintN(64, state << 13n);
    state ^= state >> 7n;
    state ^= BigInt.asUintN(64, state << 17n);
    return state;
  };
}

const bits = new BigUint64Array(1);
const float = new Float64Array(bits.buffer);

function floatOfBits(value: bigint): number {
  bits[0] = value;
  return float[0] ?? 0;
}

/** The exact decimal digits of a finite Float's magnitude: an integer and a power of ten. */
function exactly(mantissa: bigint, exponent: number): { readonly digits: bigint; readonly power: number } {
  return exponent >= 0
    ? { digits: mantissa << BigInt(exponent), power: 0 }
    : { digits: mantissa * 5n ** BigInt(-exponent), power: exponent };
}

/** One text for each way a conversion can go wrong, by turns. */
function textOf(kind: number, random: () => bigint): string {
  const below = (limit: number) => Number(random() % BigInt(limit));
  const anyFloat = () => {
    const value = floatOfBits(random());
    return Number.isFinite(value) ? value : 1 / 3;
  };
  switch (kind) {
    case 0: // shortest text
      return String(anyFloat());
    case 1: // more or fewer digits than it needs
      return anyFloat().toPrecision(1 + below(30));
    case 2: // random digits, random exponent
      return `${random()}e${below(700) - 360}`;
    case 3: // few digits: the fast path and its limits
      return `${random() % 10n ** BigInt(1 + below(17))}e${below(60) - 30}`;
    case 4: // many digits with a point
      return `${random()}${random()}.${random()}${random()}${random()}e${below(600) - 320}`;
    case 5: // 19 and 20 digits
      return `${random() % 10n ** 20n}.${below(10)}e${below(100) - 50}`;
    default:
      return halfway(kind - 6, random);
  }
}

/** The middle between two neighbours exactly (0), one unit in its last place below (1) or above (2), or with a digit far behind (3). */
function halfway(kind: number, random: () => bigint): string {
  const mantissa = 2n * ((random() >> 12n) | (1n << 52n)) + 1n;
  const exponent = Number(random() % 500n) - 300;
  const { digits, power } = exactly(mantissa, exponent);
  if (kind === 1) return `${digits - 1n}e${power}`;
  if (kind === 2) return `${digits + 1n}e${power}`;
  if (kind === 3) return `${digits}.${"0".repeat(Number(random() % 50n))}1e${power}`;
  return `${digits}e${power}`;
}

/** As C's strtod with its errors: overflow, and what falls below the normal range, is refused. */
function expected(text: string): number {
  const value = Number(text);
  const isZero = !/[1-9]/.test(text.replace(/e.*/, ""));
  return Number.isFinite(value) && (isZero || Math.abs(value) >= LEAST_NORMAL) ? value : Number.NaN;
}

test(`text to Float is correctly rounded on ${CASES} random and hard texts`, { timeout: 300_000 }, async () => {
  const directory = mkdtempSync(path.join(tmpdir(), "hale-floats-"));
  try {
    const random = randomNumbers(0x9e3779b97f4a7c15n);
    const texts = Array.from({ length: CASES }, (_, i) => textOf(i % 10, random));
    const source = path.join(directory, "program.hl");
    writeFileSync(source, PROGRAM);
    writeFileSync(path.join(directory, "numbers.txt"), `${texts.join("\n")}\n`);
    const { program } = checkTarget(source, { mode: "program" });
    const { executable } = program ? await compile(program, { target: "native", profile: "dev" }) : {};
    if (!executable) throw new Error("the program is refused");
    writeFileSync(path.join(directory, "program"), executable, { mode: 0o700 });
    const ran = spawnSync(path.join(directory, "program"), { cwd: directory, encoding: "utf8" });
    expect(ran).toMatchObject({ status: 0, stderr: "" });
    const bytes = readFileSync(path.join(directory, "floats.bin"));
    const found = new Float64Array(bytes.buffer, bytes.byteOffset, bytes.length / 8);
    expect(found.length).toBe(CASES);
    const wrong = texts.flatMap((text, i) => (Object.is(found[i], expected(text)) ? [] : [`${text}: ${found[i]}`]));
    expect(wrong.slice(0, 10)).toEqual([]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
