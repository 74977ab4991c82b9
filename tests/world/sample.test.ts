// A test as users write it: it spawns a server, makes a directory, asks over HTTP, fails, and leaves neither server nor directory (reference 12 12.2.3, 05b 5b.13, 10 5.4).
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Scratch, bundle } from "../cli/support/harness.ts";

let real: Awaited<ReturnType<typeof bundle>>;
let scratch: Scratch;
beforeAll(async () => {
  real = await bundle("cli/main.ts");
  scratch = new Scratch(real.script);
});
afterAll(() => {
  scratch.remove();
  real.remove();
});

const SERVER = `
locus Pages {
    params { directory: String = ""; }
    fn handle(ctx: std::http::Context) -> std::http::Response {
        let name = std::http::path_param(ctx.params, "name");
        let text = std::io::fs::read_file(self.directory + "/" + name) or { return std::http::Response { status: 404, body: err.kind }; };
        return std::http::Response { status: 200, body: text };
    }
}
fn main() {
    let port = std::str::parse_int(std::env::arg(1)) or raise;
    let routes = std::http::Router { };
    let pages = Pages { directory: std::env::arg(2) };
    routes.add("GET", "/pages/:name", pages);
    std::http::Server { port: port, handler: routes, ready_signal: "READY" };
}
`;

const TEST = (expected: string) => `
fn free_port() -> Int {
    for i in 0..300 {
        let port = 20000 + (std::process::pid() * 7 + i) % 12000;
        let fd = std::io::tcp::__listen_socket("127.0.0.1", port);
        if fd >= 0 { std::io::tcp::close_fd(fd); return port; }
    }
    return 0;
}
locus Site {
    params { directory: String = ""; port: Int = 0; server: std::process::Child = std::process::Child { }; }
    birth() {
        self.directory = std::env::var("XDG_DATA_HOME") + "/pages";
        std::io::fs::mkdir(self.directory) or raise;
        std::io::fs::write_file(self.directory + "/index", "welcome") or raise;
        let program = std::env::var("XDG_DATA_HOME") + "/server";
        let built = std::process::run(std::env::var("HALE") + "\\nbuild\\n-o\\n" + program + "\\n" + std::env::var("SITE_SOURCE")) or raise;
        std::test::assert_eq_int(built.code, 0, "the server compiles: " + built.stderr);
        self.port = free_port();
        let c = std::process::spawn(f"{program}\\n{self.port}\\n{self.directory}") or raise;
        std::process::adopt(self.server, c);
        eprintln("pid ", self.server.pid, " directory ", self.directory);
        let fd = std::io::tcp::connect_wait("127.0.0.1", self.port, 10s) or raise;
        std::io::tcp::close_fd(fd);
    }
    fn page(name: String) -> String {
        let r = std::http::get(f"http://127.0.0.1:{self.port}/pages/{name}") or { return err.kind + " " + err.detail; };
        return f"{r.status} {std::str::from_bytes(r.body)}";
    }
    dissolve() {
        std::process::run("rm\\n-r\\n" + self.directory) or { return; };
        eprintln("gone ", std::io::fs::file_exists(self.directory));
    }
}
fn main() {
    let site = Site { };
    std::test::assert_eq_str(site.page("nothing"), "404 not_found", "a page that is missing");
    std::test::assert_eq_str(site.page("index"), "${expected}", "the first page");
}
`;

test("a server is asked, an assertion fails: server and directory are gone", async () => {
  const source = scratch.write("site/server.hl", SERVER);
  scratch.write("web_test.hl", TEST("200 goodbye"));
  const outcome = await scratch.hale(["test", "web_test.hl"], {
    env: { SITE_SOURCE: source, HALE: `${process.execPath}\n${real.script}` },
  });
  expect(outcome.code).toBe(1);
  expect(outcome.stdout).toContain(
    [
      "FAIL web_test.hl",
      "     ASSERTION FAILED: the first page",
      '       expected: "200 goodbye"',
      '       actual:   "200 welcome"',
      "       (2 earlier assertion(s) passed)",
      "     (exited with code 1)",
    ].join("\n"),
  );
  const [, pid = "", directory = ""] = /pid (\d+) directory (\S+)/.exec(outcome.stdout) ?? [];
  expect(directory).toMatch(/\/pages$/);
  // Its dissolve ran in the test, and found the directory gone; the child in its field had ended before the test did.
  expect(outcome.stdout).toContain("gone false");
  expect(`${outcome.stdout}${outcome.stderr}`).not.toContain("left running");
  expect(() => readFileSync(`/proc/${pid}/cmdline`)).toThrow();
  expect(readdirSync(scratch.tmp)).toEqual([]);
  expect(scratch.leftProcesses()).toEqual([]);
});

test("the same test passes with the right expectation", async () => {
  const source = scratch.write("site/server.hl", SERVER);
  scratch.write("web_test.hl", TEST("200 welcome"));
  const outcome = await scratch.hale(["test", "web_test.hl"], {
    env: { SITE_SOURCE: source, HALE: `${process.execPath}\n${real.script}` },
  });
  expect(outcome).toMatchObject({ code: 0, stdout: "ok   web_test.hl\n\n1 passed, 0 failed\n", stderr: "" });
  expect(scratch.leftProcesses()).toEqual([]);
});

test("nothing of a secret in the report of a test that fails over it, nor in its JSON (10 12)", async () => {
  scratch.write(
    "secret_test.hl",
    `
locus Keeper {
    params { token: std::secret::Credential = std::secret::Credential { env_var: "TOKEN" }; key: std::secret::Signer = std::secret::Signer { env_var: "TOKEN" }; }
    fn check() {
        std::log::StdoutSink { };
        std::test::assert(self.token.ready() && self.key.ready(), "ready");
        let log = std::log::Logger { name: "keeper" };
        log.error_kv("refused", std::log::kv("token", self.token.fingerprint()));
        std::test::assert(self.token.matches(b"guess"), "the token");
    }
}
fn main() {
    let k = Keeper { };
    let bad = k.token.write_private("/");
    k.check();
}
`,
  );
  const token = "do-not-show-this-token";
  for (const args of [
    ["test", "--json", "secret_test.hl"],
    ["test", "--verbose", "secret_test.hl"],
  ]) {
    const { code, stdout, stderr } = await scratch.hale(args, { env: { TOKEN: token } });
    expect(code).toBe(1);
    expect(stdout).toContain("the token");
    expect(stdout + stderr).not.toContain(token);
  }
});
