#!/usr/bin/env node
// Requests a second of Hale's HTTP server beside Node's and Go's (when it is installed): one connection a request, as Hale's server has it.
//   node bench/http.mjs [--seconds N] [--connections N] [--rounds N]
// The servers take turns, so a machine that slows down slows all of them. Load and server share the machine: the load generator costs more than the servers,
// so the table also has the processor time that a server took for a request.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = join(dirname(fileURLToPath(import.meta.url)), "http");
const hale = join(here, "..", "..", "bin", "hale.js");
const argument = (name, fallback) =>
  Number(process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : fallback);
const seconds = argument("--seconds", 5);
const connections = argument("--connections", 64);
const rounds = argument("--rounds", 3);
const REQUEST = Buffer.from("GET /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
/** Clock ticks of /proc/PID/stat in a second. */
const TICKS = 100;

const scratch = mkdtempSync(join(tmpdir(), "hale-bench-http-"));
try {
  const results = new Map(commands().map(([name, command]) => [name, { command, runs: [] }]));
  for (let round = 0; round < rounds; round++) {
    for (const { command, runs } of results.values()) runs.push(await measure(command));
  }
  console.table(Object.fromEntries([...results].map(([name, { runs }]) => [name, row(runs)])));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** The servers that can be made here, each with its command line; the port is added. */
function commands() {
  const made = (out, command, args) =>
    spawnSync(command, args, { stdio: ["ignore", "ignore", "inherit"] }).status === 0 ? out : undefined;
  const ours = made(join(scratch, "hale"), "node", [
    hale,
    "build",
    "--release",
    "-o",
    join(scratch, "hale"),
    join(here, "server.hl"),
  ]);
  const go = made(join(scratch, "go"), "go", ["build", "-o", join(scratch, "go"), join(here, "server.go")]);
  return [
    ["hale", ours && [ours]],
    ["node", [process.execPath, join(here, "server.mjs")]],
    ["go", go && [go]],
  ].filter(([, command]) => command !== undefined);
}

function row(runs) {
  const middle = (field) => runs.map((run) => run[field]).sort((a, b) => a - b)[runs.length >> 1];
  const worst = (field) => Math.max(...runs.map((run) => run[field]));
  return {
    "requests/s": Math.round(middle("rate")),
    "p50 ms": middle("p50").toFixed(1),
    "p99 ms": middle("p99").toFixed(1),
    "server µs/request": Math.round(middle("cost")),
    errors: worst("errors"),
    "descriptors +": worst("descriptors"),
    "resident kB +": worst("memory"),
    "resident kB": worst("resident"),
  };
}

async function measure(command) {
  const port = await freePort();
  const server = spawn(command[0], [...command.slice(1), String(port)], { stdio: ["ignore", "pipe", "inherit"] });
  await new Promise((resolve) => server.stdout.once("data", resolve));
  try {
    await load(port, 0.5);
    const before = stateOf(server.pid);
    const { latencies, errors } = await load(port, seconds);
    const after = stateOf(server.pid);
    latencies.sort((a, b) => a - b);
    return {
      rate: latencies.length / seconds,
      p50: latencies[latencies.length >> 1],
      p99: latencies[Math.floor(latencies.length * 0.99)],
      cost: ((after.ticks - before.ticks) / TICKS / latencies.length) * 1e6,
      errors,
      descriptors: after.descriptors - before.descriptors,
      memory: after.resident - before.resident,
      resident: after.resident,
    };
  } finally {
    server.kill("SIGKILL");
    await new Promise((resolve) => server.once("close", resolve));
  }
}

/** Every connection asks once, reads to the end and is followed by the next. */
async function load(port, time) {
  const end = performance.now() + time * 1000;
  const latencies = [];
  let errors = 0;
  const one = () =>
    new Promise((resolve) => {
      const from = performance.now();
      let first;
      const socket = connect(port, "127.0.0.1", () => socket.write(REQUEST));
      socket.on("data", (chunk) => (first ??= chunk));
      socket.on("error", () => undefined);
      socket.on("close", (failed) => {
        if (failed || first?.toString("latin1", 9, 12) !== "200") errors++;
        else latencies.push(performance.now() - from);
        resolve();
      });
    });
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < end) await one();
    }),
  );
  return { latencies, errors };
}

function stateOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1].split(" ");
  return {
    ticks: Number(stat[11]) + Number(stat[12]),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    resident: Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "latin1"))[1]),
  };
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
