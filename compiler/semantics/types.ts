// The types of Hale values. Every type is one object (interned by the checker), so `===` compares types.
import type { Span } from "../source/index.ts";
import type { LocusDecl } from "../syntax/index.ts";
import type { TypedFunction, TypedExpr, TypedClosure } from "./typed.ts";

export type Type =
  | PrimitiveType
  | TupleType
  | ArrayType
  | BoundedType
  | RecordType
  | EnumType
  | FunctionType
  | InterfaceType
  | LocusType
  | PerspectiveType
  | ScalarType
  | CellType
  | ViewOfChildren
  | ErrorType;

export type PrimitiveName =
  | "Int"
  | "Float"
  | "Bool"
  | "String"
  | "Bytes"
  | "Decimal"
  | "Duration"
  | "Time"
  | "StringView"
  | "BytesView"
  | "BytesMut"
  | "Uint"
  | "()" /** unit */
  /** The type of an expression that never gives a value (`return`, `std::process::exit(..)` ...). */
  | "never"; // prettier-ignore

export interface PrimitiveType {
  readonly kind: "primitive";
  readonly name: PrimitiveName;
}

export interface TupleType {
  readonly kind: "tuple";
  readonly members: readonly Type[];
}

/** `[T; N]`; `length` undefined for the unusable `[T]`. */
export interface ArrayType {
  readonly kind: "array";
  readonly element: Type;
  readonly length: number | undefined;
}

/** `bounded[T; N]`: 0..N live elements. */
export interface BoundedType {
  readonly kind: "bounded";
  readonly element: Type;
  readonly capacity: number;
}

export interface FieldInfo {
  readonly name: string;
  readonly type: Type;
  readonly span: Span;
  readonly hasDefault: boolean;
  readonly tag?: string;
  /** Of a program's own version of an error record: what fills this field when the language makes the error (07 section 1). */
  filler?: TypedFunction;
}

/** A record type or one instance of a generic one. `name` is what programs print (`Box_Int`). Fields are filled before any body is checked. */
export interface RecordType {
  readonly kind: "record";
  readonly name: string;
  /** The name to use in messages: `alias::Name` as its first user wrote it, or `name`. */
  displayName: string;
  readonly span: Span;
  fields: readonly FieldInfo[];
}

export interface VariantInfo {
  readonly name: string;
  readonly payload: readonly Type[];
}

export interface EnumType {
  readonly kind: "enum";
  readonly name: string;
  displayName: string;
  readonly span: Span;
  variants: readonly VariantInfo[];
}

export interface FunctionType {
  readonly kind: "function";
  readonly params: readonly Type[];
  /** `()` for none. */
  readonly result: Type;
}

export interface MethodSignature {
  readonly name: string;
  readonly params: readonly Type[];
  readonly result: Type;
  readonly fallible: Type | undefined;
  readonly span: Span;
}

/** Also used for the method surface of a perspective. Methods in declaration order; dispatch index = position. */
export interface InterfaceType {
  readonly kind: "interface";
  readonly name: string;
  displayName: string;
  readonly span: Span;
  methods: readonly MethodSignature[];
}

export interface PerspectiveType {
  readonly kind: "perspective";
  readonly name: string;
  displayName: string;
  readonly span: Span;
  methods: readonly MethodSignature[];
}

/** Scalars of reference 03b: `distinct`, ranges, quantities, points over a base. */
export interface ScalarType {
  readonly kind: "scalar";
  readonly name: string;
  displayName: string;
  readonly form: "distinct" | "range" | "quantity" | "point";
  /** `Int`, or for a range the range that it refines. */
  readonly base: Type;
  /** `high` is exclusive. */
  readonly range?: { readonly low: bigint; readonly high: bigint };
  readonly measure?: Measure;
  readonly span: Span;
}

/** What one count of a quantity or a point stands for, as exact fractions of the base unit of its component. */
export interface Measure {
  /** The unit that stands for all units connected with it. */
  readonly component: string;
  readonly denomination: { readonly n: bigint; readonly d: bigint };
  /** How a conversion into this type rounds; without one it is a narrowing. */
  readonly policy: "floor" | "ceil" | "trunc" | "half_even" | "half_up" | undefined;
  /** A point's zero. */
  readonly origin: { readonly n: bigint; readonly d: bigint } | undefined;
}

/** `Cell<T>` of a capacity slot. */
export interface CellType {
  readonly kind: "cell";
  readonly slot: string;
  readonly element: Type;
}

/** `self.children` of an accepting locus. */
export interface ViewOfChildren {
  readonly kind: "children";
  readonly child: LocusType;
}

/** Poison after a reported error: assignable to and from everything, never reported again. */
export interface ErrorType {
  readonly kind: "error";
}

// ---------------------------------------------------------------- loci

export interface LocusField {
  readonly name: string;
  type: Type;
  readonly span: Span;
  /** Position among the locus's fields. */
  readonly index: number;
  /**
   * The default, as a function with `self` (the instance under construction; earlier fields are set) that returns the field's value. Undefined: required, unless
   * `implicitDefault`.
   */
  defaultValue: TypedFunction | undefined;
  /** All-default record, or an empty bounded field (05 5.2 rule 1). */
  implicitDefault: boolean;
}

export interface SubscriptionInfo {
  /** Wire subject, or the pattern of a wildcard. */
  readonly subject: string;
  readonly topic: TopicInfo | undefined;
  readonly payload: Type;
  readonly handler: TypedFunction;
  readonly bounded?: { readonly capacity: number; readonly policy: "drop_new" | "drop_old" };
  readonly key?: { readonly kind: "any" | "replica" } | { readonly kind: "value"; readonly value: TypedFunction };
  readonly span: Span;
}

export interface PublicationInfo {
  readonly subject: string;
  readonly topic: TopicInfo | undefined;
  readonly payload: Type;
  readonly span: Span;
}

export interface TopicInfo {
  readonly name: string;
  /** `alias::Name`, or `name`. */
  readonly displayName: string;
  readonly subject: string;
  readonly payload: Type;
  readonly keyField: number | undefined;
  readonly onUnmatched: "swallow" | "fail" | "fallback";
  readonly bounded: number | undefined;
  readonly span: Span;
  /** The whole declaration. */
  readonly declarationSpan: Span;
}

export interface PlacementInfo {
  readonly field: LocusField;
  readonly place: "cooperative" | "pinned";
  readonly pool: string | undefined;
  readonly replicas: number | undefined;
  readonly asyncIo: boolean;
  readonly cores: readonly number[] | undefined;
  readonly span: Span;
}

/** What a `@form(..)` locus holds (reference 07). */
export interface FormInfo {
  readonly form: "vec" | "hashmap" | "set" | "ring_buffer" | "lru_cache";
  readonly element: Type;
  /** The key's type and the field that holds it (`indexed_by`), for hashmap, set, lru_cache. */
  readonly key?: Type;
  readonly keyField?: number;
  readonly capacity?: number;
  readonly options: ReadonlyMap<string, TypedExpr>;
}

export interface LocusType {
  readonly kind: "locus";
  readonly name: string;
  displayName: string;
  readonly span: Span;
  readonly isMain: boolean;
  readonly isStd: boolean;
  /** As written: decorators, contract, claims, bindings. */
  readonly decl: LocusDecl;
  fields: readonly LocusField[];
  /** Own `fn` members and modes by name (modes under "bulk", "harmonic", "resolution"). */
  methods: ReadonlyMap<string, TypedFunction>;
  hooks: {
    birth?: TypedFunction;
    run?: TypedFunction;
    drain?: TypedFunction;
    dissolve?: TypedFunction;
    /** One parameter: the child. */
    accept?: TypedFunction;
    release?: TypedFunction;
  };
  accepts: LocusType | undefined;
  releases: LocusType | undefined;
  onFailure: readonly TypedFunction[];
  closures: readonly TypedClosure[];
  birthChecks: readonly {
    readonly condition: TypedFunction;
    readonly closure: TypedClosure;
    readonly payload: TypedFunction | undefined;
  }[];
  subscriptions: readonly SubscriptionInfo[];
  publications: readonly PublicationInfo[];
  placements: readonly PlacementInfo[];
  serves: readonly PerspectiveType[];
  form: FormInfo | undefined;
  slots: readonly { readonly name: string; readonly kind: "pool" | "heap"; readonly element: Type }[];
  isSealed: boolean;
}
