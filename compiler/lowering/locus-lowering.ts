// The seam to the locus half of the lowering (compiler/lowering/loci): what expression and statement lowering ask of it.
import type {
  Local,
  LocusType,
  OrDisposition,
  TypedBlock,
  TypedCall,
  TypedChain,
  TypedExpr,
  TypedFunction,
  TypedProgram,
  TypedStmt,
} from "../semantics/index.ts";
import type { Terminal } from "./chains.ts";
import type { FunctionContext } from "./function-context.ts";
import type { FailureTarget, Hold } from "./holds.ts";
import type { ProgramContext } from "./program-context.ts";
import type { Storage } from "./storage.ts";

type Stmt<Kind extends TypedStmt["kind"]> = TypedStmt & { readonly kind: Kind };
type Expr<Kind extends TypedExpr["kind"]> = TypedExpr & { readonly kind: Kind };

/**
 * How control leaves a frame. `end`: it falls off the end of the body or gives the tail value; `return`, `terminate`, `violate`: these statements; `fail`: by `fail` or a
 * raised failure of a fallible function.
 */
export type FrameExit = "end" | "return" | "fail" | "terminate" | "violate";

/**
 * Implemented once, by `loci/index.ts`. Conventions: a "push" leaves the leaves of the value on the wasm stack and answers how they are held (holds.ts). Statements
 * leave nothing on the stack. Everything that must happen on every path out of a scope goes through `fn.addCleanup`.
 */
export interface LocusLowering {
  /** After parameters are in place, before the first statement of a body. */
  beginFrame(fn: FunctionContext): void;
  /**
   * On each way out of a frame, after the result (or payload) has been evaluated and stored in locals that the frame owns, before its locals are released. Tears down what the frame
   * owns on this path. Leaves the stack as it was.
   */
  endFrame(fn: FunctionContext, exit: FrameExit): void;
  /** Whether `endFrame` may run user code (so that a failure's payload must not wait in the result area meanwhile). */
  frameHasTeardown(fn: FunctionContext): boolean;
  /** After an expression statement (or an assignment, or `let _`): ends the instances that end with their statement. */
  endStatement(fn: FunctionContext, stmt: TypedStmt): void;

  /** A param that lies in `storage` is about to be read, perhaps before it is set. */
  checkIsSet(fn: FunctionContext, locus: LocusType, index: number, storage: Storage, span: TypedExpr["span"]): void;
  /** A locus literal: builds the instance and pushes its handle. */
  pushLiteral(fn: FunctionContext, expr: Expr<"locus">): Hold;
  /** A call whose result type is a locus, an interface or a perspective has left its (owned) result on the stack; the frame may have to take it over. */
  adoptResult(fn: FunctionContext, call: TypedCall): void;
  /** Before a return of, or a `let`, assignment or field initialiser with, a value that holds handles: nothing by default. */
  assignHandle(fn: FunctionContext, stmt: Stmt<"assign">): boolean;

  /** A method called through a perspective's slot, a form's method, a slot's `acquire` and the like. Pushes the result; failures go to `failure`. */
  pushPerspectiveCall(fn: FunctionContext, call: TypedCall, failure: FailureTarget | undefined): Hold;
  pushFormCall(fn: FunctionContext, call: TypedCall, failure: FailureTarget | undefined): Hold;
  /** The loop of a chain over a form: binds `item` to each element (a copy), then writes `round`; `break` and `continue` work in it. */
  forEachInChain(fn: FunctionContext, chain: TypedChain, round: () => void): void;
  /** `into`, `reverse_into`, `sort_into`, `group_count_into`: what a chain does with a container. */
  collectingTerminal(fn: FunctionContext, expr: Expr<"chain">): Terminal;
  pushDraining(fn: FunctionContext, expr: Expr<"draining">): Hold;
  pushChildren(fn: FunctionContext, expr: Expr<"children">): Hold;
  checkClosures(fn: FunctionContext, expr: TypedExpr): void;
  /** `sum`, `mean`, `count` of a closure's assertion: an accumulator of the instance. */
  pushAccumulator(fn: FunctionContext, expr: TypedExpr): Hold;

  /** `for x in <form or children>`: array and bounded sources do not come here. */
  forEach(fn: FunctionContext, source: TypedExpr, local: Local | undefined, body: TypedBlock): void;
  send(fn: FunctionContext, stmt: Stmt<"send">): void;
  yield(fn: FunctionContext, stmt: TypedStmt): void;
  terminate(fn: FunctionContext, stmt: TypedStmt): void;
  violate(fn: FunctionContext, stmt: Stmt<"violate">): void;
  recovery(fn: FunctionContext, stmt: Stmt<"recovery">): void;
  reperspective(fn: FunctionContext, stmt: Stmt<"reperspective">): void;
  waitDisposition(fn: FunctionContext, disposition: OrDisposition): void;

  /** Function index of `(handle: i32) -> ()`: gives one reference to an instance back; frees the cell with its fields when it was the last. */
  releaseHandleFunction(program: ProgramContext): number;
  /** One more reference to an instance: counts of instances are shared by the threads of a program that has some. */
  retainHandleFunction(program: ProgramContext): number;
  /** At the start and at the end of the program's `hale_main`, around the call of the entry. */
  beginProgram(fn: FunctionContext, entry: TypedFunction): void;
  endProgram(fn: FunctionContext, entry: TypedFunction): void;
  /** Some code runs on a thread of its own, which enters by `hale_thread`. */
  startsThreads(program: TypedProgram): boolean;
  /** Functions that run without being called by name (hooks, handlers ...) once `locus` is built: their record parameters take part in the analysis of references. */
  implicitFunctions(locus: LocusType): readonly TypedFunction[];
  /** Answers for sends that are calls (06 6.6) which handler they run: its record parameter may refer to the sender's record. */
  directHandlers(program: TypedProgram): (send: TypedStmt, sender: TypedFunction) => TypedFunction | undefined;
}
