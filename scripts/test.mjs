// Runs the whole suite. The last line of output is the count, alone on its line: `N passed, N failed` (`, N skipped` when any were).
// Arguments go to vitest: `npm test -- tests/unit/cli`, `npm test -- --coverage`.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const vitest = path.join(root, "node_modules", "vitest", "vitest.mjs");

const scratch = mkdtempSync(path.join(tmpdir(), "hale-suite-"));
const report = path.join(scratch, "report.json");
const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
const { status } = spawnSync(process.execPath, [vitest, "run", ...reporters, ...process.argv.slice(2)], {
  cwd: root,
  stdio: "inherit",
});
const counts = countResults(report, status);
rmSync(scratch, { recursive: true, force: true });

console.log(
  `${counts.passed} passed, ${counts.failed} failed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ""}`,
);
process.exitCode = counts.failed > 0 || status !== 0 ? 1 : 0;

/** Reads vitest's JSON report. A file that could not be loaded counts as one failure, and so does a run that failed outside any test. */
function countResults(file, status) {
  let results;
  try {
    results = JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
  const unloaded = results.testResults.filter(
    (suite) => suite.status === "failed" && suite.assertionResults.length === 0,
  ).length;
  const failed = results.numFailedTests + unloaded;
  return {
    passed: results.numPassedTests,
    failed: failed === 0 && status !== 0 ? 1 : failed,
    skipped: results.numPendingTests + results.numTodoTests,
  };
}
