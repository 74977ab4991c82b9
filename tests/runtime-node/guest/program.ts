// A program for the tests of the Node launcher, over the real runtime. The first argument names what it does; AssemblyScript.
import { endProcess } from "../../../runtime/guest/end";
import * as host from "../../../runtime/guest/host";
import { alloc } from "../../../runtime/guest/memory";
import { hale_flush, printBytes } from "../../../runtime/guest/output";
import { panic_index } from "../../../runtime/guest/panic";
import { heap_start } from "../../../runtime/guest/store";
import { text_begin, text_int, text_print } from "../../../runtime/guest/text";
import { textBytes, textWords, textByte } from "../../../runtime/guest/text-buffer";
import { firstThread, thread_announce, thread_attach, thread_detach } from "../../../runtime/guest/thread";

export { hale_flush } from "../../../runtime/guest/output";

const scenario: usize = memory.data(64, 8);
let scenarioLength: i32 = 0;
const buffer: usize = memory.data(70000, 8);

export function hale_start(): void {
  heap_start = __heap_base;
  firstThread();
  scenarioLength = host.arg(1, scenario, 64);
  endProcess(run());
}

function run(): i32 {
  if (named("hello")) return hello();
  if (named("arguments")) return listArguments();
  if (named("environment")) return environment();
  if (named("unfinished")) return unfinished();
  if (named("panic")) return panic(3);
  if (named("overflow")) return overflow(1);
  if (named("divide")) return divide(1, scenarioLength - 6);
  if (named("wild")) return load<i32>(0xfffffff0);
  if (named("depth")) return deep(100000) == 100000 ? 0 : 1;
  if (named("files")) return files();
  if (named("echo")) return echo();
  if (named("poll-input")) return pollInput();
  if (named("child")) return child();
  if (named("children")) return children();
  if (named("filter")) return filter();
  if (named("sleep")) return sleep();
  if (named("signal")) return signal();
  if (named("spin")) return spin();
  if (named("clocks")) return clocks();
  if (named("broken-pipe")) return brokenPipe();
  if (named("tcp")) return tcp();
  if (named("udp")) return udp();
  if (named("threads")) return threads();
  if (named("thread-panic")) return threadPanic();
  if (named("grow")) return grow();
  print("no such scenario\n");
  return 98;
}

// -- helpers

function named(name: string): bool {
  const letters = load<u32>(changetype<usize>(name) - 4) >> 1;
  if (letters != scenarioLength) return false;
  for (let i: u32 = 0; i < letters; i++) {
    if (load<u8>(scenario + i) != (load<u16>(changetype<usize>(name) + (i << 1)) as u8)) return false;
  }
  return true;
}

function print(words: string): void {
  text_begin();
  textWords(words);
  text_print(1);
}

/** `label number` on a line. */
function report(label: string, value: i64): void {
  text_begin();
  textWords(label);
  textByte(32);
  text_int(value);
  textByte(10);
  text_print(1);
}

/** Copies a literal to an address; returns its length. */
function put(to: usize, words: string): i32 {
  const letters = load<u32>(changetype<usize>(words) - 4) >> 1;
  for (let i: u32 = 0; i < letters; i++) store<u8>(to + i, load<u16>(changetype<usize>(words) + (i << 1)) as u8);
  return letters;
}

/** Arguments of `spawn`: the words of a literal, each ended by `|`. */
function command(words: string): i32 {
  const length = put(buffer, words);
  for (let i: i32 = 0; i < length; i++) if (load<u8>(buffer + i) == 124) store<u8>(buffer + i, 0);
  return length;
}

// -- scenarios

function hello(): i32 {
  print("hello\n");
  return 7;
}

function listArguments(): i32 {
  report("count", host.argsCount());
  for (let i = 1; i < host.argsCount(); i++) {
    const length = host.arg(i, buffer, 1000);
    text_begin();
    textBytes(buffer, length);
    textByte(10);
    text_print(1);
  }
  report("beyond", host.arg(99, buffer, 10));
  return 0;
}

function environment(): i32 {
  const name = put(scenario, "LAUNCHER_TEST");
  const length = host.env(scenario, name, buffer, 1000);
  printBytes(buffer, length, 1);
  print("\n");
  put(scenario, "LAUNCHER_NONE");
  report("missing", host.env(scenario, name, buffer, 1000));
  let found = 0;
  for (let i = 0; ; i++) {
    const size = host.envAt(i, buffer, 1000);
    if (size < 0) break;
    if (size > 14 && load<u64>(buffer) == 0x45484355414c) found++;
    if (size > 14 && load<u8>(buffer) == 76 && load<u8>(buffer + 13) == 61 && load<u8>(buffer + 9) == 84) found++;
  }
  report("listed", found);
  report("cwd", i64(host.getcwd(buffer, 1000) > 0));
  report("pid", i64(host.getpid() > 1));
  report("rss", i64(host.peakRss() > 1000000));
  report("random", host.random(buffer, 100));
  return 0;
}

function unfinished(): i32 {
  print("no line feed");
  return 0;
}

function panic(depth: i32): i32 {
  if (depth == 0) {
    print("before ");
    panic_index(7, 3);
  }
  return panic(depth - 1) + 1;
}

function overflow(n: i32): i32 {
  return overflow(n + 1) + overflow(n + 2);
}

function divide(a: i64, b: i64): i32 {
  return (a / b) as i32;
}

function deep(n: i32): i32 {
  return n == 0 ? 0 : deep(n - 1) + 1;
}

function files(): i32 {
  const length = host.arg(2, scenario, 64);
  const fd = host.open(scenario, length, 0o1102, 0o644);
  report("created", i64(fd >= 0));
  report("written", host.write(fd, buffer, put(buffer, "hello world")));
  report("seek", host.seek(fd, 6, 0));
  report("read", host.read(fd, buffer, 100));
  printBytes(buffer, 5, 1);
  print("\n");
  report("end", host.read(fd, buffer, 100));
  report("back", host.seek(fd, -5, 1));
  host.write(fd, buffer, put(buffer, "W"));
  report("size", host.seek(fd, 0, 2));
  report("negative", host.seek(fd, -1, 0));
  report("truncated", host.ftruncate(fd, 7));
  report("closed", host.close(fd));
  report("again", host.close(fd));
  const appended = host.open(scenario, length, 0o2001, 0);
  host.seek(appended, 0, 0);
  host.write(appended, buffer, put(buffer, "!"));
  host.close(appended);
  report("stat", host.stat(scenario, length, 1, buffer));
  report("bytes", load<i64>(buffer));
  report("mode", load<i64>(buffer + 8) & 0o777);
  report("missing", host.open(buffer, put(buffer, "/no/such/file"), 0, 0));
  report("directory", host.unlink(buffer, put(buffer, "/tmp")) < 0 ? 1 : 0);
  report("not-seekable", host.seek(1, 0, 0));
  report("entries", host.readdir(buffer, put(buffer, "/proc/self/task"), buffer + 1000, 1000) > 0 ? 1 : 0);
  return 0;
}

/** Copies standard input to standard output. */
function echo(): i32 {
  let total = 0;
  for (;;) {
    const count = host.read(0, buffer, 60000);
    if (count <= 0) break;
    printBytes(buffer, count, 1);
    total += count;
  }
  hale_flush();
  return total & 0x7f;
}

function pollOne(fd: i32, events: i32, timeout: i64): i32 {
  store<i32>(scenario, fd);
  store<i16>(scenario, events as i16, 4);
  const ready = host.poll(scenario, 1, timeout);
  return ready > 0 ? load<i16>(scenario + 6) : ready;
}

function pollInput(): i32 {
  report("nothing", pollOne(0, 1, 30000000));
  print("ready\n");
  report("something", pollOne(0, 1, -1));
  report("read", host.read(0, buffer, 3));
  printBytes(buffer, 3, 1);
  print("\n");
  report("rest", host.read(0, buffer, 100));
  report("end", host.read(0, buffer, 100));
  return 0;
}

/** One child: output, exit status, signals, programs that do not exist. */
function child(): i32 {
  host.pipe(scenario);
  const readEnd = load<i32>(scenario);
  const writeEnd = load<i32>(scenario + 4);
  const pid = host.spawn(buffer, command("sh|-c|printf out; exit 3|"), -1, writeEnd, 2);
  host.close(writeEnd);
  report("started", i64(pid > 0));
  report("waited", i64(host.wait(pid, 0, scenario) == pid));
  report("status", load<i32>(scenario));
  const count = host.read(readEnd, buffer, 100);
  printBytes(buffer, count, 1);
  print("\n");
  report("end", host.read(readEnd, buffer, 100));
  report("twice", host.wait(pid, 0, scenario));
  const killed = host.spawn(buffer, command("sleep|30|"), -1, 1, 2);
  report("running", host.wait(killed, 1, scenario));
  report("kill", host.kill(-killed, 9));
  host.wait(killed, 0, scenario);
  report("signal", load<i32>(scenario));
  report("gone", host.kill(killed, 9));
  const ghost = host.spawn(buffer, command("/no/such/program|"), -1, 1, 2);
  host.wait(ghost, 0, scenario);
  report("ghost", load<i32>(scenario));
  return 0;
}

/** Two children in a pipeline, and a child whose output is larger than a pipe. */
function children(): i32 {
  host.pipe(scenario);
  const middleRead = load<i32>(scenario);
  const middleWrite = load<i32>(scenario + 4);
  host.pipe(scenario);
  const endRead = load<i32>(scenario);
  const endWrite = load<i32>(scenario + 4);
  const first = host.spawn(buffer, command("sh|-c|i=0; while [ $i -lt 30000 ]; do echo line $i; i=$((i+1)); done|"), -1, middleWrite, 2);
  const second = host.spawn(buffer, command("sh|-c|cat|"), middleRead, endWrite, 2);
  host.close(middleWrite);
  host.close(middleRead);
  host.close(endWrite);
  let total: i64 = 0;
  for (;;) {
    const count = host.read(endRead, buffer, 65536);
    if (count <= 0) break;
    total += count;
  }
  report("bytes", total);
  host.wait(first, 0, scenario);
  host.wait(second, 0, scenario);
  report("status", load<i32>(scenario));
  return 0;
}

/** Writes to a child and reads back, in both blocking manners. */
function filter(): i32 {
  host.pipe(scenario);
  const inRead = load<i32>(scenario);
  const inWrite = load<i32>(scenario + 4);
  host.pipe(scenario);
  const outRead = load<i32>(scenario);
  const outWrite = load<i32>(scenario + 4);
  const pid = host.spawn(buffer, command("tr|a-z|A-Z|"), inRead, outWrite, 2);
  host.close(inRead);
  host.close(outWrite);
  host.setNonblocking(outRead, 1);
  report("empty", host.read(outRead, buffer, 100));
  report("timeout", pollOne(outRead, 1, 10000000));
  report("written", host.write(inWrite, buffer, put(buffer, "shout")));
  host.close(inWrite);
  report("ready", pollOne(outRead, 1, -1) & 1);
  const count = host.read(outRead, buffer, 100);
  printBytes(buffer, count, 1);
  print("\n");
  host.wait(pid, 0, scenario);
  report("end", host.read(outRead, buffer, 100));
  const deaf = host.spawn(buffer, command("true|"), -1, 1, 2);
  host.wait(deaf, 0, scenario);
  return 0;
}

function sleep(): i32 {
  const before = host.clock(1);
  host.sleep(50000000);
  const passed = host.clock(1) - before;
  report("slept", i64(passed >= 50000000 && passed < 5000000000));
  return 0;
}

/** Sleeps until a signal comes. */
function signal(): i32 {
  const flag = scenario + 32;
  store<i32>(flag, 0);
  host.watchSignals(flag);
  print("watching\n");
  const before = host.clock(1);
  host.sleep(20000000000);
  report("signal", load<i32>(flag));
  report("early", i64(host.clock(1) - before < 15000000000));
  print("again\n");
  host.sleep(20000000000);
  return 0;
}

/** Looks at the flag without a host call in between: needs a shared memory. */
function spin(): i32 {
  const flag = scenario + 32;
  host.watchSignals(flag);
  print("watching\n");
  while (atomic.load<i32>(flag) == 0) {}
  report("signal", load<i32>(flag));
  return 0;
}

function clocks(): i32 {
  const wall = host.clock(0);
  const length = host.arg(2, scenario, 64);
  let expected: i64 = 0;
  for (let i = 0; i < length; i++) expected = expected * 10 + load<u8>(scenario + i) - 48;
  const difference = wall / 1000000 - expected;
  report("wall", i64(difference >= -1000 && difference < 60000));
  let last = host.clock(1);
  let forward = true;
  for (let i = 0; i < 1000; i++) {
    const now = host.clock(1);
    forward = forward && now >= last;
    last = now;
  }
  report("forward", i64(forward));
  return 0;
}

function brokenPipe(): i32 {
  host.pipe(scenario);
  host.close(load<i32>(scenario));
  report("pipe", host.write(load<i32>(scenario + 4), buffer, 10));
  const count = host.read(0, buffer, 1);
  host.write(2, buffer, put(buffer, "x"));
  return count == 1 && host.write(1, buffer, 1) == -32 ? 5 : 6;
}

function tcp(): i32 {
  const listener = host.socket(2, 1);
  host.bind(listener, buffer, put(buffer, "127.0.0.1:0"));
  report("listen", host.listen(listener, 8));
  const length = host.socketName(listener, 0, scenario, 64);
  const client = host.socket(2, 1);
  report("connect", host.connect(client, scenario, length));
  const served = host.accept(listener, buffer, 64);
  report("accepted", i64(served > 0 && load<u8>(buffer) == 49));
  report("sent", host.write(client, buffer, put(buffer, "ping")));
  report("received", host.read(served, buffer, 100));
  host.shutdown(client, 1);
  report("end", host.read(served, buffer, 100));
  host.setNonblocking(client, 1);
  report("empty", host.read(client, buffer, 100));
  host.setNonblocking(client, 0);
  host.socketOption(client, 3, 20);
  report("timeout", host.read(client, buffer, 100));
  host.close(served);
  host.socketOption(client, 3, 0);
  report("closed", host.read(client, buffer, 100));
  host.close(client);
  host.close(listener);
  const refused = host.socket(2, 1);
  report("refused", host.connect(refused, scenario, length));
  report("bad-address", host.connect(host.socket(2, 1), buffer, put(buffer, "nowhere")));
  report("resolved", i64(host.resolve(buffer, put(buffer, "localhost"), buffer + 100, 500) > 0));
  return 0;
}

function udp(): i32 {
  const server = host.socket(2, 2);
  report("bind", host.bind(server, buffer, put(buffer, "127.0.0.1:0")));
  const length = host.socketName(server, 0, scenario, 64);
  const client = host.socket(2, 2);
  report("sent", host.sendTo(client, buffer, put(buffer, "datagram"), scenario, length));
  report("received", host.receiveFrom(server, buffer, 100, buffer + 1000, 64));
  printBytes(buffer, 8, 1);
  printBytes(buffer + 1000, 10, 1);
  print("\n");
  return 0;
}

// -- threads

const counter: usize = memory.data(8, 8);
const finished: usize = memory.data(4, 4);
let ownGlobal: i32 = 1;

export function hale_thread(argument: i32): void {
  thread_attach();
  if (argument < 0) panic(2);
  ownGlobal += argument;
  for (let i = 0; i < 10000; i++) {
    atomic.add<i64>(counter, 1);
    alloc(16 + (i & 63));
  }
  text_begin();
  textWords("thread ");
  text_int(ownGlobal);
  textByte(10);
  text_print(1);
  atomic.add<i32>(finished, 1);
  host.futexWake(finished, 10);
  thread_detach();
}

function threads(): i32 {
  thread_announce();
  for (let i = 1; i <= 3; i++) host.threadStart(i * 10);
  for (;;) {
    const done = atomic.load<i32>(finished);
    if (done == 3) break;
    host.futexWait(finished, done, -1);
  }
  report("counter", load<i64>(counter));
  report("own", ownGlobal);
  report("timeout", host.futexWait(finished, 3, 5000000));
  report("unequal", host.futexWait(finished, 2, -1));
  return 0;
}

function threadPanic(): i32 {
  thread_announce();
  host.threadStart(-1);
  host.sleep(20000000000);
  return 0;
}

/** Host calls after the memory has grown see the new memory. */
function grow(): i32 {
  const cell = alloc(50000000);
  const length = put(cell + 49999000, "grown\n");
  printBytes(cell + 49999000, length, 1);
  return 0;
}
