// The guest runtime in a test: its exports, texts in its memory, and a host that records what is written.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = new URL("../../../", import.meta.url);
let compiled: WebAssembly.Module | undefined;

/** Thrown by `host.exit`, which does not return. */
export class Exit extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`exit ${status}`);
    this.status = status;
  }
}

export interface Write {
  readonly fd: number;
  readonly text: string;
}

type Value = number | bigint;

export class Guest {
  /** One entry a call of `host.write`. */
  readonly writes: Write[] = [];
  readonly environment = new Map<string, string>();
  /** What the next calls of `host.write` return instead of taking everything: a count or a negated errno. */
  readonly writeResults: number[] = [];
  /** Names of the host calls that were made, `write` left out. */
  readonly calls: string[] = [];
  /** What the program's `hale_main` does; returns its exit status. */
  main: () => number = () => 0;
  readonly #exports: WebAssembly.Exports;

  constructor() {
    const instance = new WebAssembly.Instance(module(), { host: this.#host() });
    this.#exports = instance.exports;
    this.global("heap_start").value = (this.#constant("static_end") + 15) & -16;
  }

  /** Calls an export that returns a number, or nothing. */
  call(name: string, ...args: Value[]): number {
    return Number(this.#function(name)(...args) ?? 0);
  }

  callBig(name: string, ...args: Value[]): bigint {
    const result = this.#function(name)(...args);
    if (typeof result !== "bigint") throw new Error(`${name} returns no i64`);
    return result;
  }

  global(name: string): WebAssembly.Global {
    const value = this.#exports[name];
    if (!(value instanceof WebAssembly.Global)) throw new Error(`no global ${name}`);
    return value;
  }

  get view(): DataView {
    return new DataView(this.#memory.buffer);
  }

  get bytes(): Uint8Array {
    return new Uint8Array(this.#memory.buffer);
  }

  /** A new String in the guest's memory. */
  string(text: string | Uint8Array): number {
    const bytes = typeof text === "string" ? Buffer.from(text) : text;
    if (bytes.length === 0) return 0;
    const cell = this.call("alloc", bytes.length + 4);
    this.view.setInt32(cell, bytes.length, true);
    this.bytes.set(bytes, cell + 4);
    return cell;
  }

  /** The text of a String. */
  read(cell: number): string {
    const address = cell >>> 0;
    const length = this.view.getInt32(address, true);
    return Buffer.from(this.bytes.slice(address + 4, address + 4 + length)).toString();
  }

  /** What the builder makes of the calls between its begin and its end. */
  text(build: () => void): string {
    this.call("text_begin");
    build();
    const cell = this.call("text_finish");
    const text = this.read(cell);
    this.call("release", cell);
    return text;
  }

  /** The process entry, with `main` as the program. Returns the exit status. */
  start(): number {
    const table = this.#exports["table"];
    if (!(table instanceof WebAssembly.Table)) throw new Error("no table");
    const index = table.grow(1);
    table.set(
      index,
      statusFunction(() => this.main()),
    );
    this.global("main_entry").value = index;
    return this.exits(() => this.call("hale_start"));
  }

  /** Runs something that ends in `host.exit` and returns the status. */
  exits(run: () => void): number {
    try {
      run();
    } catch (error) {
      if (error instanceof Exit) return error.status;
      throw error;
    }
    throw new Error("the process did not end");
  }

  /** All that went to a stream. */
  output(fd: number): string {
    return this.writes
      .filter((write) => write.fd === fd)
      .map((write) => write.text)
      .join("");
  }

  get #memory(): WebAssembly.Memory {
    const memory = this.#exports["memory"];
    if (!(memory instanceof WebAssembly.Memory)) throw new Error("no memory");
    return memory;
  }

  #function(name: string): (...args: Value[]) => unknown {
    const value = this.#exports[name];
    if (typeof value !== "function") throw new Error(`no function ${name}`);
    return (...args) => value(...args);
  }

  #constant(name: string): number {
    return this.call(name);
  }

  #host(): WebAssembly.ModuleImports {
    const known: Record<string, (...args: number[]) => number> = {
      write: (fd = 0, from = 0, length = 0) => this.#write(fd, from >>> 0, length),
      env: (name = 0, nameLength = 0, buffer = 0, capacity = 0) => this.#env(name, nameLength, buffer, capacity),
      exit: (status = 0) => {
        throw new Exit(status);
      },
    };
    return new Proxy<WebAssembly.ModuleImports>(
      {},
      {
        get: (_, name) =>
          known[String(name)] ??
          ((...args: unknown[]) => {
            this.calls.push(`${String(name)}(${args.join(",")})`);
            return 0;
          }),
      },
    );
  }

  #write(fd: number, from: number, length: number): number {
    const result = this.writeResults.shift() ?? length;
    const taken = Math.max(0, Math.min(result, length));
    if (taken > 0) this.writes.push({ fd, text: Buffer.from(this.bytes.slice(from, from + taken)).toString() });
    return result;
  }

  #env(name: number, nameLength: number, buffer: number, capacity: number): number {
    const value = this.environment.get(Buffer.from(this.bytes.slice(name, name + nameLength)).toString());
    if (value === undefined) return -2;
    const bytes = Buffer.from(value);
    this.bytes.set(bytes.subarray(0, capacity), buffer);
    return bytes.length;
  }
}

/** The two words of a 128-bit number, as the guest takes a Decimal. */
export function words(value: bigint): [bigint, bigint] {
  return [BigInt.asIntN(64, value), BigInt.asIntN(64, value >> 64n)];
}

function module(): WebAssembly.Module {
  if (compiled === undefined) {
    execFileSync(process.execPath, [fileURLToPath(new URL("scripts/build-guest.mjs", root)), "--if-stale"]);
    compiled = new WebAssembly.Module(readFileSync(new URL("dist/runtime.wasm", root)));
  }
  return compiled;
}

/** A function that can stand in a funcref table: a module that imports `run: () -> i32` and exports it. */
function statusFunction(run: () => number): unknown {
  const bytes = new Uint8Array([
    0,
    0x61,
    0x73,
    0x6d,
    1,
    0,
    0,
    0, // magic, version
    1,
    5,
    1,
    0x60,
    0,
    1,
    0x7f, // type () -> i32
    2,
    7,
    1,
    1,
    0x61,
    1,
    0x62,
    0,
    0, // import a.b
    7,
    5,
    1,
    1,
    0x63,
    0,
    0, // export c
  ]);
  const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), { a: { b: run } });
  return instance.exports["c"];
}
