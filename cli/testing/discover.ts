import { type Discovery, findFiles } from "../source-files.ts";

/**
 * The tests below `targets` (none: the current directory) whose path, as reported, contains `filter` (reference 08 11.1 and .2, 12
 * 12.3.1).
 */
export function discoverTests(targets: readonly string[], filter = ""): Discovery {
  const { files, problems } = findFiles(targets.length > 0 ? targets : [""], {
    file: (name) => name.endsWith("_test.hl"),
    skipped: ["vendor", "node_modules"],
  });
  return { files: files.filter(({ shown }) => shown.includes(filter)), problems };
}
