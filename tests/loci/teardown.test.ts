// How a program ends, wherever and whyever (reference 05b 5b.13 to 5b.15, 06 6.14): one program, in which one cause strikes at one place; the exact events and the status.
import { describe, expect, test } from "vitest";
import { build, run } from "./build.ts";

const PLACES = ["main", "helper", "method", "run", "handler", "birth", "dissolve", "pinned", "pool"] as const;
type Place = (typeof PLACES)[number];

/** Statements. */
const CAUSES = {
  assertion: 'std::test::assert(false, "boom");',
  exit: "std::process::exit(7);",
  panic: "out_of_range();",
  violation: "Fragile { };",
  SIGTERM: 'let killed = std::process::run("sh\\n-c\\nkill -TERM $PPID") or raise;',
} as const;
type Cause = keyof typeof CAUSES;

/** The program in which `cause` strikes at `place`. Its guards say when they drain and dissolve. */
function programWith(place: Place, cause: Cause): string {
  const isOnThread = place === "pinned" || place === "pool";
  // On another thread it strikes when the main thread sleeps: a sleep that begins later would not be cut short.
  const strike = `${isOnThread ? "std::time::sleep(2s); " : ""}${CAUSES[cause]}`;
  const at = (here: Place) => (here === place ? strike : "");
  return `
type Go { n: Int; }
locus Guard {
    params { name: String = ""; }
    drain() { println("drain ", self.name); }
    dissolve() { println("dissolve ", self.name); }
}
locus Fragile { params { n: Int = 1; } closure sound { self.n ~~ 0 within 0; epoch birth; } }
locus Watch { fn stops() -> Bool { return self.draining; } }
locus Tool { fn use() { let held = Guard { name: "method-local" }; ${at("method")} println("method over"); } }
locus Newborn {
    params { g: Guard = Guard { name: "newborn-field" }; }
    birth() { ${at("birth")} println("birth over"); }
    dissolve() { println("dissolve newborn"); }
}
locus Ender { dissolve() { ${at("dissolve")} println("ender over"); } }
locus Ear {
    bus { subscribe "go" as on_go of type Go; }
    fn on_go(g: Go) { let held = Guard { name: "handler-local" }; ${at("handler")} println("handler over"); }
    drain() { println("drain ear"); }
    dissolve() { println("dissolve ear"); }
}
locus Pinned {
    bus { subscribe "start" as on_start of type Go; }
    fn on_start(g: Go) { ${at("pinned")} ${place === "pinned" ? 'println("thread over");' : ""} }
    drain() { println("drain pinned"); }
    dissolve() { println("dissolve pinned"); }
}
locus Pooled {
    bus { subscribe "start" as on_start of type Go; }
    fn on_start(g: Go) { ${at("pool")} ${place === "pool" ? 'println("thread over");' : ""} }
    drain() { println("drain pooled"); }
    dissolve() { println("dissolve pooled"); }
}
main locus App {
    params {
        a: Guard = Guard { name: "a" };
        ear: Ear = Ear { };
        p: Pinned = Pinned { };
        q: Pooled = Pooled { };
        w: Watch = Watch { };
        z: Guard = Guard { name: "z" };
    }
    placement { p: pinned; q: cooperative(pool = work); }
    bus { publish "go" of type Go; publish "start" of type Go; }
    run() { let held = Guard { name: "run-local" }; ${at("run")} println("run over"); }
    fn send() { "go" <- Go { n: 1 }; println("sent"); }
    fn start() { ${isOnThread ? '"start" <- Go { n: 2 }; std::time::sleep(20s);' : ""} println("started"); }
    drain() { println("drain app"); }
    dissolve() { println("dissolve app"); }
}
fn out_of_range() { let xs = [1, 2]; println(xs[len("four")]); }
fn helper() { let held = Guard { name: "helper-local" }; ${at("helper")} println("helper over"); }
fn make() { let n = Newborn { }; println("made"); }
fn finish() { let e = Ender { }; let beside = Guard { name: "beside" }; println("finishing"); }
fn main() {
    let first = Guard { name: "first" };
    let app = App { };
    let second = Guard { name: "second" };
    let tool = Tool { };
    ${at("main")}
    helper();
    tool.use();
    make();
    finish();
    app.send();
    app.start();
    println("main over");
}
`;
}

const ended = (name: string) => [`drain ${name}`, `dissolve ${name}`];

/** What happens in order, with the places where a cause may strike. What another thread prints is left out. */
const COURSE: readonly (string | { readonly place: Place })[] = [
  { place: "run" },
  "run over",
  ...ended("run-local"),
  { place: "main" },
  { place: "helper" },
  "helper over",
  ...ended("helper-local"),
  { place: "method" },
  "method over",
  ...ended("method-local"),
  { place: "birth" },
  "birth over",
  "made",
  "drain newborn-field",
  "dissolve newborn",
  "dissolve newborn-field",
  "finishing",
  ...ended("beside"),
  { place: "dissolve" },
  "ender over",
  "sent",
  { place: "handler" },
  "handler over",
  ...ended("handler-local"),
  { place: "pinned" },
  { place: "pool" },
  "started",
  "main over",
];

/** What the frames that a failed assertion leaves own, the innermost first. */
const LEFT: Readonly<Record<Place, readonly string[]>> = {
  main: [],
  helper: ended("helper-local"),
  method: ended("method-local"),
  run: ended("run-local"),
  handler: ended("handler-local"),
  // One whose birth() is cut off has begun to live.
  birth: ["drain newborn-field", "dissolve newborn", "dissolve newborn-field"],
  dissolve: [],
  pinned: [],
  pool: [],
};

/** The main sequence: the pinned field is joined first, drains go from the fields to the locus, dissolves back. */
const APP_ENDS = [
  ...ended("pinned"),
  ...["a", "ear", "pooled", "z", "app"].map((name) => `drain ${name}`),
  ...["app", "a", "ear", "pooled", "z"].map((name) => `dissolve ${name}`),
];

function linesBefore(place: Place): string[] {
  const end = COURSE.findIndex((step) => typeof step !== "string" && step.place === place);
  return COURSE.slice(0, end).filter((step) => typeof step === "string");
}

function expected(place: Place, cause: Cause): { readonly lines: readonly string[]; readonly status: number } {
  const ending = [...(place === "run" && cause === "assertion" ? [] : ended("second")), ...APP_ENDS, ...ended("first")];
  switch (cause) {
    case "assertion":
      return { lines: [...linesBefore(place), "ASSERTION FAILED: boom", ...LEFT[place], ...ending], status: 1 };
    case "SIGTERM":
      return { lines: [...COURSE.filter((step) => typeof step === "string"), ...ending], status: 0 };
    case "exit":
      return { lines: linesBefore(place), status: 7 };
    case "panic":
    case "violation":
      return { lines: linesBefore(place), status: 1 };
  }
}

const SAID: Readonly<Record<Cause, string>> = {
  assertion: "",
  exit: "",
  SIGTERM: "",
  panic: "Hale panic: index 4 out of range for length 2",
  violation: "ClosureViolation: locus `Fragile` closure `sound` failed at dissolve",
};

describe.concurrent("every end of a program (05b 5b.13, 05b 5b.14, 05b 5b.15, 06 6.14)", () => {
  for (const place of PLACES) {
    for (const cause of ["assertion", "SIGTERM", "exit", "panic", "violation"] as const) {
      test(`${cause} in ${place}`, async () => {
        const { stdout, stderr, status } = await run(await build(programWith(place, cause)));
        // The assertion's details are indented; the other thread's line may stand anywhere.
        const lines = stdout
          .split("\n")
          .filter((line) => line !== "" && !line.startsWith(" ") && line !== "thread over");
        const wanted = expected(place, cause);
        expect({ lines, status }, stderr).toEqual(wanted);
        expect(stderr).toContain(SAID[cause]);
        const goesOn = (place === "pinned" || place === "pool") && (cause === "assertion" || cause === "SIGTERM");
        expect(stdout.includes("thread over")).toBe(goesOn);
      });
    }
  }
});
