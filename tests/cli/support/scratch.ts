// A scratch world for each test of a file, around one bundle that they share.
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { bundle, Scratch } from "./harness.ts";

export const realTool = "cli/main.ts";
/** Its compiler takes scripts for programs (`fake-hale.ts`). */
export const fakeTool = "tests/cli/support/fake-hale.ts";

/** The world of the test that runs. */
export let scratch: Scratch;
/** The bundle's script, which Node can start. */
export let script: string;

/** Call it once at the top of a test file. `leavesNothing`: a test fails when a file in TMPDIR or a process is left behind it. */
export function useScratch(
  entry: string,
  options: { readonly define?: Record<string, string>; readonly leavesNothing?: boolean } = {},
): void {
  let made: Awaited<ReturnType<typeof bundle>>;
  beforeAll(async () => {
    made = await bundle(entry, options.define);
    ({ script } = made);
  });
  afterAll(() => made.remove());
  beforeEach(() => {
    scratch = new Scratch(script);
  });
  afterEach(() => {
    const left = options.leavesNothing && { files: scratch.leftFiles(), processes: scratch.leftProcesses() };
    scratch.remove();
    if (left) expect(left).toEqual({ files: [], processes: [] });
  });
}
