// Files, descriptors, processes, sockets and secrets against the real thing (reference 10, 10-b2).
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { spawn, spawnSync } from "node:child_process";
import { createServer, connect } from "node:net";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { World, ended, freePort, portOf, printed, sleep } from "./support.ts";

const world = new World();
afterAll(() => world.remove());

const lines = (...each: string[]): string => `${each.join("\n")}\n`;
const passes = (...each: string[]) => ({ status: 0, stdout: lines(...each), stderr: "" });
const place = (name: string): string => path.join(world.root, name);
const isRoot = process.getuid?.() === 0;

describe.each(["native", "wasm"] as const)("%s", (target) => {
  let system: string;
  beforeAll(async () => {
    system = await world.program("system", target);
  });

  describe("descriptors", () => {
    test("ten thousand at once, each of use, none left", async () => {
      const limit = spawnSync("sh", ["-c", "ulimit -n"], { encoding: "utf8" }).stdout.trim();
      const wanted = limit === "unlimited" ? 10_000 : Math.min(10_000, Number(limit) - 100);
      expect(await world.run(system, ["descriptors", `${wanted}`])).toEqual(passes(`${wanted}`, `${wanted}`, "0"));
    });

    test("beyond the limit an open fails, with its errno; the others go on", async () => {
      const outcome = await world.shell('ulimit -n 100; exec "$@"', [system, "descriptors", "1000"]);
      const [error, opened, used, left] = outcome.stdout.split("\n");
      expect({ ...outcome, stdout: [error, left] }).toEqual({ status: 0, stdout: ["io 24", "0"], stderr: "" });
      expect(Number(opened)).toBeGreaterThan(40);
      expect(used).toBe(opened);
    });

    test("five hundred connections at once", async () => {
      const port = await freePort();
      expect(await world.run(system, ["connections", "500", `${port}`])).toEqual(passes("1000 0"));
    });
  });

  describe("files", () => {
    test("names of any bytes (10 1.4.5, 10 2.1)", async () => {
      mkdirSync(place(`${target}-names`));
      const wanted = passes("12 12", "name_too_long 36", "not_found 2", "false");
      expect(await world.run(system, ["names", place(`${target}-names`)])).toEqual(wanted);
    });

    test("a file at its size limit: what fits is there, the rest is an error, the program goes on (10 1.3.1)", async () => {
      const outcome = await world.shell('ulimit -f 8; exec "$@"', [
        system,
        "full",
        place(`${target}-limited`),
        "100000",
      ]);
      const fits = statSync(place(`${target}-limited`)).size;
      const [first, size, ...rest] = outcome.stdout.split("\n");
      expect(outcome).toMatchObject({ status: 0, stderr: "" });
      expect([first, ...rest]).toEqual(["io 27 true", "io 27", "io 27", "short", ""]);
      expect([4096, 8192]).toContain(Number(size));
      expect(fits).toBe("short".length);
    });

    test("a full file system", async (context) => {
      const disk = place(`${target}-disk`);
      mkdirSync(disk);
      const mounted = isRoot && spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", disk]).status === 0;
      if (!mounted) context.skip();
      try {
        const wanted = passes("no_space 28 true", "65536", "no_space 28", "no_space 28", "short");
        expect(await world.run(system, ["full", path.join(disk, "file"), "100000"])).toEqual(wanted);
        const log = path.join(disk, "log");
        expect(await world.run(system, ["logged", log, "10"])).toEqual(passes(" 0 false"));
        expect(await world.run(system, ["logged", log, "700"])).toEqual(passes("no_space 28 true"));
      } finally {
        spawnSync("umount", [disk]);
      }
    });

    test.skipIf(!isRoot || target === "wasm")("somebody without rights (10 2.1)", async () => {
      const dir = place("permissions");
      mkdirSync(path.join(dir, "locked"), { recursive: true });
      mkdirSync(path.join(dir, "blind"));
      for (const name of ["closed", "read", "locked/file", "blind/file"]) writeFileSync(path.join(dir, name), "text");
      const listener = createServer().listen(path.join(dir, "socket"));
      await new Promise((resolve) => listener.once("listening", resolve));
      for (const [name, mode] of [
        ["closed", 0],
        ["read", 0o444],
        ["locked", 0o555],
        ["blind", 0],
        ["socket", 0],
        [".", 0o755],
        ["..", 0o755],
      ] as const) {
        chmodSync(path.join(dir, name), mode);
      }
      const nobody = path.join(world.root, "for-nobody");
      copyFileSync(system, nobody);
      chmodSync(nobody, 0o755);
      const unprivileged = Number(readFileSync("/proc/sys/net/ipv4/ip_unprivileged_port_start", "utf8"));
      const child = spawn(nobody, ["permissions", dir], { uid: 65_534, gid: 65_534, cwd: "/" });
      const denied = (...calls: string[]) => calls.map((call) => `${call} permission_denied`);
      expect(await ended(child)).toEqual(
        passes(
          "read permission_denied 13",
          ...denied("bytes", "write", "append"),
          "text 4",
          ...denied("create", "unlink", "mkdir", "rename", "mktemp"),
          "0 [] false",
          ...denied("size", "open", "connect"),
          ...(unprivileged > 1 ? denied("listen") : []),
          ...denied("signal"),
          "run not_found",
        ),
      );
      listener.close();
    });

    test("standard input in lines and in bytes (10 4.1.1, 10 4.1.2, 10 4.1.3)", async () => {
      const wanted = ["0", "[a] 0", "[] 0", "[ b<CR>c] 0", "[] 0", "[last<CR>] 0", "[] -1", "[] -1"];
      const input = "a\r\n\n b\rc\r\n\r\nlast\r";
      expect(await world.run(system, ["input", "lines"], { input })).toEqual(passes(...wanted));
      writeFileSync(place("input"), input);
      expect(await world.shell('exec "$1" input lines < "$2"', [system, place("input")])).toEqual(passes(...wanted));
      const pieces = world.start(system, ["input", "lines"]);
      const outcome = ended(pieces);
      for (const piece of ["a\r", "\n\n b", "\rc\r\n\r", "\nlast\r"]) {
        pieces.stdin?.write(piece);
        await sleep(15);
      }
      pieces.stdin?.end();
      expect(await outcome).toEqual(passes(...wanted));
      const bytes = await world.run(system, ["input", "bytes"], { input: "a\n\0" });
      expect(bytes).toEqual(passes("97 10 0 -2"));
    });

    test("a byte that lies in a pipe is there for the first look (10 4.1)", async () => {
      // The shell keeps the pipe open: behind the three bytes there is nothing yet.
      const script = 'rm -f pipe; mkfifo pipe; exec 3<>pipe; printf abc >&3; exec "$1" looks <pipe';
      expect(await world.shell(script, [system])).toEqual(passes("97 98 99 -1 "));
    });

    test("a reader of standard output that is slow, behind a non-blocking pipe (10 1.4.2)", async () => {
      const slow =
        'process.stdin.on("data", (d) => { process.stdout.write(d); process.stdin.pause(); setTimeout(() => process.stdin.resume(), 1); })';
      const { stdout } = await world.shell('"$1" flood | "$2" -e "$3"', [system, process.execPath, slow]);
      const wanted = Array.from({ length: 20_000 }, (_, i) => `line ${i} of a program whose reader is slow\n`);
      expect(stdout).toBe(wanted.join(""));
    });
  });

  describe("processes", () => {
    test("a hundred runs leave no descriptor; output beyond 16 MiB is dropped, and the child still ends (10 5.2.2, 10 5.2.5)", async () => {
      expect(await world.run(system, ["runs", "100"])).toEqual(passes("100 0", "16777216 end", "", "512000 512000"));
    });
  });

  test("without PATH, programs are looked for where the system has them (10 5.1.3)", async () => {
    expect(await world.shell('unset PATH; exec "$@"', [system, "runs", "1"])).toEqual(
      passes("1 0", "16777216 end", "", "512000 512000"),
    );
  });

  describe("time limits and signals", () => {
    test("waits of 20 ms are never shorter, and hardly longer (10 7.1.1, 10-b2 1.2)", async () => {
      const child = world.start(system, ["timed", `${await freePort()}`]);
      const wanted = ["sleep", "recv", "udp", "key", "connect"].map((what) => `${what} false true`);
      expect(await ended(child)).toEqual(passes(...wanted));
    });

    test("a stopped and continued program waits on as if nothing had been (10 7.1.2, 10 5.2.1)", async () => {
      const child = world.start(system, ["interrupted"]);
      const outcome = ended(child);
      await printed(child, "READY");
      for (let i = 0; i < 40 && child.exitCode === null; i++) {
        child.kill("SIGSTOP");
        await sleep(2);
        child.kill("SIGCONT");
        await sleep(8);
      }
      expect(await outcome).toEqual(passes("READY", "true", "0", "ran"));
    });

    test("the same in accept, in receives and at standard input", async () => {
      const port = await freePort();
      const child = world.start(system, ["interrupted-sockets", `${port}`]);
      const outcome = ended(child);
      const disturb = async () => {
        for (let i = 0; i < 5; i++) {
          child.kill("SIGSTOP");
          await sleep(1);
          child.kill("SIGCONT");
          await sleep(4);
        }
      };
      const first = printed(child, "first");
      await printed(child, "READY");
      await disturb();
      const socket = connect(port, "127.0.0.1");
      await disturb();
      socket.write("first");
      // Were both there at once, one receive would take both.
      await first;
      await disturb();
      socket.end("second!");
      await disturb();
      child.stdin?.end("line\n");
      expect(await outcome).toEqual(passes("READY", "first", "7", "line"));
    });
  });

  const hasScript = spawnSync("script", ["--version"]).status === 0;

  test.skipIf(!hasScript).each(["end", "panic", "exit", "assert", "key"])(
    "a terminal is raw and given back: %s (10 4.3)",
    async (how) => {
      const inside = `stty cols 91 rows 33; ${system} raw ${how}; stty -a | grep -o -- '-\\?icanon'`;
      // The key is pressed when the terminal is raw, and the input ends when it is no longer.
      const shows = (mode: string) =>
        `for i in $(seq 3000); do ! grep -qx -e "${mode}[^a-z]*" "$2" || break; sleep 0.02; done`;
      const input = how === "key" ? `(${shows("-icanon")}; printf x; ${shows("icanon")}) |` : "";
      const shown = place(`${target}-${how}`);
      await world.shell(`: > "$2"; ${input} script -qec "$1" /dev/null > "$2"`, [inside, shown]);
      const stdout = readFileSync(shown, "latin1");
      const lines = stdout.replaceAll("\r", "").split("\n");
      expect(lines.slice(0, 2)).toEqual(["true false 91x33", "-icanon"]);
      if (how === "key") expect(lines[2]).toBe("120");
      expect(lines.slice(-2)).toEqual(["icanon", ""]);
    },
  );

  test("every call with numbers and texts at their limits answers, and the same on both targets (10 3.1.1, 10 5.1.1, 10 5.1.2, 10 5.1.4, 10-b2 1.1.1, 10-b2 1.1.3, 10-b2 1.1.4, 10-b2 2.1.4)", async () => {
    const boundaries = await world.program("boundaries", target);
    const cwd = place(`${target}-boundaries`);
    mkdirSync(cwd);
    const { status, stdout, stderr } = await world.shell('exec "$@" < /dev/null', [boundaries, `${await freePort()}`], {
      cwd,
    });
    const wanted = readFileSync(new URL("programs/boundaries.out", import.meta.url), "latin1");
    expect(stdout).toBe(wanted);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  describe("peers", () => {
    test("one that has closed its sending side still hears; one that is gone is noticed (10 1.4.1, 10-b2 1.1.6, 10-b2 2.1.3)", async () => {
      const heard: string[] = [];
      const server = createServer({ allowHalfOpen: true }, (socket) => {
        socket.end("bye");
        socket.once("data", (chunk) => {
          heard.push(chunk.toString());
          setTimeout(() => socket.destroy(), 20);
        });
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const outcome = await world.run(system, ["half-open", `${portOf(server.address())}`]);
      expect(outcome).toEqual(passes("[bye]", "[]", "[]", "true"));
      expect(heard[0]).toMatch(/^still here/);
      server.close();
    });

    test("one that reads nothing: a send with a time limit ends (10-b2 1)", async () => {
      const server = createServer((socket) => socket.pause().on("error", () => undefined));
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      expect(await world.run(system, ["stuck", `${portOf(server.address())}`])).toEqual(passes("would_block"));
      server.close();
    });
  });
});

test("the kernel's time stamps (10-b2 1)", async () => {
  const system = await world.program("system");
  expect(await world.run(system, ["stamps", `${await freePort()}`])).toEqual(passes("1 0 true", "true true"));
});

describe("secrets (10 12)", () => {
  let system: string;
  beforeAll(async () => {
    system = await world.program("system");
  });
  const TOKEN = "the-secret-that-nobody-may-see";
  const env = { TOKEN };
  const mode = (file: string) => (statSync(file).mode & 0o7777).toString(8);
  const directory = (name: string, permissions: number) => {
    mkdirSync(place(name));
    chmodSync(place(name), permissions);
    return place(name);
  };
  const asked = (file: string) => world.run(system, ["private", file], { env });

  test.each(["000", "022", "077", "277", "777"])("a private file is 0600 under umask %s (10 12.5)", async (umask) => {
    const file = path.join(directory(`private-${umask}`, 0o700), "key");
    const outcome = await world.shell(`umask ${umask}; exec "$@"`, [system, "private", file], { env });
    expect(outcome).toEqual(passes("true true"));
    expect([mode(file), readFileSync(file, "utf8")]).toEqual(["600", TOKEN]);
  });

  test.each([
    [0o755, false],
    [0o701, false],
    [0o704, false],
    [0o702, false],
    [0o770, false],
    [0o720, false],
    [0o750, true],
    [0o700, true],
    [0o1700, true],
  ])("a directory of mode %o: %s", async (permissions, taken) => {
    const own = directory(`mode-${permissions}`, permissions);
    expect(await asked(path.join(own, "key"))).toEqual(passes(`true ${taken}`));
    expect(readdirSync(own)).toEqual(taken ? ["key"] : []);
  });

  test("what exists is refused: a file, a symlink, one that leads nowhere; so are a missing directory and no name", async () => {
    const own = directory("taken", 0o700);
    const aim = place("aim");
    writeFileSync(path.join(own, "file"), "old");
    writeFileSync(aim, "old");
    symlinkSync(aim, path.join(own, "link"));
    symlinkSync(place("nowhere"), path.join(own, "dangling"));
    for (const name of ["file", "link", "dangling", "no/key", "", ".", ".."]) {
      expect(await asked(`${own}/${name}`), name).toEqual(passes("true false"));
    }
    expect([readFileSync(path.join(own, "file"), "utf8"), readFileSync(aim, "utf8")]).toEqual(["old", "old"]);
    expect(existsSync(place("nowhere"))).toBe(false);
    expect(await world.run(system, ["private", path.join(own, "new")])).toEqual(passes("false false"));
  });

  test("a full disk leaves no part of a secret", async () => {
    const own = directory("no-room", 0o700);
    const outcome = await world.shell('ulimit -f 0; exec "$@"', [system, "private", path.join(own, "key")], { env });
    expect(outcome).toEqual(passes("true false"));
    expect(readdirSync(own)).toEqual([]);
  });

  test("a git work tree is refused, however the path leads there", async () => {
    const tree = directory("tree", 0o700);
    mkdirSync(path.join(tree, ".git"));
    mkdirSync(path.join(tree, "deep", "keys"), { recursive: true, mode: 0o700 });
    const deep = path.join(tree, "deep", "keys");
    symlinkSync(deep, place("to-the-tree"));
    const outside = directory("outside", 0o700);
    mkdirSync(path.join(outside, "in"), { mode: 0o700 });
    for (const way of [deep, place("to-the-tree"), `${outside}/../tree/deep/keys`, tree]) {
      expect(await asked(`${way}/key`), way).toEqual(passes("true false"));
    }
    expect(await asked(`${deep}/../../../outside/in/key`)).toEqual(passes("true true"));
    expect(readdirSync(deep)).toEqual([]);
  });

  test("a directory that is exchanged all the time: never a secret where others can read", async () => {
    const shared = directory("shared", 0o777);
    const keep = directory("keep", 0o700);
    const name = place("swapped");
    symlinkSync(keep, name);
    const child = world.start(system, ["race", name, "4000"], { env });
    const outcome = ended(child);
    await printed(child, "READY");
    for (let i = 0; child.exitCode === null && i < 100_000; i++) {
      symlinkSync(i % 2 === 0 ? shared : keep, place("next"));
      renameSync(place("next"), name);
      if (i % 50 === 0) await sleep(0);
    }
    const { status, stdout } = await outcome;
    expect(status).toBe(0);
    expect(readdirSync(shared)).toEqual([]);
    expect(Number(stdout.split("\n")[1])).toBe(readdirSync(keep).length);
  });

  test("a process that has a secret leaves no core dump", async (context) => {
    const pattern = readFileSync("/proc/sys/kernel/core_pattern", "utf8").trim();
    const mayDump = spawnSync("sh", ["-c", "ulimit -c unlimited"]).status === 0;
    if (pattern.includes("/") || pattern.startsWith("|") || !mayDump) context.skip();
    const left = async (mode: string, given: Record<string, string>) => {
      const cwd = directory(mode, 0o700);
      const child = world.start("sh", ["-c", 'ulimit -c unlimited; exec "$@"', "sh", system, mode], {
        cwd,
        env: given,
      });
      await printed(child, "READY");
      const outcome = ended(child);
      child.kill("SIGQUIT");
      expect((await outcome).status).toBe("SIGQUIT");
      const files = readdirSync(cwd);
      rmSync(cwd, { recursive: true });
      return files.length;
    };
    expect(await left("core", env)).toBe(0);
    // The same without one: the machine does write dumps.
    expect(await left("core-without", {})).toBe(1);
  });
});
