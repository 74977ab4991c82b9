// Where one test lives: its executable, its vault and, inside the vault, its habitat (reference 12 12.3.3 and .4, 08 11.7).
import { rmdirSync } from "node:fs";
import path from "node:path";
import { errorCode } from "../output.ts";
import { createPrivateDirectory, makePrivate, makeUnique, type PrivateDirectory } from "../private-directory.ts";
import { killMarked, type ProcessInfo, presentProcesses } from "../processes.ts";
import { removeTree } from "../remove-tree.ts";

export interface Sandbox {
  /** Where the test's executable is put. */
  readonly executable: string;
  readonly vault: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The test is over: everything goes but the vault of a test that has run, when vaults are to be kept. */
  remove(hasRun: boolean): void;
}

/** The private directory of a whole run, with a sandbox for each of its tests. */
export class RunDirectory {
  readonly keepsVaults: boolean;
  /** Processes from before the run: none of its tests'. */
  readonly older = presentProcesses();
  #directory: PrivateDirectory;
  readonly #environment: Readonly<Record<string, string | undefined>>;
  /** Kept vaults lie outside of the run's directory, one directory for all of them. */
  #kept: string | undefined;
  /** Where vaults of this run have been. */
  readonly #roots: string[] = [];

  constructor(haleCommand: string) {
    this.keepsVaults = process.env["HALE_TEST_KEEP_VAULT"] === "1";
    this.#directory = this.#create();
    // However the runner ends, its tests end with it, and before their directories go.
    process.prependListener("exit", this.#endStrays);
    this.#environment = { HALE_BIN: haleCommand, ...process.env, HALE_VAULT_ADDR: undefined };
  }

  get path(): string {
    return this.#directory.path;
  }

  /** Makes the sandbox of test number `index`; `name` is what the program is called in process lists. */
  open(index: number, name: string): Sandbox {
    const own = this.#makeOwn(String(index));
    const vault = makePrivate(this.keepsVaults ? path.join(this.#keptRoot(), String(index)) : path.join(own, "vault"));
    const habitat = makePrivate(path.join(vault, "data"));
    return {
      executable: path.join(own, name),
      vault,
      env: { ...this.#environment, HALE_VAULT_DIR: vault, XDG_DATA_HOME: habitat },
      remove: (hasRun) => {
        removeTree(own);
        // Nothing has been put into it.
        if (!hasRun) removeTree(vault);
      },
    };
  }

  /** The run is over. Processes that have slipped out of their tests' sessions are ended and returned. */
  remove(): ProcessInfo[] {
    process.off("exit", this.#endStrays);
    const strays = this.#endStrays();
    this.#directory.remove();
    if (this.#kept !== undefined) removeEmpty(this.#kept);
    return strays;
  }

  readonly #endStrays = (): ProcessInfo[] => killMarked(this.#roots, this.older);

  /** A test may have removed the run's directory: the others get a new one. */
  #makeOwn(name: string): string {
    try {
      return makePrivate(path.join(this.path, name));
    } catch (error) {
      if (errorCode(error) !== "ENOENT") throw error;
      this.#directory.remove();
      this.#directory = this.#create();
      return makePrivate(path.join(this.path, name));
    }
  }

  #create(): PrivateDirectory {
    const directory = createPrivateDirectory("test");
    this.#roots.push(directory.path);
    return directory;
  }

  #keptRoot(): string {
    if (this.#kept === undefined) {
      this.#kept = makeUnique(`hale-vault-${process.pid}-`);
      this.#roots.push(this.#kept);
    }
    return this.#kept;
  }
}

/** Removes the place of kept vaults when there are none. */
function removeEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch {}
}
