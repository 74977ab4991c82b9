// The cell of an instance: header and fields (layout.ts), and behind them what its type needs besides.
import type { LocusType, SubscriptionInfo, TypedClosure } from "../../semantics/index.ts";
import { type Layout, layoutOf, locusLayout } from "../layout.ts";
import type { Channel } from "./channels.ts";
import { ownableFields } from "./positions.ts";

/** Sizes fixed by runtime/guest/bus.ts. */
const NODE_SIZE = 16;
const STATE_SIZE = 32;
/** Storage of a `@form` locus (runtime/guest/collections.ts). */
const FORM_SIZE = 32;

export interface SubscriptionLine {
  readonly subscription: SubscriptionInfo;
  readonly channels: readonly Channel[];
  readonly state: number;
  readonly firstNode: number;
}

export interface LocusShape {
  readonly fields: Layout;
  /** Fields that can own an instance: offsets of the handle and of the byte that says whether they do. */
  readonly ownable: readonly { readonly field: number; readonly handle: number; readonly owned: number }[];
  /** Offsets of optional parts; see the descriptor in runtime/guest/locus.ts. */
  readonly children: number | undefined;
  readonly links: number | undefined;
  readonly form: number | undefined;
  readonly slots: readonly number[];
  readonly snapshot: number | undefined;
  /** One for each of a closure's accumulators. */
  readonly accumulators: ReadonlyMap<TypedClosure, readonly { readonly offset: number; readonly size: number }[]>;
  /** When a `duration` closure was last checked: an i64 each. */
  readonly lastChecked: ReadonlyMap<TypedClosure, number>;
  readonly nodes: number;
  readonly nodeCount: number;
  readonly lines: readonly SubscriptionLine[];
  readonly size: number;
}

/** What of the program decides about the shape of a locus. */
export interface ShapeFacts {
  readonly isAccepted: boolean;
  readonly isRestoredInPlace: boolean;
  heardBy(subscription: SubscriptionInfo): readonly Channel[];
}

export function shapeOf(locus: LocusType, facts: ShapeFacts): LocusShape {
  const fields = locusLayout(locus);
  const space = new Space(fields.size);
  const ownable = ownableFields(locus).map((field) => ({
    field,
    handle: fields.parts[field]?.offset ?? 0,
    owned: space.take(1, 1),
  }));
  const form = locus.form ? space.take(FORM_SIZE, 8) : undefined;
  const slots = locus.slots.map(() => space.take(8, 8));
  const children = locus.accepts ? space.take(12, 4) : undefined;
  const links = facts.isAccepted ? space.take(8, 4) : undefined;
  const snapshot = facts.isRestoredInPlace ? space.take(4, 4) : undefined;
  const accumulators = new Map<TypedClosure, { offset: number; size: number }[]>();
  const lastChecked = new Map<TypedClosure, number>();
  for (const closure of locus.closures) {
    const sizes = closure.accumulators.map(accumulatorSize);
    accumulators.set(
      closure,
      sizes.map((size) => ({ offset: space.take(size, 8), size })),
    );
    if (closure.epoch === "duration") lastChecked.set(closure, space.take(8, 8));
  }
  const heard = locus.subscriptions.map((subscription) => facts.heardBy(subscription));
  const nodeCount = heard.reduce((count, channels) => count + channels.length, 0);
  const nodes = space.take(nodeCount * NODE_SIZE, 8);
  let firstNode = nodes;
  const lines = locus.subscriptions.map((subscription, index) => {
    const channels = heard[index] ?? [];
    const line = { subscription, channels, state: space.take(STATE_SIZE, 8), firstNode };
    firstNode += channels.length * NODE_SIZE;
    return line;
  });
  return {
    fields,
    ownable,
    form,
    slots,
    children,
    links,
    snapshot,
    accumulators,
    lastChecked,
    nodes,
    nodeCount,
    lines,
    size: space.size,
  };
}

/** `count`: an i64. `sum`: the total. `mean`: the total, then an i64 count. */
function accumulatorSize({ operation, sample }: TypedClosure["accumulators"][number]): number {
  if (operation === "count" || !sample) return 8;
  const total = layoutOf(sample.result).size;
  return operation === "sum" ? total : total + 8;
}

class Space {
  #size: number;

  constructor(size: number) {
    this.#size = size;
  }

  get size(): number {
    return (this.#size + 7) & -8;
  }

  take(bytes: number, alignment: number): number {
    const at = Math.ceil(this.#size / alignment) * alignment;
    this.#size = at + bytes;
    return at;
  }
}
