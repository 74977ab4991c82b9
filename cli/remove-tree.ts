import { spawnSync } from "node:child_process";
import { chmodSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { errorCode } from "./output.ts";

/**
 * Removes a directory with all that is in it, also where a program has taken permissions away or nested deeper than a path can be
 * long. Never follows a symbolic link. Returns whether it is gone.
 */
export function removeTree(directory: string): boolean {
  if (tryRemove(directory)) return true;
  openUp(directory);
  if (tryRemove(directory)) return true;
  // rm(1) walks with directory descriptors, so that no path grows too long for it.
  spawnSync("rm", ["-rf", "--", directory], { stdio: "ignore" });
  return tryRemove(directory);
}

function tryRemove(directory: string): boolean {
  try {
    rmSync(directory, { recursive: true, force: true, maxRetries: 3, retryDelay: 20 });
    return true;
  } catch (error) {
    return errorCode(error) === "ENOENT";
  }
}

/** Gives the owner every permission on the directories below, top down. What resists is left for the removal to report. */
function openUp(directory: string): void {
  const open = [directory];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    try {
      chmodSync(next, 0o700);
      for (const entry of readdirSync(next, { withFileTypes: true })) {
        if (entry.isDirectory()) open.push(path.join(next, entry.name));
      }
    } catch {}
  }
}
