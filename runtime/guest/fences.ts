// Pairs of threads that each write a word and then read the other's, of which one passes by often and the other seldom: a message is sent and a strand goes to sleep, a list is
// walked and a list changes. A fence between the write and the read on both sides makes sure that one of them sees the other. Where the system can put a fence into every running
// thread of the process (membarrier(2)), the seldom side does that, and the frequent one needs none of its own (docs/threads.md).
import * as host from "./host";
import { FENCE, thread } from "./thread";

/** Shared by all threads: 1 when `host.fenceAll` works. Set before there is a second thread. */
const reachesAll: usize = memory.data(4, 4);

/** Called before the first other thread is started. */
export function setUpFences(): void {
  store<i32>(reachesAll, i32(host.canFenceAll()));
}

/** Between the write and the read of the side that passes by often. */
// @ts-ignore: decorator
@inline
export function lightFence(): void {
  if (load<i32>(reachesAll) == 0) fullFence();
}

/** Between the write and the read of the other side. */
export function heavyFence(): void {
  fullFence();
  if (load<i32>(reachesAll) != 0) host.fenceAll();
}

/** An atomic change of a word that is this thread's own. */
function fullFence(): void {
  atomic.add<i32>(thread(), 0, FENCE);
}
