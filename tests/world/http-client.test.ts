// The HTTP client against a server of another process's making: right answers, odd ones and broken ones (reference 10-b2 section 6).
import { createServer as createHttpServer } from "node:http";
import { type Server, type Socket, createServer } from "node:net";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { World, portOf, sleep } from "./support.ts";

const world = new World();
afterAll(() => world.remove());

const fuzzRuns = Number(process.env["HALE_FUZZ_HTTP"] ?? 100);

type Step = string | Uint8Array | number | "reset";

/** What the peer says on a connection after a request, by path: pieces to send, pauses in milliseconds; then it closes. */
interface Peer {
  readonly url: string;
  /** Heads of the requests, and how many connections there were. */
  readonly requests: string[];
  connections: number;
  close(): void;
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(portOf(server.address()))));
}

async function peer(answers: Readonly<Record<string, readonly Step[]>>, keepsOpen = false): Promise<Peer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    self.connections++;
    let text = "";
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      const end = text.indexOf("\r\n\r\n");
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (end < 0 || text.length < end + 4 + length) return;
      const head = text.slice(0, end);
      text = text.slice(end + 4 + length);
      self.requests.push(head);
      void say(socket, answers[head.split(" ")[1] ?? ""] ?? []);
    });
  });
  const say = async (socket: Socket, steps: readonly Step[]) => {
    for (const step of steps) {
      if (typeof step === "number") await sleep(step);
      else if (step === "reset") socket.resetAndDestroy();
      else if (socket.writable) socket.write(step);
    }
    if (!keepsOpen) socket.end();
  };
  const port = await listen(server);
  const self: Peer = {
    url: `http://127.0.0.1:${port}`,
    requests: [],
    connections: 0,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
  return self;
}

/** Asks for each path (GET, or `METHOD path`) and gives the lines that the program prints. */
async function lines(client: string, mode: string, { url }: Peer, ...paths: string[]): Promise<string[]> {
  const words = paths.flatMap((each) => {
    const [method, path] = each.includes(" ") ? each.split(" ") : ["GET", each];
    return [method ?? "", `${url}${path}`, ""];
  });
  const { status, stdout, stderr } = await world.run(client, [mode, ...words]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout.split("\n").slice(0, -1);
}

const line = (status: number, body: string, note = "") =>
  `${status} ${body.length} ${crc32(body)} [${body.slice(0, 20)}] ${note}`.replaceAll("\r\n", "\n");
const UNPARSEABLE = "bad_response 0 [unparseable response]";

describe.each(["native", "wasm"] as const)("%s", (target) => {
  let client: string;
  beforeAll(async () => {
    client = await world.program("client", target);
  });
  const asked = (mode: string, there: Peer, ...paths: string[]) => lines(client, mode, there, ...paths);

  test("whole answers, however they come (10-b2 6.2.1, 10-b2 6.2.3, 10-b2 6.2.4)", async () => {
    const large = "0123456789abcdef".repeat(500_000);
    const chunks = (size: number) => `${size.toString(16)}\r\n${"z".repeat(size)}\r\n`;
    const there = await peer({
      "/length": ["HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Note: n\r\n\r\nhello"],
      "/bytes": [..."HTTP/1.1 203 Y\r\nContent-Length: 2\r\n\r\nab"],
      "/close": ["HTTP/1.0 200 OK\r\n\r\n", 5, "until ", 5, "the end"],
      "/large": [`HTTP/1.1 200 OK\r\nContent-Length: ${large.length}\r\n\r\n`, large],
      "/chunks": [
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        ...`${chunks(3)}A;x="y"\r\n0123456789\r\n0\r\nT: t\r\n\r\n`,
      ],
      "/many": [
        "HTTP/1.1 200 OK\r\nTRANSFER-ENCODING: Chunked\r\n\r\n",
        chunks(1).repeat(30_000),
        `${chunks(70_000)}0\r\n\r\n`,
      ],
      "/redirect": ["HTTP/1.1 302 Found\r\nLocation: /length\r\nX-Note: /length\r\nContent-Length: 0\r\n\r\n"],
      "/teapot": ["HTTP/1.1 418 Teapot\r\nContent-Length: 3\r\n\r\ntea"],
      "/error": ["HTTP/1.1 503 No\r\n\r\nbusy"],
      "/204": ["HTTP/1.1 204 No Content\r\nContent-Length: 9\r\n\r\n"],
      "/head": ["HTTP/1.1 200 OK\r\nContent-Length: 12345\r\n\r\n"],
      "/slow": ["HTTP/1.1 200", 60, " OK\r\nContent-Length: 4\r", 60, "\n\r\nsl", 60, "ow"],
    });
    const paths = [
      "/length",
      "/bytes",
      "/close",
      "/large",
      "/chunks",
      "/many",
      "/redirect",
      "/teapot",
      "/error",
      "/204",
      "HEAD /head",
      "/slow",
    ];
    expect(await asked("once", there, ...paths)).toEqual([
      line(200, "hello", "n"),
      line(203, "ab"),
      line(200, "until the end"),
      line(200, large),
      line(200, "zzz0123456789"),
      line(200, "z".repeat(100_000)),
      line(302, "", "/length"),
      line(418, "tea"),
      line(503, "busy"),
      line(204, ""),
      line(200, ""),
      line(200, "slow"),
    ]);
    expect(there.requests[0]).toBe(
      `GET /length HTTP/1.1\r\nHost: ${there.url.slice(7)}\r\nUser-Agent: hale-std-http/0.11\r\nContent-Length: 0\r\nConnection: close`,
    );
    there.close();
  });

  test("broken answers are errors (10-b2 6.3)", async () => {
    const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    const answers: Record<string, readonly Step[]> = {
      "/nothing": [],
      "/garbage": ["SSH-2.0-OpenSSH_9\r\n", 2_000],
      "/half-head": ["HTTP/1.1 200 OK\r\nA: b\r\n"],
      "/status": ["HTTP/1.1 2x0 OK\r\n\r\n"],
      "/short": ["HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"],
      "/reset": ["HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", 20, "reset"],
      "/chunk-size": [`${chunked}zz\r\n`],
      "/chunk-negative": [`${chunked}-5\r\nhello\r\n0\r\n\r\n`],
      "/chunk-huge": [`${chunked}FFFFFFFFFFFFFFFFF\r\nhello`],
      "/chunk-end": [`${chunked}5\r\nhelloXX0\r\n\r\n`],
      "/chunk-missing": [`${chunked}5\r\nhello\r\n`],
      "/chunk-trailer": [`${chunked}5\r\nhello\r\n0\r\n`],
    };
    const there = await peer(answers);
    expect(await asked("once", there, ...Object.keys(answers))).toEqual(Object.keys(answers).map(() => UNPARSEABLE));
    there.close();
    const gone = there.url.slice(7);
    expect(await asked("once", there, "/")).toEqual([`connect_failed 0 [${gone} connection_refused]`]);
  });

  test("an answer beyond max_body is cut off without notice (10-b2 6.2.2)", async () => {
    const there = await peer({
      "/": [`HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n\r\n`, Buffer.alloc(10_000_000, "q")],
    });
    const size = 9_000_000 - "HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n\r\n".length;
    for (const mode of ["patient", "keep"])
      expect(await asked(mode, there, "/")).toEqual([line(200, "q".repeat(size))]);
    there.close();
  });

  test("one connection for many requests; a dead, a closing and an overlong one is replaced (10-b2 6.4.2)", async () => {
    const ok = (body: string, more = "") => `HTTP/1.1 200 OK\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;
    const there = await peer(
      {
        "/a": [ok("a")],
        "/chunks": ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n", 5, "b\r\n0\r\n", 5, "\r\n"],
        "/head": ["HTTP/1.1 200 OK\r\nContent-Length: 12345\r\n\r\n"],
        "/304": ["HTTP/1.1 304 Same\r\nContent-Length: 12345\r\n\r\n"],
        "/closing": [ok("c", "Connection: close\r\n")],
        "/dies": [ok("d"), "reset"],
        "/more": [`${ok("m")}HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nnot asked`],
      },
      true,
    );
    const paths = ["/a", "/chunks", "HEAD /head", "/304", "/a", "/closing", "/a", "/dies", "/a", "/more", "/a"];
    expect(await asked("keep", there, ...paths)).toEqual([
      line(200, "a"),
      line(200, "b"),
      line(200, ""),
      line(304, ""),
      line(200, "a"),
      line(200, "c"),
      line(200, "a"),
      line(200, "d"),
      line(200, "a"),
      line(200, "m"),
      line(200, "a"),
    ]);
    expect(there.connections).toBe(4);
    there.close();
  });

  test("Node's http server, which chunks and keeps connections", async () => {
    let connections = 0;
    const server = createHttpServer((request, response) => {
      response.setHeader("X-Note", request.headers["connection"] ?? "");
      response.write(`${request.method} `);
      response.end(request.url);
    }).on("connection", () => connections++);
    const url = `http://127.0.0.1:${await listen(server)}`;
    const there: Peer = { url, requests: [], connections: 0, close: () => server.close() };
    expect(await asked("keep", there, "/1", "/2", "HEAD /3", "DELETE /4")).toEqual([
      line(200, "GET /1", "keep-alive"),
      line(200, "GET /2", "keep-alive"),
      line(200, "", "keep-alive"),
      line(200, "DELETE /4", "keep-alive"),
    ]);
    expect(connections).toBe(1);
    expect(await asked("once", there, "/5", "POST /6")).toEqual([
      line(200, "GET /5", "close"),
      line(200, "POST /6", "close"),
    ]);
    server.closeAllConnections();
    server.close();
  });

  test(`${fuzzRuns} answers of any bytes: each is an answer or an error, none a crash or a hang (HALE_FUZZ_HTTP)`, {
    timeout: 180_000 + fuzzRuns * 100,
  }, async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "HTTP/1.1 200 OK",
        "HTTP/1.1 204 No",
        "HTTP/1.0 5",
        "HTTP/",
        "HTTP/1.1",
        " ",
        "\r\n",
        "\r\n\r\n",
        "\n",
        "\0",
      ),
      fc.constantFrom(
        "Content-Length: 5\r\n",
        "Content-Length: -5\r\n",
        "Content-Length: 99999999999999999999\r\n",
        "content-length:\t3\r\n",
      ),
      fc.constantFrom(
        "Transfer-Encoding: chunked\r\n",
        "5\r\nhello\r\n",
        "0\r\n\r\n",
        "ffffffff\r\n",
        "7fffffffffffffff\r\n",
        "0",
        ";",
        "5;a\r\n",
      ),
      fc.string({ maxLength: 12 }),
      fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
    );
    const whole = fc.array(piece, { maxLength: 14 });
    const framed = whole.map((pieces) => ["HTTP/1.1 200 OK\r\n", ...pieces]);
    const samples = fc.sample(fc.oneof(whole, framed), fuzzRuns);
    const answers = Object.fromEntries(samples.map((pieces, i) => [`/${i}`, [Buffer.from(pieces.join(""), "latin1")]]));
    const there = await peer(answers);
    for (const mode of ["once", "keep"]) {
      // The client that tries again waits in between.
      const most = mode === "keep" ? samples.length / 5 : samples.length;
      for (let from = 0; from < most; from += 100) {
        const paths = samples.slice(from, Math.min(from + 100, most)).map((_, i) => `/${from + i}`);
        const told = (await asked(mode, there, ...paths)).join("\n");
        // A body may have line feeds: what begins a line is counted.
        const begins = told.match(/^(?:\d+ \d+ \d+ \[|bad_response 0 |retries_exhausted )/gm) ?? [];
        expect(begins.length).toBeGreaterThanOrEqual(paths.length);
      }
    }
    there.close();
  });
});
