// What the native back end offers: system calls, the process's own memory, threads. All else in this room is written over it.
// Addresses of the process are i64; `real` turns an address in linear memory into one.

@external("sys", "syscall")
export declare function syscall(number: i64, a: i64, b: i64, c: i64, d: i64, e: i64, f: i64): i64;
/** As `syscall`, but returns -EINTR at once when a watched signal has come since the last time it did, or comes before the call blocks. */
@external("sys", "interruptible_syscall")
export declare function interruptibleSyscall(number: i64, a: i64, b: i64, c: i64, d: i64, e: i64, f: i64): i64;
/** The address of linear memory. */
@external("sys", "base")
declare function base(): i64;
@external("sys", "load8")
export declare function loadByte(address: i64): i32;
@external("sys", "load32")
export declare function loadWord(address: i64): i32;
@external("sys", "load64")
export declare function loadLong(address: i64): i64;
/** The stack pointer of the calling function's frame. */
@external("sys", "stack")
export declare function stackPointer(): i64;
/** An address in the code of the calling function. */
@external("sys", "code")
export declare function codeAddress(): i64;
/** The stack pointer at the process's entry: number of arguments, arguments, 0, environment, 0. */
@external("sys", "initial_stack")
export declare function initialStack(): i64;
/** The tables of functions and places: see backtrace.ts. */
@external("sys", "tables")
export declare function backtraceTables(): i64;
/** Starts a thread that calls the export `hale_thread(argument)`: 0 or a negated errno. */
@external("sys", "thread_start")
export declare function startThread(argument: i32): i32;
/** vfork: the child calls the export `hale_child(argument)` on a stack of its own, in this memory, while the caller waits until it has become another program. */
@external("sys", "spawn")
export declare function spawnChild(argument: i32): i32;
/** Whether the processor has instructions for SHA-256; asking costs a microsecond or more. */
@external("sys", "has_sha256")
export declare function hasSha256(): i32;
/** Takes `count` blocks of 64 bytes into the eight words at `state`, with those instructions; `constants`: the 64 of FIPS 180-4. */
@external("sys", "sha256_blocks")
export declare function sha256WithInstructions(state: usize, from: usize, count: i32, constants: usize): void;
/** SIGINT and SIGTERM store their number at this address (of the process) from now on. */
@external("sys", "watch_signals")
export declare function installSignalHandlers(flag: i64): i32;

// @ts-ignore: decorator
@inline
export function real(address: usize): i64 {
  return base() + (address as i64);
}

// @ts-ignore: decorator
@inline
export function call1(number: i64, a: i64): i32 {
  return syscall(number, a, 0, 0, 0, 0, 0) as i32;
}

// @ts-ignore: decorator
@inline
export function call2(number: i64, a: i64, b: i64): i32 {
  return syscall(number, a, b, 0, 0, 0, 0) as i32;
}

// @ts-ignore: decorator
@inline
export function call3(number: i64, a: i64, b: i64, c: i64): i32 {
  return syscall(number, a, b, c, 0, 0, 0) as i32;
}

// @ts-ignore: decorator
@inline
export function call4(number: i64, a: i64, b: i64, c: i64, d: i64): i32 {
  return syscall(number, a, b, c, d, 0, 0) as i32;
}
