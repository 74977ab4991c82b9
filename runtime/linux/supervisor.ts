// A program of its own (`dist/hale-supervisor`): starts another program in a session of its own and adopts everything that the program leaves behind, at any
// depth (PR_SET_CHILD_SUBREAPER). It ends when the last of them has ended, so its end proves that nothing is left.
//   hale-supervisor PROGRAM ARGUMENT...
// It writes records of two 32-bit numbers to descriptor 3: (0, pid of the program), later (1, the program's wait status); or (2, errno) when there is no program.
// SIGUSR1, and the death of its parent, make it end all that is left with SIGKILL. It ignores all other signals.
import { call1, call2, call3, call4, initialStack, loadByte, loadLong, real } from "./system";
import * as n from "./numbers";

const RECORDS: i64 = 3;
const STARTED: i32 = 0;
const ENDED: i32 = 1;
const FAILED: i32 = 2;

const PR_SET_PDEATHSIG: i64 = 1;
const PR_SET_CHILD_SUBREAPER: i64 = 36;
const SIG_SETMASK: i64 = 2;
const SIGUSR1: i32 = 10;
const SIGKILL: i64 = 9;
const F_SETFD: i64 = 2;
const WNOHANG: i64 = 1;
const ECHILD: i32 = -10;
const NOT_STARTED: i64 = 127;

const allSignals: usize = memory.data(8, 8);
const formerSignals: usize = memory.data(8, 8);
const defaultAction: usize = memory.data(32, 8);
const pause: usize = memory.data(16, 8);
const record: usize = memory.data(8, 8);
const status: usize = memory.data(4, 4);
const pipe: usize = memory.data(8, 4);
const childrenPath: usize = memory.data(32, 8);
const childrenList: usize = memory.data(4096, 8);
const CHILDREN_PATH: string = "/proc/thread-self/children";

export function hale_supervise(): void {
  call2(n.PRCTL, PR_SET_CHILD_SUBREAPER, 1);
  call2(n.PRCTL, PR_SET_PDEATHSIG, SIGUSR1);
  store<i64>(allSignals, -1);
  call4(n.RT_SIGPROCMASK, SIG_SETMASK, real(allSignals), real(formerSignals), 8);
  // Closed by the program's start, or the errno of its failure comes through it.
  call2(n.PIPE2, real(pipe), n.O_CLOEXEC);
  const program = call1(n.FORK, 0);
  if (program == 0) become();
  call1(n.CLOSE, load<i32>(pipe, 4));
  if (program < 0) giveUp(-program);
  if (call3(n.READ, load<i32>(pipe), real(status), 4) == 4) giveUp(load<i32>(status));
  call1(n.CLOSE, load<i32>(pipe));
  write(STARTED, program);
  // The program's output ends with those who have it.
  for (let fd = 0; fd < 3; fd++) call1(n.CLOSE, fd);
  watch(program);
}

/** In the child: a leader of a session and of a group, with the signals as the runner had them; then the program. */
function become(): void {
  call1(n.SETSID, 0);
  // Without its supervisor nobody could tell what it leaves.
  call2(n.PRCTL, PR_SET_PDEATHSIG, SIGKILL);
  call4(n.RT_SIGACTION, n.SIGPIPE, real(defaultAction), 0, 8);
  call3(n.FCNTL, RECORDS, F_SETFD, 1);
  call4(n.RT_SIGPROCMASK, SIG_SETMASK, real(formerSignals), 0, 8);
  const stack = initialStack();
  const count = loadLong(stack);
  const environment = stack + 8 * (count + 2);
  const failure = call3(n.EXECVE, loadLong(stack + 16), stack + 16, environment);
  store<i32>(status, -failure);
  call3(n.WRITE, load<i32>(pipe, 4), real(status), 4);
  call1(n.EXIT_GROUP, NOT_STARTED);
}

function giveUp(errno: i32): void {
  write(FAILED, errno);
  call1(n.EXIT_GROUP, NOT_STARTED);
}

function watch(program: i32): void {
  let isEnding = false;
  // 1 ms: how long what is being killed may take to be gone before it is looked at again.
  store<i64>(pause, 1_000_000, 8);
  for (;;) {
    for (;;) {
      const pid = call4(n.WAIT4, -1, real(status), WNOHANG, 0);
      if (pid == ECHILD) call1(n.EXIT_GROUP, 0);
      if (pid <= 0) break;
      if (pid == program) write(ENDED, load<i32>(status));
    }
    if (isEnding) killChildren();
    const signal = call4(n.RT_SIGTIMEDWAIT, real(allSignals), 0, isEnding ? real(pause) : 0, 8);
    if (signal == SIGUSR1) isEnding = true;
  }
}

/** Grandchildren are children once their parents are dead: whoever calls again meets them. */
function killChildren(): void {
  for (let i = 0; i < CHILDREN_PATH.length; i++) store<u8>(childrenPath + i, CHILDREN_PATH.charCodeAt(i));
  const fd = call3(n.OPEN, real(childrenPath), 0, 0);
  if (fd < 0) return;
  let pid: i64 = 0;
  for (;;) {
    const length = call3(n.READ, fd, real(childrenList), 4096);
    if (length <= 0) break;
    for (let at = 0; at < length; at++) {
      const digit = load<u8>(childrenList + at);
      if (digit >= 48 && digit <= 57) pid = 10 * pid + (digit - 48);
      else if (pid > 0) {
        call2(n.KILL, pid, SIGKILL);
        pid = 0;
      }
    }
  }
  call1(n.CLOSE, fd);
}

function write(kind: i32, value: i32): void {
  store<i32>(record, kind);
  store<i32>(record, value, 4);
  call3(n.WRITE, RECORDS, real(record), 8);
}
