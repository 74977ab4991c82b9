// The HTTP server as a process of its own, before clients that are good, slow, rude and mad (reference 10-b2 section 4).
// HALE_FUZZ_HTTP=20000 says how many malformed requests; HALE_LOAD_SECONDS=30 how long the load lasts.
import type { ChildProcess } from "node:child_process";
import { existsSync, readFileSync, readdirSync, readlinkSync } from "node:fs";
import { type IncomingHttpHeaders, Agent, request } from "node:http";
import { type Socket, connect } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { World, ended, freePort, printed, sleep } from "./support.ts";

const world = new World();
afterAll(() => world.remove());

/** Of the target that is being tested. */
let executable: string;
let port: number;
let server: ChildProcess;

async function startServer(...args: string[]): Promise<{ server: ChildProcess; port: number }> {
  const port = await freePort();
  const server = world.start(executable, [String(port), ...args]);
  await printed(server, "READY\n");
  return { server, port };
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Asked {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  readonly agent?: Agent;
}

/** As a user of Node asks. */
function ask(path: string, { method = "GET", headers = {}, body, agent }: Asked = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, method, headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks).toString() }),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Sends pieces, each after a pause, and reads until the server closes. `end`: no more is to come. */
function exchange(pieces: readonly (string | Uint8Array)[], { pause = 0, end = true } = {}): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    socket.on("data", (chunk) => {
      answer += chunk.toString("latin1");
    });
    socket.on("error", (error) => resolve(`${answer}<${"code" in error ? error.code : "error"}>`));
    socket.on("end", () => {
      socket.end();
      resolve(answer);
    });
    socket.on("connect", () => void send(socket));
    const send = async (to: Socket) => {
      for (const piece of pieces) {
        if (!to.writable) return;
        to.write(piece);
        if (pause > 0) await sleep(pause);
      }
      if (end) to.end();
    };
  });
}

const head = (status: string, length: number) =>
  `HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n`;

/** Descriptors of the server once it has closed its connections (a host does that in its own time); one that stays open fails the test. */
async function descriptors(): Promise<number> {
  await expect.poll(connections, { timeout: 60_000 }).toBe(0);
  return readdirSync(`/proc/${server.pid}/fd`).length;
}

/** Connections that the server has accepted and not closed. */
function connections(): number {
  const own = new Set<string>();
  for (const name of readdirSync(`/proc/${server.pid}/fd`)) {
    try {
      const [, inode] = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${server.pid}/fd/${name}`)) ?? [];
      if (inode !== undefined) own.add(inode);
    } catch {} // closed meanwhile
  }
  // sl, local, remote, state (0A listens), queues, timer, retransmits, uid, timeout, inode
  const sockets = ["/proc/net/tcp", "/proc/net/tcp6"]
    .flatMap((file) => (existsSync(file) ? readFileSync(file, "utf8").split("\n") : []))
    .map((line) => line.trim().split(/\s+/));
  return sockets.filter(([, , , state, , , , , , inode = ""]) => state !== "0A" && own.has(inode)).length;
}

function residentKilobytes(): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))?.[1]);
}

describe.each(["native", "wasm"] as const)("%s", (target) => {
  beforeAll(async () => {
    executable = await world.program("server", target);
    ({ server, port } = await startServer());
  });

  describe("good clients", () => {
    test("Node's client, with and without an agent that wants to keep the connection (10-b2 4.3, 10-b2 4.7)", async () => {
      const agent = new Agent({ keepAlive: true });
      for (const options of [{}, { agent }]) {
        const answer = await ask("/a?b=c", options);
        expect(answer).toMatchObject({ status: 200, body: "GET /a?b=c 0", headers: { connection: "close" } });
      }
      const posted = await ask("/echo", { method: "POST", body: "ping", headers: { "User-Agent": "Node/1" } });
      expect(posted).toMatchObject({ status: 201, body: "ping", headers: { "x-agent": "Node/1" } });
      agent.destroy();
    });

    test("a body of a mebibyte less its head, and an answer of 5 million bytes", async () => {
      const body = "b".repeat(1_048_576 - 300);
      expect((await ask("/echo", { method: "POST", body })).body).toBe(body);
      expect((await ask("/big/5000000")).body).toHaveLength(5_000_000);
    });

    test("one byte at a time (10-b2 4.5)", async () => {
      const bytes = [..."POST /slow HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"];
      expect(await exchange(bytes, { pause: 1, end: false })).toBe(`${head("200 OK", 12)}POST /slow 3`);
    });
  });

  describe("requests that are too large, or say so", () => {
    const tooLarge = `${head("413 Payload Too Large", 17)}payload too large`;

    test.each(["1048576", "2000000", "99999999999999999999999999"])("Content-Length: %s", async (length) => {
      expect(await exchange([`POST / HTTP/1.1\r\nContent-Length: ${length}\r\n\r\n`], { end: false })).toBe(tooLarge);
    });

    test("the answer arrives although the client is still sending", async () => {
      const answer = await ask("/", { method: "POST", body: Buffer.alloc(3_000_000) });
      expect(answer).toMatchObject({ status: 413, body: "payload too large" });
    });

    test("a head without an end", async () => {
      const line = `X: ${"y".repeat(996)}\r\n`;
      expect(await exchange(["GET / HTTP/1.1\r\n", line.repeat(1100)], { end: false })).toBe(tooLarge);
    });

    test.each(["12x", "-5", "", "1 2"])("Content-Length %j is no number: no body is awaited", async (length) => {
      const answer = await exchange([`GET / HTTP/1.1\r\nContent-Length: ${length}\r\n\r\n`], { end: false });
      expect(answer).toBe(`${head("200 OK", 7)}GET / 0`);
    });

    test("blanks behind the number are not part of it", async () => {
      const request = "POST / HTTP/1.1\r\nContent-Length: 3 \t\r\n\r\n";
      expect(await exchange([request, "abc"], { pause: 20, end: false })).toBe(`${head("200 OK", 8)}POST / 3`);
    });
  });

  describe("rude clients", () => {
    test("a chunked body is not read, and the large answer arrives whole all the same (10-b2 4.5)", async () => {
      const chunk = `${(60_000).toString(16)}\r\n${"c".repeat(60_000)}\r\n`;
      const request = "POST /big/3000000 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
      const answer = await exchange([request, chunk.repeat(10), "0\r\n\r\n"]);
      expect(answer.length).toBe(head("200 OK", 3_000_000).length + 3_000_000);
    });

    test("a second request on the connection is dropped, not answered", async () => {
      const answer = await exchange(["GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n"]);
      expect(answer).toBe(`${head("200 OK", 9)}GET /1 ${"GET /2 HTTP/1.1\r\n\r\n".length}`);
    });

    test("a client that closes, one that resets and one that reads nothing cost nobody else anything", async () => {
      const before = await descriptors();
      const silent = connect(port, "127.0.0.1");
      await expect.poll(connections, { timeout: 60_000 }).toBe(1);
      silent.destroy();
      for (const path of ["/a", "/big/4000000"]) {
        for (const leave of [(to: Socket) => to.destroy(), (to: Socket) => to.resetAndDestroy()]) {
          const socket = connect(port, "127.0.0.1").on("error", () => undefined);
          await new Promise((resolve) => socket.once("connect", resolve));
          socket.pause().write(`GET ${path} HTTP/1.1\r\n\r\n`);
          await sleep(5);
          leave(socket);
        }
      }
      expect((await ask("/after")).body).toBe("GET /after 0");
      expect(await descriptors()).toBe(before);
    });

    test("a slow reader gets everything", async () => {
      const socket = connect(port, "127.0.0.1");
      socket.write("GET /big/6000000 HTTP/1.1\r\n\r\n");
      let got = 0;
      await new Promise((resolve) => {
        socket.on("data", (chunk: Buffer) => {
          got += chunk.length;
          socket.pause();
          setTimeout(() => socket.resume(), 2);
        });
        socket.on("end", resolve);
      });
      expect(got).toBe(head("200 OK", 6_000_000).length + 6_000_000);
    });

    test("a client that says nothing is left after 5 seconds; without a head there is no answer", async () => {
      const from = performance.now();
      expect(await exchange(["GET / HTTP/1.1\r\nHost: x\r\n"], { end: false })).toBe("");
      const waited = performance.now() - from;
      expect(waited).toBeGreaterThanOrEqual(4_990);
      expect(waited).toBeLessThan(60_000);
    });
  });

  test("a connection without a request counts: the server ends after max_accepts, and nothing leaks (10-b2 4.4, 10-b2 4.8)", async () => {
    const own = await startServer("3");
    const outcome = ended(own.server);
    for (const text of ["", "GET /x HTTP/1.1\r\n\r\n", "\r\n\r\n"]) {
      await new Promise((resolve) => connect(own.port, "127.0.0.1").on("close", resolve).resume().end(text));
    }
    expect(await outcome).toMatchObject({ status: 0, stderr: "" });
  });

  const fuzzRuns = Number(process.env["HALE_FUZZ_HTTP"] ?? 150);

  test(`${fuzzRuns} malformed requests: each is answered or closed at once (HALE_FUZZ_HTTP)`, {
    timeout: 180_000 + fuzzRuns * 200,
  }, async () => {
    const before = { descriptors: await descriptors(), memory: residentKilobytes() };
    const piece = fc.oneof(
      fc.constantFrom(
        "GET",
        "POST",
        " ",
        "  ",
        "/",
        "/echo",
        "/big/7",
        "/big/-1",
        "/big/x",
        "HTTP/1.1",
        "HTTP/9",
        "\r\n",
        "\r",
        "\n",
        "\0",
        ":",
        "\t",
      ),
      fc.constantFrom(
        "Content-Length",
        "content-length: 5\r\n",
        "Content-Length: -1\r\n",
        "Content-Length: 9999999999999\r\n",
        "Transfer-Encoding: chunked\r\n",
      ),
      fc.constantFrom(
        "\r\n\r\n",
        "0\r\n\r\n",
        "Expect: 100-continue\r\n",
        "Connection: keep-alive\r\n",
        "%00",
        "..",
        "?a=b&&=",
        "\u00ff\u00fe",
      ),
      fc.string({ maxLength: 20 }),
      fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
      fc.integer({ min: 1, max: 20_000 }).map((length) => "A".repeat(length)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 25 }), fc.nat(3), async (pieces, cut) => {
        const whole = Buffer.from(pieces.join(""), "latin1");
        const parts =
          cut === 0 ? [whole] : [whole.subarray(0, whole.length >> cut), whole.subarray(whole.length >> cut)];
        // The server leaves a silent client after 5 seconds. A busy machine may take as long once, but not each time.
        for (let tries = 0, took = 5_000; took >= 4_000; tries++) {
          expect(tries, "waits for more").toBeLessThan(5);
          const from = performance.now();
          const answer = await exchange(parts);
          took = performance.now() - from;
          expect(answer).toMatch(/^(HTTP\/1\.1 \d{3} |$|<ECONNRESET>$|<EPIPE>$)/);
        }
      }),
      { numRuns: fuzzRuns },
    );
    expect((await ask("/alive")).body).toBe("GET /alive 0");
    expect(await descriptors()).toBe(before.descriptors);
    // Node's collector has its own time.
    if (target === "native") expect(residentKilobytes()).toBeLessThan(before.memory + 12_000);
  });

  const loadSeconds = Number(process.env["HALE_LOAD_SECONDS"] ?? 2);

  test(`${loadSeconds} s at 64 connections: no error, no growth of descriptors or memory (HALE_LOAD_SECONDS)`, {
    timeout: 180_000 + loadSeconds * 1000,
  }, async () => {
    const load = async (seconds: number) => {
      const end = Date.now() + seconds * 1000;
      const wanted = `${head("200 OK", 12)}GET /l%20d 0`;
      let good = 0;
      const bad = new Set<string>();
      await Promise.all(
        Array.from({ length: 64 }, async () => {
          while (Date.now() < end) {
            const answer = await exchange(["GET /l%20d HTTP/1.1\r\nHost: localhost\r\n\r\n"], { end: false });
            if (answer === wanted) good++;
            else bad.add(answer);
          }
        }),
      );
      expect([...bad]).toEqual([]);
      return good;
    };
    await load(0.3);
    const before = { descriptors: await descriptors(), memory: residentKilobytes() };
    expect(await load(loadSeconds)).toBeGreaterThan(64);
    expect(await descriptors()).toBe(before.descriptors);
    if (target === "native") expect(residentKilobytes()).toBeLessThan(before.memory + 2_000);
  });
});
