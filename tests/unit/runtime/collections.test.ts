// The storage of form loci against models in TypeScript (reference 07).
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

type Exports = Record<string, (...args: (number | bigint)[]) => number> & {
  memory: WebAssembly.Memory;
  heap_start: WebAssembly.Global;
};

const bytes = readFileSync(new URL("../../../dist/runtime.wasm", import.meta.url));
const module = new WebAssembly.Module(bytes);
/** No call of these tests reaches the host. */
const noHost = new Proxy(
  {},
  {
    get: (_, name) => () => {
      throw new Error(`host.${String(name)} called`);
    },
  },
); // prettier-ignore

function runtime(): Exports {
  const instance = new WebAssembly.Instance(module, { host: noHost, env: noHost } as WebAssembly.Imports);
  const exports = instance.exports as unknown as Exports;
  exports.heap_start.value = 65536;
  return exports;
}

function call(exports: Exports, name: string, ...args: (number | bigint)[]): number {
  const fn = exports[name];
  if (!fn) throw new Error(`no ${name}`);
  return fn(...args);
}

const STRIDE = 16;

/** A form whose elements are {key: i64, value: i64}. */
function newForm(exports: Exports) {
  const form = call(exports, "alloc", 32);
  const view = () => new DataView(exports.memory.buffer);
  return {
    form,
    length: () => view().getUint32(form + 4, true),
    write: (address: number, key: bigint, value: bigint) => {
      view().setBigInt64(address, key, true);
      view().setBigInt64(address + 8, value, true);
    },
    read: (address: number) => ({
      key: view().getBigInt64(address, true),
      value: view().getBigInt64(address + 8, true),
    }),
  };
}

function tableOrder(exports: Exports, form: ReturnType<typeof newForm>): bigint[] {
  const keys: bigint[] = [];
  for (
    let slot = call(exports, "map_next", form.form, 0, STRIDE);
    slot >= 0;
    slot = call(exports, "map_next", form.form, slot + 1, STRIDE)
  ) {
    keys.push(form.read(call(exports, "map_element", form.form, slot, STRIDE)).key);
  }
  return keys;
}

function put(exports: Exports, form: ReturnType<typeof newForm>, key: bigint, value: bigint): boolean {
  const place = call(exports, "map_place", form.form, key, STRIDE, 0, 0);
  form.write(place & ~1, key, value);
  return (place & 1) === 1;
}

describe("hashmap storage", () => {
  test.each([
    [
      [1, 2, 3, 4, 5],
      [5, 2, 4, 1, 3],
    ],
    [
      [1, 2, 3, 4, 5, 1],
      [4, 1, 5, 2, 3],
    ],
    [
      [1, 2, 3, 4, 5, 6],
      [4, 1, 5, 2, 6, 3],
    ],
    [
      [10, 20, 30],
      [10, 20, 30],
    ],
    [
      [-1, 0, 7],
      [0, -1, 7],
    ],
  ])("keys %j are walked in the order %j (07 5)", (keys, order) => {
    const exports = runtime();
    const form = newForm(exports);
    for (const key of keys) put(exports, form, BigInt(key), 0n);
    expect(tableOrder(exports, form)).toEqual(order.map(BigInt));
  });

  test("removing moves the rest of the run back (07 5.5)", () => {
    const exports = runtime();
    const form = newForm(exports);
    for (const key of [1n, 9n, 17n]) put(exports, form, key, 0n);
    call(exports, "map_remove", form.form, call(exports, "map_find", form.form, 1n, STRIDE, 0, 0), STRIDE);
    expect(tableOrder(exports, form)).toEqual([9n, 17n]);
  });

  test("any sequence of operations agrees with a Map", () => {
    const operation = fc.record({
      kind: fc.constantFrom("put", "put", "remove", "find", "at"),
      key: fc.bigInt(-20n, 40n),
      value: fc.bigInt(0n, 1000n),
    });
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 300 }), (operations) => {
        const exports = runtime();
        const form = newForm(exports);
        const model = new Map<bigint, bigint>();
        for (const { kind, key, value } of operations) {
          const found = call(exports, "map_find", form.form, key, STRIDE, 0, 0);
          if (kind === "put") {
            expect(put(exports, form, key, value)).toBe(!model.has(key));
            model.set(key, value);
          } else if (kind === "remove" && found !== 0) {
            call(exports, "map_remove", form.form, found, STRIDE);
            model.delete(key);
          } else if (kind === "find") {
            expect(found === 0 ? undefined : form.read(found).value).toBe(model.get(key));
          } else if (kind === "at") {
            const at = call(exports, "map_entry", form.form, value % 50n, STRIDE);
            expect(at === 0 ? undefined : form.read(at).key).toBe(tableOrder(exports, form)[Number(value % 50n)]);
          }
          expect(form.length()).toBe(model.size);
        }
        expect([...tableOrder(exports, form)].sort()).toEqual([...model.keys()].sort());
      }),
      { numRuns: 60, seed: 7 },
    );
  });
});

describe("vec and ring storage", () => {
  test("a vec keeps order, sorts stably and reverses", () => {
    const exports = runtime();
    fc.assert(
      fc.property(fc.array(fc.bigInt(0n, 9n), { maxLength: 200 }), (keys) => {
        const form = newForm(exports);
        for (const [i, key] of keys.entries())
          form.write(call(exports, "vec_push_slot", form.form, STRIDE), key, BigInt(i));
        call(exports, "vec_sort", form.form, STRIDE, 0, 0, 0);
        const model = keys.map((key, i) => ({ key, value: BigInt(i) })).sort((a, b) => Number(a.key - b.key));
        const data = new DataView(exports.memory.buffer).getUint32(form.form, true);
        expect(model.map((_, i) => form.read(data + i * STRIDE))).toEqual(model);
        call(exports, "vec_reverse", form.form, STRIDE);
        expect(model.map((_, i) => form.read(data + i * STRIDE))).toEqual(model.reverse());
        call(exports, "form_free", form.form, 0);
        call(exports, "free", form.form);
      }),
      { numRuns: 100, seed: 7 },
    );
  });

  test("a ring is first in, first out and never holds more than its limit", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.array(fc.boolean(), { maxLength: 300 }), (limit, pushes) => {
        const exports = runtime();
        const form = newForm(exports);
        const model: bigint[] = [];
        let next = 0n;
        for (const push of pushes) {
          if (push) {
            const slot = call(exports, "ring_push_slot", form.form, STRIDE, limit);
            expect(slot !== 0).toBe(model.length < limit);
            if (slot !== 0) {
              form.write(slot, next, 0n);
              model.push(next);
            }
            next++;
          } else {
            const slot = call(exports, "ring_pop_slot", form.form, STRIDE);
            expect(slot === 0 ? undefined : form.read(slot).key).toBe(model.shift());
          }
        }
      }),
      { numRuns: 80, seed: 7 },
    );
  });
});

test("an lru_cache forgets the entry used least recently", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.array(fc.tuple(fc.boolean(), fc.bigInt(0n, 30n)), { maxLength: 300 }),
      (limit, operations) => {
        const exports = runtime();
        const form = newForm(exports);
        const model = new Map<bigint, bigint>(); // oldest first
        let stamp = 0n;
        for (const [isPut, key] of operations) {
          if (isPut) {
            const place = call(exports, "lru_place", form.form, key, STRIDE, 0, 0, limit);
            form.write(place & ~1, key, ++stamp);
            model.delete(key);
            model.set(key, stamp);
            const oldest = model.keys().next().value;
            if (model.size > limit && oldest !== undefined) model.delete(oldest);
          } else {
            const found = call(exports, "lru_find", form.form, key, STRIDE, 0, 0);
            expect(found === 0 ? undefined : form.read(found).value).toBe(model.get(key));
            const value = model.get(key);
            if (found !== 0 && value !== undefined) {
              call(exports, "lru_touch", form.form, found, STRIDE);
              model.delete(key);
              model.set(key, value);
            }
          }
          expect(form.length()).toBe(model.size);
        }
      },
    ),
    { numRuns: 80, seed: 7 },
  );
});
