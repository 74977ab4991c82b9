// Before a call that may block on a socket: what a program with pools does then (reference 06 6.12, 05b 5b.14). Programs without pools carry none of it.

/** The call to come. */
export const RECEIVING: i32 = 0;
export const ACCEPTING: i32 = 1;

/** Table index of a body (descriptor, the call to come) -> 0, or the negated errno that the call fails with; 0 without pools. Shared by all threads. */
const hook: usize = memory.data(4, 4);

export function setWaitHook(body: u32): void {
  store<u32>(hook, body);
}

/** Waits until the call will not block, while other jobs of the pool run. 0, or the negated errno that the call fails with. */
export function beforeBlocking(descriptor: i32, call: i32): i32 {
  const body = load<u32>(hook);
  return body == 0 ? 0 : call_indirect<i32>(body, descriptor, call);
}
