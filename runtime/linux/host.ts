// The host interface over Linux system calls: the same exports as `runtime/guest/host.ts`, in whose place the build puts this file. Besides them
// the functions that the native back end calls by name.
export {
  chmod, close, fchmod, fstat, fsync, ftruncate, isatty, mkdir, open, openAt, read, readdir, readlink, rename, rmdir, seek, stat, symlink, ttyRaw, ttySize, unlink, unlinkAt, write,
} from "../linux/files";
export { arg, argsCount, clock, env, envAt, exit, getcwd, getpid, getuid, hideMemory, peakRss, random, sleep } from "../linux/clocks";
export { hale_child, kill, pipe, poll, setNonblocking, spawn, unwatchSignals, wait, watchSignals } from "../linux/processes";
export { accept, bind, connect, listen, receiveFrom, receiveStamped, sendTo, shutdown, socket, socketGet, socketName, socketOption, socketSet } from "../linux/sockets";
export { resolve } from "../linux/resolver";
export { sha256Blocks } from "../linux/digests";
export { canFenceAll, fenceAll, futexWait, futexWake, threadStart, yieldThread } from "../linux/threads";
export { backtrace } from "../linux/backtrace";
export { hale_trap } from "../linux/traps";
