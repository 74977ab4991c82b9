// Primitives of the library against exact oracles: JavaScript's numbers, regular expressions and JSON, Node's zlib and crypto.
import { createHash, createHmac, generateKeyPairSync, sign, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { deflateSync, gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Guest } from "../runtime/guest.ts";

const guest = new Guest();
const bytesOf = (cell: number) => {
  const address = cell >>> 0;
  return Buffer.from(guest.bytes.slice(address + 4, address + 4 + guest.view.getInt32(address, true)));
};

/** Calls a primitive with texts in place of cells, and gives all cells back. */
function call(name: string, ...args: (string | Uint8Array | number | bigint)[]): number {
  const cells: number[] = [];
  const values = args.map((arg) => {
    if (typeof arg === "number" || typeof arg === "bigint") return arg;
    const cell = guest.string(arg);
    cells.push(cell);
    return cell;
  });
  const result = guest.call(name, ...values);
  for (const cell of cells) guest.call("release", cell);
  return result;
}

/** The same for a primitive that returns a String or Bytes. */
function callBytes(name: string, ...args: (string | Uint8Array | number | bigint)[]): Buffer {
  const cell = call(name, ...args);
  const bytes = bytesOf(cell);
  guest.call("release", cell);
  return bytes;
}

const status = () => guest.call("__io_status");
const short = { numRuns: 300 };

describe("parse_float", () => {
  const parse = (text: string) => {
    const value = call("__str_parse_float", text);
    return guest.call("__str_parsed") === 1 ? value : undefined;
  };
  /** What C's strtod accepts: no overflow, nothing below the normal range that is not exact. */
  const expected = (text: string) => {
    const value = Number(text);
    const isZero = !/[1-9]/.test(text.split(/e/i)[0] ?? "");
    return Number.isFinite(value) && (isZero || Math.abs(value) >= 2.2250738585072014e-308) ? value : undefined;
  };

  test("every double from its own text, and from more digits than it needs", () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.integer({ min: 1, max: 60 }),
        (value, digits) => {
          for (const text of [String(value), value.toPrecision(digits)]) expect(parse(text)).toBe(expected(text));
        },
      ),
      { numRuns: 2000 },
    );
  });

  test("texts halfway between two doubles go to the even one, and a digit far behind decides", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 2n ** 52n, max: 2n ** 53n - 1n }),
        fc.integer({ min: 0, max: 900 }),
        fc.nat(40),
        (mantissa, exponent, zeros) => {
          const half = (2n * mantissa + 1n) << BigInt(exponent);
          for (const text of [String(half), `${half}.${"0".repeat(zeros)}1`, String(half - 1n), `${half}e-300`])
            expect(parse(text)).toBe(expected(text));
        },
      ),
      short,
    );
  });

  test("the edges of the range", () => {
    const edges = [
      "2.2250738585072014e-308",
      "1.7976931348623157e308",
      "1.7976931348623158e308",
      "1.7976931348623159e308",
      "1e400",
      "1e-400",
      "0e400",
      "0x1p-1074",
      "0x1.fffffffffffff8p1023",
    ];
    expect(edges.map(parse)).toEqual([
      2.2250738585072014e-308,
      Number.MAX_VALUE,
      Number.MAX_VALUE,
      undefined,
      undefined,
      undefined,
      0,
      5e-324,
      undefined,
    ]);
  });
});

test("parse_int is the 64-bit number that the whole text spells", () => {
  const parse = (text: string) => {
    const cell = guest.string(text);
    const value = guest.callBig("__str_parse_int", cell, 0n, BigInt(text.length));
    guest.call("release", cell);
    return guest.call("__str_parsed") === 1 ? value : undefined;
  };
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }), fc.nat(4), (value, zeros) => {
      const text = ` ${value < 0n ? "-" : "+"}${"0".repeat(zeros)}${value < 0n ? -value : value}`;
      expect(parse(text)).toBe(BigInt.asIntN(64, value) === value ? value : undefined);
    }),
  );
});

describe("text", () => {
  const few = fc.array(fc.constantFrom("a", "b"), { maxLength: 200 }).map((letters) => letters.join(""));

  test("search and replace", () => {
    fc.assert(
      fc.property(
        few,
        few.map((text) => text.slice(0, 9)),
        fc.nat(20),
        (text, part, from) => {
          expect(call("__str_index_of", text, part, BigInt(from))).toBe(
            from <= text.length ? text.indexOf(part, from) : -1,
          );
          expect(callBytes("__str_replace", text, part, "xyz").toString()).toBe(
            part === "" ? text : text.split(part).join("xyz"),
          );
        },
      ),
    );
  });

  test("a text that resembles the part everywhere is searched in linear time", () => {
    const before = process.cpuUsage();
    expect(call("__str_index_of", `${"a".repeat(200_000)}b`, `${"a".repeat(50_000)}b`, 0n)).toBe(150_000);
    // Ten thousand million steps take longer than this on any machine.
    expect(process.cpuUsage(before).user / 1e6, "seconds").toBeLessThan(2);
  });

  test("base64 is Node's", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        const text = Buffer.from(bytes).toString("base64");
        expect(callBytes("__base64_encode", bytes, 0).toString()).toBe(text);
        expect(callBytes("__base64_encode", bytes, 1).toString()).toBe(Buffer.from(bytes).toString("base64url"));
        expect(callBytes("__base64_decode", text)).toEqual(Buffer.from(bytes));
      }),
    );
  });
});

describe("regular expressions", () => {
  const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
    pattern: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom("a", "b", "c", ".", "[ab]", "[^a-b]", "[^b]", "()"),
      fc.tuple(tie("pattern"), tie("pattern")).map(([left, right]) => left + right),
      fc.tuple(tie("pattern"), tie("pattern")).map(([left, right]) => `(${left}|${right})`),
      fc.tuple(tie("pattern"), fc.constantFrom("*", "+", "?")).map(([inner, postfix]) => `(${inner})${postfix}`),
    ),
  }));

  test("match and leftmost match are JavaScript's", () => {
    fc.assert(
      fc.property(
        pattern,
        fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 9 }).map((letters) => letters.join("")),
        (source, text) => {
          const cell = guest.string(source);
          const program = guest.callBig("__regex_compile", cell);
          guest.call("release", cell);
          expect(call("__regex_matches", program, text) === 1).toBe(new RegExp(`^(?:${source})$`, "s").test(text));
          expect(call("__regex_find", program, text)).toBe(new RegExp(source, "s").exec(text)?.index ?? -1);
          guest.call("__regex_free", program);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe("JSON", () => {
  test("escapes are those of JSON.stringify, and come back", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.integer({ min: 1, max: 0x2ff }).map((unit) => String.fromCharCode(unit)) }),
        (text) => {
          const escaped = callBytes("__json_escape", text).toString();
          expect(escaped).toBe(JSON.stringify(text).slice(1, -1));
          expect(callBytes("__json_unescape", escaped).toString()).toBe(text);
        },
      ),
    );
  });

  test("validity is that of JSON.parse, also of damaged texts", () => {
    const damage = fc.constantFrom("", ",", "]", "}", "x", "0", '"', ".", "\\", " ", "\n", "-", "e", "\\u12");
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.nat(200), damage, fc.boolean(), (json, at, insert, removes) => {
        const text = json.slice(0, at) + insert + json.slice(at + (removes ? 1 : 0));
        // Stricter than JSON.parse: no \u0000, no half of a surrogate pair.
        fc.pre(!/\\u(0000|d[89a-f])/i.test(text) && Buffer.from(text).toString() === text);
        expect(call("__json_valid", text) === 1).toBe(isJson(text));
      }),
      { numRuns: 1000 },
    );
  });

  function isJson(text: string): boolean {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  }
});

describe("digests", () => {
  test("SHA and HMAC of every length around the blocks", () => {
    for (let length = 0; length < 260; length++) {
      const bytes = Buffer.alloc(length, length);
      const key = Buffer.alloc((length * 3) % 200, 7);
      for (const name of ["sha1", "sha256", "sha512"])
        expect(callBytes(`__crypto_${name}`, bytes)).toEqual(createHash(name).update(bytes).digest());
      for (const name of ["sha256", "sha512"])
        expect(callBytes(`__crypto_hmac_${name}`, key, bytes)).toEqual(createHmac(name, key).update(bytes).digest());
    }
  });
});

describe("ECDSA over P-256", () => {
  test("signs what Node verifies, verifies what Node signs", () => {
    for (let round = 0; round < 5; round++) {
      const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
      const key = privateKey.export({ format: "jwk" });
      const part = (text: string | undefined) => Buffer.from(text ?? "", "base64url");
      const point = Buffer.concat([part(key.x), part(key.y)]);
      const message = Buffer.from(`message ${round}`);
      const digest = createHash("sha256").update(message).digest();
      const theirs = sign("sha256", message, { key: privateKey, dsaEncoding: "ieee-p1363" });
      expect(call("__p256_verify", point, digest, theirs)).toBe(1);
      const damaged = Buffer.from(theirs);
      damaged[round * 7] = (damaged[round * 7] ?? 0) ^ 1;
      expect(call("__p256_verify", point, digest, damaged)).toBe(0);
      expect(verify("sha256", message, { key: publicKey, dsaEncoding: "ieee-p1363" }, theirs)).toBe(true);
    }
  });

  test("refuses keys outside the group", () => {
    expect(callBytes("__p256_sign", Buffer.alloc(32), Buffer.alloc(32)).length).toBe(0);
    expect(callBytes("__p256_sign", Buffer.alloc(32, 255), Buffer.alloc(32)).length).toBe(0);
  });
});

/** The 150 lines of "frames of the zstd tool", by `zstd -19`. */
const LINES_FRAME = [
  "KLUv/QRonRAANmBEF5CpmgNg/cLHQi3vbufu7l65G/C7PjgBSgA8ADcA30jLElHqKK1UJxHVclrPMnLZYuWN2a3puX4001x5TDJMOqvVlE1ZGoAjgOBggOFg",
  "EAwHgQGFgYU4CBQc4tAwcAiBIEiIYwDB4CBFRGdLQ7mUHGYZ3hyiUdUMJXab6i+GaYZINzW8jJotnLzrpLKHdZdnhdUkKz7TkYQsDfGvalsl0kypBjEf9lEf",
  "9NGP/0M+Ug6Uz+QoOUiuHPJyikw5ym1USXZrxnqSJFmO2KOxo8Kj6Z2xKwXblMP5WmYZAE2pC5POQ7rujI6ig+goHXRMCx3ZA3v0sB7Vg3q0R497SI+cA+eY",
  "w+aag+boHHM8h8yRH/gRgPuoIWxZef87cBeVpB0SSLBIBf+/thg/KTnBqXBnh0b8e2h8Lpyv/7gTc/SCdBzPvKuLbP48XdA5w0lycT0Mh77Fn1wgny0uXeEo",
  "tbgfha+eBatMoKAsrh3hMLH4Q0jIfcJlThzRhHuX+JoSqEji4CPcZsQZRXg8BHRCgCQIRd/ifbZgqeG8/KkRZY+a2B//26O/7RQy1iyTQAAE5GUTLv/JBS4S",
  "C6VcImN0kUSHxrZwVoqocGmBQWU4doJhtQl0SrgkJWGcqgEsGQRHDQ+nMV0S28JZKYSRpKqYw8RQHR7R4EoUOixyPLicVYCIijajCjQVKjqaWZECK1ksAKoC",
  "4ej/0Q==",
].join("");

describe("compression", () => {
  const compressible = fc
    .array(fc.oneof(fc.constantFrom("the ", "quick ", "brown ", "fox "), fc.string({ maxLength: 5 })), {
      maxLength: 400,
    })
    .map((words) => Buffer.from(words.join("")));
  const samples = fc.oneof(
    compressible,
    fc.uint8Array({ maxLength: 2000 }).map((bytes) => Buffer.from(bytes)),
  );
  const source = readFileSync(new URL("../../../std/str.hl", import.meta.url));

  test("zlib reads our gzip, and we read zlib's at every level", () => {
    fc.assert(
      fc.property(samples, fc.constantFrom(0, 1, 6, 9), (bytes, level) => {
        expect(gunzipSync(callBytes("__compress_gzip", bytes))).toEqual(bytes);
        for (const packed of [gzipSync(bytes, { level }), deflateSync(bytes, { level })]) {
          expect(callBytes("__compress_gunzip", packed)).toEqual(bytes);
          expect(status()).toBe(0);
        }
      }),
      short,
    );
    expect(callBytes("__compress_gzip", source).length).toBeLessThan(gzipSync(source).length * 1.05);
  });

  test("damaged gzip is refused exactly when zlib refuses it", () => {
    const packed = gzipSync(source);
    fc.assert(
      fc.property(fc.nat(packed.length - 1), fc.nat(7), fc.boolean(), (at, bit, cuts) => {
        const damaged = cuts ? packed.subarray(0, at) : Buffer.from(packed);
        if (!cuts) damaged[at] = (damaged[at] ?? 0) ^ (1 << bit);
        callBytes("__compress_gunzip", damaged);
        expect(status() === 0).toBe(isGzip(damaged));
      }),
      short,
    );
  });

  test("zstd comes back, and cut or damaged frames are refused", () => {
    fc.assert(
      fc.property(samples, (bytes) => {
        expect(callBytes("__compress_unzstd", callBytes("__compress_zstd", bytes))).toEqual(bytes);
      }),
      short,
    );
    const packed = callBytes("__compress_zstd", source);
    expect(packed.length).toBeLessThan(source.length / 2);
    for (let at = 0; at < packed.length; at += 97) {
      callBytes("__compress_unzstd", packed.subarray(0, at));
      expect(status()).toBe(-22);
      const damaged = Buffer.from(packed);
      damaged[at] = (damaged[at] ?? 0) ^ 16;
      const result = callBytes("__compress_unzstd", damaged);
      if (status() === 0) expect(result).toEqual(source);
    }
  });

  test("frames of the zstd tool", () => {
    const lines = Array.from(
      { length: 150 },
      (_, i) => `line ${i + 1} of a text that repeats itself, ${((i + 1) * (i + 1)) % 97}\n`,
    ).join("");
    const unpack = (frame: string) => callBytes("__compress_unzstd", Buffer.from(frame, "base64")).toString();
    // `zstd -19`, with and without a checksum; the second text has Huffman-coded literals and tables of its own.
    expect(unpack("KLUv/QRolQAAYGhlbGxvIHpzdGQsIAEAn0sS4LhAOA==")).toBe("hello zstd, hello zstd, hello");
    expect(unpack("KLUv/QBolQAAYGhlbGxvIHpzdGQsIAEAn0sS")).toBe("hello zstd, hello zstd, hello");
    expect(unpack(LINES_FRAME)).toBe(lines);
  });

  function isGzip(bytes: Buffer): boolean {
    try {
      gunzipSync(bytes);
      return true;
    } catch {
      return false;
    }
  }
});

test("no primitive keeps memory", () => {
  expect(guest.callBig("heap_live_count")).toBe(0n);
});
