// Variables of a function: where they live and when their references are released.
import type { Local } from "../semantics/index.ts";
import type { FunctionContext } from "./function-context.ts";
import { layoutOf } from "./layout.ts";
import type { Storage } from "./storage.ts";
import { clearStored, popInto, releaseStored } from "./values.ts";

/** Pops an owned value into a new variable that the enclosing scope releases. */
export function declare(fn: FunctionContext, local: Local): void {
  const storage = fn.variableStorage(local);
  popInto(fn, storage, layoutOf(local.type));
  bindNew(fn, local, storage);
}

/** Gives a name to an owned value that lies in `storage`; the enclosing scope releases it. */
export function bindNew(fn: FunctionContext, local: Local, storage: Storage): void {
  const layout = layoutOf(local.type);
  fn.bind(local, storage);
  if (!layout.counted) return;
  fn.ownVariable(local, {
    emit: () => releaseStored(fn, storage, layout),
    disarm: () => clearStored(fn, storage, layout),
  });
}
