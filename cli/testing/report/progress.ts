import path from "node:path";
import { complain, visible } from "../../output.ts";
import type { Reporter, TestFile } from "../events.ts";

/** Time between two redraws: often enough to look alive, rarely enough to cost nothing. */
const REDRAW_MS = 100;

export interface Progress {
  readonly reporter: Reporter;
  /** Takes the line away so that something else can be written; it comes back with the next redraw. */
  hide(): void;
}

/** One line on stderr that counts and names what runs (reference 12 12.4.3). */
export function progressLine(columns: number): Progress {
  const running = new Map<number, TestFile>();
  let total = 0;
  let done = 0;
  let failed = 0;
  let shown = "";
  let timer: NodeJS.Timeout | undefined;
  const draw = (line: string): void => {
    if (line === shown) return;
    complain(`\r${line}\u001b[K`);
    shown = line;
  };
  const hide = (): void => {
    if (shown !== "") complain("\r\u001b[K");
    shown = "";
  };
  const reporter: Reporter = {
    begin(tests) {
      total = tests.length;
      timer = setInterval(() => draw(progressText({ done, failed, total }, [...running.values()], columns)), REDRAW_MS);
      timer.unref();
    },
    event(event) {
      if (event.kind === "started") {
        running.set(event.index, event.test);
        return;
      }
      running.delete(event.index);
      done++;
      if (event.result.failure) failed++;
    },
    end() {
      clearInterval(timer);
      hide();
    },
  };
  return { reporter, hide };
}

interface Counts {
  readonly done: number;
  readonly failed: number;
  readonly total: number;
}

/** Never longer than the terminal is wide, or the next redraw could not take it away. */
export function progressText({ done, failed, total }: Counts, running: readonly TestFile[], columns: number): string {
  const counts = `[${done}/${total}${failed > 0 ? `, ${failed} failed` : ""}]`;
  const names = running.map((test) => visible(path.basename(test.shown)));
  const characters = [...`${counts} ${names.join(", ")}`];
  const room = Math.max(10, columns - 1);
  return characters.length <= room ? characters.join("") : `${characters.slice(0, room - 1).join("")}…`;
}
