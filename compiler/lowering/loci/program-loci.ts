// What all functions of one lowering share about loci: facts of the whole program, shapes, descriptors.
import type {
  LocusField,
  LocusType,
  SubscriptionInfo,
  TypedFunction,
  TypedProgram,
  TypedStmt,
} from "../../semantics/index.ts";
import type { FunctionContext } from "../function-context.ts";
import type { ProgramContext } from "../program-context.ts";
import { borrowingFields } from "./borrowed.ts";
import { BusGraph, type Channel } from "./channels.ts";
import { Positions } from "./positions.ts";
import { Purity } from "./purity.ts";
import { type LocusShape, shapeOf } from "./shape.ts";
import { isThreaded } from "./threads.ts";
import { forEachStatement, membersOf, someNode } from "./walk-functions.ts";

export class ProgramLoci {
  readonly program: TypedProgram;
  readonly bus: BusGraph;
  readonly purity = new Purity();
  /** Types that some locus accepts. */
  readonly accepted: ReadonlySet<LocusType>;
  /** Types that some `release` names: flows everywhere. */
  readonly flows: ReadonlySet<LocusType>;
  /** Addresses of descriptors. */
  readonly descriptors = new Map<LocusType, number>();
  readonly channelBlocks = new Map<Channel, number>();
  #borrowing: ReadonlySet<LocusField> | undefined;
  readonly #isThreaded: boolean;
  readonly #restoredInPlace = new Set<LocusType>();
  readonly #watchers = new Set<LocusType>();
  readonly #published = new Set<Channel>();
  readonly #shapes = new Map<LocusType, LocusShape>();
  readonly #typeIds = new Map<LocusType, number>();
  readonly #positions = new WeakMap<TypedFunction, Positions>();

  constructor(program: TypedProgram) {
    this.program = program;
    this.bus = new BusGraph(program);
    this.#isThreaded = isThreaded(program);
    this.accepted = new Set(program.loci.flatMap((locus) => (locus.accepts ? [locus.accepts] : [])));
    this.flows = new Set(program.loci.flatMap((locus) => (locus.releases ? [locus.releases] : [])));
    for (const locus of program.loci) this.#collect(locus);
  }

  shapeOf(locus: LocusType): LocusShape {
    let shape = this.#shapes.get(locus);
    if (!shape) {
      shape = shapeOf(locus, {
        isAccepted: this.accepted.has(locus),
        isRestoredInPlace: this.#restoredInPlace.has(locus),
        heardBy: (subscription: SubscriptionInfo) => this.bus.heardBy(subscription, this.#published),
      });
      this.#shapes.set(locus, shape);
    }
    return shape;
  }

  /** A small number for each locus type. */
  typeId(locus: LocusType): number {
    let id = this.#typeIds.get(locus);
    if (id === undefined) {
      id = this.#typeIds.size + 1;
      this.#typeIds.set(locus, id);
    }
    return id;
  }

  positionsIn(fn: TypedFunction): Positions {
    let positions = this.#positions.get(fn);
    if (!positions) {
      positions = new Positions(fn);
      this.#positions.set(fn, positions);
    }
    return positions;
  }

  /** Its life needs none of the runtime's bookkeeping: see LEAF in runtime/guest/locus.ts. */
  isLeaf(locus: LocusType): boolean {
    const shape = this.shapeOf(locus);
    if (this.#isThreaded || this.#watchers.has(locus)) return false;
    if (locus.isMain || this.flows.has(locus) || this.accepted.has(locus) || locus.accepts) return false;
    return (
      shape.ownable.length === 0 &&
      locus.subscriptions.length === 0 &&
      locus.closures.length === 0 &&
      locus.birthChecks.length === 0
    );
  }

  /** Some body of the locus executes `terminate`. */
  mayTerminate(locus: LocusType): boolean {
    return membersOf(locus).some((member) => someNode(member, { stmt: (stmt) => stmt.kind === "terminate" }));
  }

  /** The field may hold what somebody else owns. */
  borrows(field: LocusField): boolean {
    this.#borrowing ??= borrowingFields(this.program);
    return this.#borrowing.has(field);
  }

  /** Its own code reads `draining`. */
  watchesDraining(locus: LocusType): boolean {
    return this.#watchers.has(locus);
  }

  #collect(locus: LocusType): void {
    for (const member of membersOf(locus)) {
      if (someNode(member, { expr: (expr) => expr.kind === "draining" })) this.#watchers.add(locus);
      forEachStatement(member, (stmt) => this.#note(stmt));
    }
  }

  #note(stmt: TypedStmt): void {
    if (stmt.kind === "send") {
      this.#published.add(this.bus.channelOf(stmt));
      for (const topic of this.bus.topicsInReach(stmt)) this.#published.add(this.bus.channelOfTopic(topic));
    } else if (stmt.kind === "recovery" && stmt.action === "restart_in_place" && stmt.argument.type.kind === "locus")
      this.#restoredInPlace.add(stmt.argument.type);
  }
}

const ofContexts = new WeakMap<ProgramContext, ProgramLoci>();

/** The loci of the program that a function belongs to. */
export function lociOf(fn: FunctionContext): ProgramLoci {
  return lociOfProgram(fn.program);
}

export function lociOfProgram(context: ProgramContext): ProgramLoci {
  let loci = ofContexts.get(context);
  if (!loci) {
    loci = new ProgramLoci(context.program);
    ofContexts.set(context, loci);
  }
  return loci;
}
