// Which record parameters refer to the caller's record (reference 03 15.4): those that their function, or one it hands them to, writes through, and those whose
// record may change by another way while the function runs. They are passed as an address; every other record travels as its leaves. Function values and
// interface methods take the union over what they can reach.
import type {
  FunctionType,
  InterfaceType,
  Local,
  LocusType,
  PerspectiveType,
  Place,
  RecordType,
  Type,
  TypedBlock,
  TypedCall,
  TypedExpr,
  TypedFunction,
  TypedProgram,
  TypedStmt,
} from "../semantics/index.ts";
import { visitExpr, visitStmt } from "../semantics/index.ts";
import { layoutOf } from "./layout.ts";

/** A record parameter of a function, of a function type, or of a contract's method. */
interface ParameterNode {
  written: boolean;
  /** Parameters that are written when this one is. */
  readonly implied: ParameterNode[];
}

/** A record handed to a parameter. */
interface Handover {
  readonly parameter: ParameterNode;
  readonly caller: TypedFunction;
  /** The caller's variable that the record is (part of); undefined when it lies in memory anyway. */
  readonly root: Local | undefined;
  /** The argument is no place: it needs memory to be referred to. */
  readonly isFresh: boolean;
}

/** A place handed to a parameter before later arguments are evaluated: what these do to it, the function sees. */
interface Overtaken {
  readonly parameter: ParameterNode;
  readonly type: Type;
  readonly later: Effects;
}

/** What a function may do to records that are not its own. */
interface Effects {
  /** The records that it changes or replaces, and those in which they lie. */
  readonly written: Set<RecordType>;
  readonly callees: Set<TypedFunction>;
  /** It runs code that is not known here: a handler, a hook, a function value, a method of a contract. */
  runsAnything: boolean;
}

export class References {
  readonly #effects = new Map<TypedFunction, Effects>();
  readonly #parameters = new Map<TypedFunction | FunctionType, (ParameterNode | undefined)[]>();
  readonly #methods = new Map<InterfaceType | PerspectiveType, (ParameterNode | undefined)[][]>();
  readonly #owners = new Map<Local, { readonly fn: TypedFunction; readonly position: number }>();
  readonly #handovers: Handover[] = [];
  readonly #overtaken: Overtaken[] = [];
  readonly #converted = new Map<LocusType, Set<InterfaceType | PerspectiveType>>();
  readonly #inMemory = new Set<Local>();
  readonly #changed = new Set<Local>();
  readonly #framed = new Set<TypedFunction>();
  readonly #queue: ParameterNode[] = [];

  readonly #handlerOf: (send: TypedStmt, sender: TypedFunction) => TypedFunction | undefined;

  /**
   * @param implicit functions that run without being called by name
   * @param handlerOf the handler that a send in `sender` calls on the spot (06 6.6)
   */
  constructor(
    program: TypedProgram,
    implicit: (locus: LocusType) => readonly TypedFunction[],
    handlerOf: (send: TypedStmt, sender: TypedFunction) => TypedFunction | undefined = () => undefined,
  ) {
    this.#handlerOf = handlerOf;
    const seen = new Set<TypedFunction>();
    const add = (fn: TypedFunction) => {
      if (seen.has(fn)) return;
      seen.add(fn);
      this.#collect(fn);
    };
    if (program.entry) add(program.entry);
    for (const fn of program.functions) add(fn);
    for (const locus of program.loci) {
      for (const served of locus.serves) this.#convert(locus, served);
      for (const fn of implicit(locus)) add(fn);
    }
    this.#referWhereOthersWrite();
    this.#solve();
  }

  /** Whether parameter `position` is the address of the caller's record. */
  isReference(fn: TypedFunction, position: number): boolean {
    return this.#parameters.get(fn)?.[position]?.written === true;
  }

  /** The same for a call through a function value. */
  isIndirectReference(type: FunctionType, position: number): boolean {
    return this.#parameters.get(type)?.[position]?.written === true;
  }

  /** The same for a call through an interface or a perspective. */
  isMethodReference(contract: InterfaceType | PerspectiveType, method: number, position: number): boolean {
    return this.#methods.get(contract)?.[method]?.[position]?.written === true;
  }

  /** Whether a variable must live in memory, because its address (or that of a part) is passed on. */
  livesInMemory(local: Local): boolean {
    return this.#inMemory.has(local);
  }

  /** Whether a field of the record in this variable is assigned to, which needs no `mut` (03 12.1.5). */
  changesInPart(local: Local): boolean {
    return this.#changed.has(local);
  }

  /** Whether a part of the value in this variable may be replaced, here or where it is passed to. */
  isWrittenTo(local: Local): boolean {
    return this.#changed.has(local) || this.#inMemory.has(local);
  }

  /** Whether the function needs memory of its own for such variables, or for records that it makes for a call. */
  hasFrame(fn: TypedFunction): boolean {
    return this.#framed.has(fn);
  }

  // -- collecting

  #collect(fn: TypedFunction): void {
    for (const [position, param] of fn.params.entries()) this.#owners.set(param, { fn, position });
    if (!fn.body) return;
    const effects = noEffects();
    this.#effects.set(fn, effects);
    const expr = (node: TypedExpr): void => {
      this.#inspect(fn, node);
      noteCalls(effects, node);
      visitExpr(node, visitor);
    };
    const block = (node: TypedBlock): void => {
      for (const stmt of node.statements) {
        this.#inspectStmt(fn, stmt);
        this.#noteWrites(effects, stmt);
        visitStmt(stmt, visitor);
      }
      if (node.tail) expr(node.tail);
    };
    const visitor = { expr, block };
    block(fn.body);
  }

  #inspectStmt(caller: TypedFunction, stmt: TypedStmt): void {
    if (stmt.kind === "send") {
      const handler = this.#handlerOf(stmt, caller);
      if (handler && travelsAsLeaves(stmt.payload.type))
        this.#handOver(this.#node(handler, handler.params, 0), caller, stmt.payload);
    }
    if (stmt.kind !== "assign" && stmt.kind !== "update") return;
    const root = rootOfPlace(stmt.place);
    if (!root || stmt.place.kind === "local") return;
    this.#changed.add(root);
    const node = this.#parameterOf(root);
    if (node) this.#write(node);
  }

  #inspect(caller: TypedFunction, expr: TypedExpr): void {
    if (expr.kind === "function") this.#takeAddress(expr.function, expr.type);
    else if (expr.kind === "convert" && expr.conversion === "locus-to-interface") {
      const { type } = expr.operand;
      if (type.kind === "locus" && (expr.type.kind === "interface" || expr.type.kind === "perspective"))
        this.#convert(type, expr.type);
    } else if (expr.kind === "call") this.#inspectCall(caller, expr);
  }

  #inspectCall(caller: TypedFunction, { callee, args }: TypedCall): void {
    let later: Effects | undefined;
    for (const [position, arg] of args.entries()) {
      if (!travelsAsLeaves(arg.type)) continue;
      const parameter = this.#calledNode(callee, position);
      this.#handOver(parameter, caller, arg);
      if (!parameter || position === args.length - 1 || rootOfExpr(arg).isFresh) continue;
      later ??= effectsOf(args.slice(position + 1));
      this.#overtaken.push({ parameter, type: arg.type, later });
    }
  }

  #calledNode(callee: TypedCall["callee"], position: number): ParameterNode | undefined {
    if (callee.kind === "function" || callee.kind === "method")
      return this.#node(callee.function, callee.function.params, position);
    if (callee.kind === "indirect") return this.#typeNode(callee.type, position);
    if (callee.kind === "interface") return this.#methodNode(callee.interface, callee.method, position);
    if (callee.kind === "perspective") return this.#methodNode(callee.perspective, callee.method, position);
    return undefined;
  }

  #noteWrites(effects: Effects, stmt: TypedStmt): void {
    if (OTHERS_RUN.has(stmt.kind)) effects.runsAnything = true;
    if (stmt.kind !== "assign" && stmt.kind !== "update") return;
    const root = rootOfPlace(stmt.place);
    // Nobody else sees a variable; a parameter may be anybody's record.
    if (!root || this.#owners.has(root)) noteWrite(effects, stmt.place);
  }

  /** A record that its function reads only may be written by another way meanwhile: through a second parameter, a field of an instance, a method. */
  #referWhereOthersWrite(): void {
    const everything = new Set<RecordType>();
    for (const { written } of this.#effects.values()) for (const type of written) everything.add(type);
    const spread = (effects: Effects): boolean => {
      const { written, callees } = effects;
      const before = written.size;
      if (effects.runsAnything) for (const type of everything) written.add(type);
      for (const callee of callees) for (const type of this.#effects.get(callee)?.written ?? []) written.add(type);
      return written.size > before;
    };
    for (let isGrowing = everything.size > 0; isGrowing; ) {
      isGrowing = false;
      for (const effects of this.#effects.values()) if (spread(effects)) isGrowing = true;
    }
    for (const [fn, { written }] of this.#effects) {
      for (const [position, param] of fn.params.entries()) {
        const node = this.#node(fn, fn.params, position);
        if (node && hasPartIn(param.type, written)) this.#write(node);
      }
    }
    for (const { parameter, type, later } of this.#overtaken) {
      spread(later);
      if (hasPartIn(type, later.written)) this.#write(parameter);
    }
  }

  #handOver(parameter: ParameterNode | undefined, caller: TypedFunction, arg: TypedExpr): void {
    if (!parameter) return;
    const root = rootOfExpr(arg);
    const passedOn = root.local ? this.#parameterOf(root.local) : undefined;
    if (passedOn) this.#imply(parameter, passedOn);
    else this.#handovers.push({ parameter, caller, root: root.local, isFresh: root.isFresh });
  }

  #takeAddress(fn: TypedFunction, type: Type): void {
    if (type.kind !== "function") return;
    for (const [position, param] of fn.params.entries())
      this.#join(this.#node(fn, fn.params, position), this.#typeNode(type, position), param.type);
  }

  #convert(locus: LocusType, contract: InterfaceType | PerspectiveType): void {
    let known = this.#converted.get(locus);
    if (!known) {
      known = new Set();
      this.#converted.set(locus, known);
    }
    if (known.has(contract)) return;
    known.add(contract);
    for (const [method, signature] of contract.methods.entries()) {
      const implementation = locus.methods.get(signature.name);
      if (!implementation) continue;
      for (const [position, param] of implementation.params.entries()) {
        this.#join(
          this.#node(implementation, implementation.params, position),
          this.#methodNode(contract, method, position),
          param.type,
        );
      }
    }
  }

  // -- nodes

  #parameterOf(local: Local): ParameterNode | undefined {
    const owner = this.#owners.get(local);
    return owner ? this.#node(owner.fn, owner.fn.params, owner.position) : undefined;
  }

  #node(fn: TypedFunction, params: readonly Local[], position: number): ParameterNode | undefined {
    if (fn.foreign !== undefined || !travelsAsLeaves(params[position]?.type)) return undefined;
    return nodeAt(entry(this.#parameters, fn), position);
  }

  #typeNode(type: FunctionType, position: number): ParameterNode | undefined {
    if (!travelsAsLeaves(type.params[position])) return undefined;
    return nodeAt(entry(this.#parameters, type), position);
  }

  #methodNode(contract: InterfaceType | PerspectiveType, method: number, position: number): ParameterNode | undefined {
    if (!travelsAsLeaves(contract.methods[method]?.params[position])) return undefined;
    const methods = entry(this.#methods, contract);
    let nodes = methods[method];
    if (!nodes) {
      nodes = [];
      methods[method] = nodes;
    }
    return nodeAt(nodes, position);
  }

  // -- solving

  #join(a: ParameterNode | undefined, b: ParameterNode | undefined, type: Type): void {
    if (!travelsAsLeaves(type) || !a || !b) return;
    this.#imply(a, b);
    this.#imply(b, a);
  }

  #imply(from: ParameterNode, to: ParameterNode): void {
    from.implied.push(to);
    if (from.written) this.#write(to);
  }

  #write(node: ParameterNode): void {
    if (node.written) return;
    node.written = true;
    this.#queue.push(node);
  }

  #solve(): void {
    for (let node = this.#queue.pop(); node; node = this.#queue.pop()) {
      for (const other of node.implied) this.#write(other);
    }
    for (const { parameter, caller, root, isFresh } of this.#handovers) {
      if (!parameter.written) continue;
      if (root) this.#inMemory.add(root);
      if (root || isFresh) this.#framed.add(caller);
    }
  }
}

/** Statements at which code of others may run. */
const OTHERS_RUN: ReadonlySet<TypedStmt["kind"]> = new Set(["send", "violate", "recovery", "reperspective", "yield"]);

function noEffects(): Effects {
  return { written: new Set(), callees: new Set(), runsAnything: false };
}

/** What the evaluation of these expressions may do to any record, those in variables included. */
function effectsOf(exprs: readonly TypedExpr[]): Effects {
  const effects = noEffects();
  const expr = (node: TypedExpr): void => {
    noteCalls(effects, node);
    visitExpr(node, visitor);
  };
  const block = (node: TypedBlock): void => {
    for (const stmt of node.statements) {
      if (OTHERS_RUN.has(stmt.kind)) effects.runsAnything = true;
      if (stmt.kind === "assign" || stmt.kind === "update") noteWrite(effects, stmt.place);
      visitStmt(stmt, visitor);
    }
    if (node.tail) expr(node.tail);
  };
  const visitor = { expr, block };
  for (const each of exprs) expr(each);
  return effects;
}

/** The records that a write changes or replaces, and those in which they lie. A variable that is given another record changes none. */
function noteWrite(effects: Effects, place: Place): void {
  if (place.kind === "local") return;
  addRecordsIn(place.type, effects.written);
  for (let at: TypedExpr | undefined = place.base; at; at = "receiver" in at ? at.receiver : undefined) {
    if (at.type.kind === "record") effects.written.add(at.type);
  }
}

function noteCalls(effects: Effects, expr: TypedExpr): void {
  if (expr.kind === "locus" || expr.kind === "function" || expr.kind === "chain") effects.runsAnything = true;
  if (expr.kind !== "call") return;
  const { callee } = expr;
  if (callee.kind === "function" || callee.kind === "method") effects.callees.add(callee.function);
  else if (callee.kind !== "form") effects.runsAnything = true;
}

/** The record types of which a value of this type has parts that change with it: itself, and what lies in its fields. */
function addRecordsIn(type: Type, into: Set<RecordType>): void {
  if (type.kind !== "record" || into.has(type)) return;
  into.add(type);
  for (const field of type.fields) addRecordsIn(field.type, into);
}

function hasPartIn(type: Type, records: ReadonlySet<RecordType>): boolean {
  if (records.size === 0) return false;
  const parts = new Set<RecordType>();
  addRecordsIn(type, parts);
  for (const part of parts) if (records.has(part)) return true;
  return false;
}

/** A record without a cell of its own: the address of a boxed one is passed in any case. */
function travelsAsLeaves(type: Type | undefined): boolean {
  return type?.kind === "record" && layoutOf(type).box === undefined;
}

/** Whether the parts of a record or a tuple lie where the whole does. */
function liesInLeaves(type: Type): boolean {
  return travelsAsLeaves(type) || (type.kind === "tuple" && layoutOf(type).box === undefined);
}

/** The variable that a written place is part of, by fields and members alone; undefined when the write goes to memory anyway. */
function rootOfPlace(place: Place): Local | undefined {
  if (place.kind === "local") return place.local;
  if (place.kind === "element" || !travelsAsLeaves(place.base.type)) return undefined;
  return rootOfExpr(place.base).local;
}

/** The variable that a record is (part of) by fields and members alone, or whether it is no place at all. */
function rootOfExpr(expr: TypedExpr): { readonly local: Local | undefined; readonly isFresh: boolean } {
  let at = expr;
  for (;;) {
    if (at.kind === "local") return { local: at.local, isFresh: false };
    if (at.kind === "index") return { local: undefined, isFresh: !isPlace(at.receiver) };
    if (at.kind !== "field" && at.kind !== "element") return { local: undefined, isFresh: true };
    if (!liesInLeaves(at.receiver.type)) return { local: undefined, isFresh: !isPlace(at.receiver) };
    at = at.receiver;
  }
}

/** Whether an expression names a place: a variable, or a part of one, of an instance or of an array. */
export function isPlace(expr: TypedExpr): boolean {
  let at = expr;
  for (;;) {
    if (at.kind === "local" || at.kind === "self") return true;
    if (at.kind !== "field" && at.kind !== "index" && at.kind !== "element") return false;
    if (at.receiver.type.kind === "locus" && at.receiver.kind === "self") return true;
    at = at.receiver;
  }
}

function entry<Key, Value>(map: Map<Key, Value[]>, key: Key): Value[] {
  let list = map.get(key);
  if (!list) {
    list = [];
    map.set(key, list);
  }
  return list;
}

function nodeAt(nodes: (ParameterNode | undefined)[], position: number): ParameterNode {
  let node = nodes[position];
  if (!node) {
    node = { written: false, implied: [] };
    nodes[position] = node;
  }
  return node;
}
