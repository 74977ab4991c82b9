// The typed program: what the checker hands to the lowering and to the analyses. Names are resolved, generics are instantiated,
// every conversion is a node, defaults are filled in. Nothing here can be wrong any more.
import type { SourceFile, Span } from "../source/index.ts";
import type { ClaimsDecl, ConstitutionDecl, Decorator, DomainDecl, EffectDecl, GroupDecl } from "../syntax/index.ts";
import type {
  EnumType,
  FieldInfo,
  FunctionType,
  InterfaceType,
  LocusField,
  LocusType,
  PerspectiveType,
  RecordType,
  TopicInfo,
  Type,
} from "./types.ts"; // prettier-ignore

export interface TypedProgram {
  readonly files: readonly SourceFile[];
  /** `fn main`, or one made for a lone `main locus`; missing when only checked. */
  readonly entry: TypedFunction | undefined;
  /** Every function whose body was checked, generic instances one by one; std functions only when something reaches them. */
  readonly functions: readonly TypedFunction[];
  readonly loci: readonly LocusType[];
  readonly topics: readonly TopicInfo[];
  /** Topics bound to a transport. */
  readonly boundTopics: ReadonlySet<TopicInfo>;
  /** The program's seeds, the target's first: what names in claims and contracts mean. The library's are not among them. */
  readonly seeds: readonly TypedSeed[];
}

/** A declaration that says something about the whole program (reference 11, 11b). */
export type LawDecl = GroupDecl | ClaimsDecl | ConstitutionDecl | EffectDecl | DomainDecl;

/** The names of one seed, its modules' included. */
export interface TypedSeed {
  /** What stands before `::name` in messages: "" for the target. */
  readonly prefix: string;
  readonly files: readonly SourceFile[];
  /** Undefined for an import that did not resolve. */
  readonly imports: ReadonlyMap<string, TypedSeed | undefined>;
  /** By name; instances of a generic one. */
  readonly functions: ReadonlyMap<string, readonly TypedFunction[]>;
  readonly loci: ReadonlyMap<string, readonly LocusType[]>;
  readonly topics: ReadonlyMap<string, TopicInfo>;
  /** In order of files and lines. */
  readonly laws: readonly LawDecl[];
  /** `module { }` blocks, outer ones first: they group, and are part of no name. */
  readonly modules: readonly { readonly name: string; readonly span: Span }[];
}

/** A variable of one function: parameter, `let`, loop variable, pattern binding, `err`. */
export interface Local {
  readonly name: string;
  readonly type: Type;
  readonly mutable: boolean;
  readonly kind: "param" | "let" | "loop" | "pattern" | "error";
  readonly span: Span;
  /** A `let` with a written type. */
  readonly isAnnotated?: boolean;
  /** A parameter marked `@secret`. */
  readonly isSecret?: boolean;
}

export type FunctionRole =
  | "free"
  | "method"
  | "mode"
  | "hook"
  | "on_failure"
  /** A const's initialiser (no parameters), evaluated at each read. */
  | "const"
  /** A locus field's default, key expression, closure part: an expression with `self`. */
  | "initialiser"
  /** Implemented in the guest runtime: `foreign` names the export. */
  | "foreign";

export interface TypedFunction {
  /** Unique in the program, for symbols and backtraces: `main`, `Counter.bump`, `std::str::upper`, `pick_Int`. */
  readonly name: string;
  readonly role: FunctionRole;
  /** The locus whose member this is; `self` is the implicit first parameter. */
  readonly self: LocusType | undefined;
  readonly params: readonly Local[];
  /** `()` for none. */
  readonly result: Type;
  /** True when the source writes `-> T`, `-> ()` included. */
  readonly declaresResult: boolean;
  readonly fallible: Type | undefined;
  /** Undefined while unchecked, and for `foreign`. */
  body: TypedBlock | undefined;
  readonly foreign: string | undefined;
  readonly span: Span;
  readonly nameSpan: Span;
  /** A fn named by a `subscribe` of its locus. */
  isHandler: boolean;
  /** As written before it; of a hook only `@unbounded`. */
  readonly decorators: readonly Decorator[];
}

export interface TypedBlock {
  readonly statements: readonly TypedStmt[];
  /** The block's value when it has one; its type is the block's type. */
  readonly tail: TypedExpr | undefined;
  readonly span: Span;
}

// ---------------------------------------------------------------- statements

export type TypedStmt =
  | {
      readonly kind: "let";
      readonly local: Local | undefined /** `_` */;
      readonly value: TypedExpr;
      readonly span: Span;
    }
  | {
      readonly kind: "let-tuple";
      readonly locals: readonly (Local | undefined)[];
      readonly value: TypedExpr;
      readonly span: Span;
    }
  | { readonly kind: "assign"; readonly place: Place; readonly value: TypedExpr; readonly span: Span }
  /**
   * `place op= value`: the place's index parts first, then `value`, then the place is read. `operation` has `place.type` on its left (and as its result).
   */
  | {
      readonly kind: "update";
      readonly place: Place;
      readonly operation: BinaryOperation;
      readonly value: TypedExpr;
      readonly span: Span;
    }
  /** The value is dropped. */
  | { readonly kind: "expr"; readonly expr: TypedExpr; readonly span: Span }
  | { readonly kind: "while"; readonly condition: TypedExpr; readonly body: TypedBlock; readonly span: Span }
  | {
      readonly kind: "for-range";
      readonly local: Local | undefined;
      readonly low: TypedExpr;
      readonly high: TypedExpr;
      readonly inclusive: boolean;
      readonly body: TypedBlock;
      readonly span: Span;
    }
  /** `source`: an array, a bounded field, a form, or `self.children`. Over arrays of records the local refers to the element itself (03 15.5). */
  | {
      readonly kind: "for-each";
      readonly local: Local | undefined;
      readonly source: TypedExpr;
      readonly body: TypedBlock;
      readonly span: Span;
    }
  | { readonly kind: "return"; readonly value: TypedExpr | undefined; readonly span: Span }
  | { readonly kind: "fail"; readonly value: TypedExpr; readonly span: Span }
  | { readonly kind: "break" | "continue" | "yield" | "terminate"; readonly span: Span }
  | { readonly kind: "block"; readonly block: TypedBlock; readonly span: Span }
  | {
      readonly kind: "send";
      readonly subject:
        | { readonly kind: "topic"; readonly topic: TopicInfo }
        | { readonly kind: "literal"; readonly text: string }
        | { readonly kind: "computed"; readonly value: TypedExpr; readonly patterns: readonly string[] };
      readonly payload: TypedExpr;
      /** The payload that a failed send gives to `or` (BusUnmatchedKey or the like), and what is done about it. */
      readonly or: OrDisposition | undefined;
      readonly errorLocal: Local | undefined;
      readonly span: Span;
    }
  | {
      readonly kind: "violate";
      readonly closure: TypedClosure;
      readonly payload: TypedExpr | undefined;
      readonly span: Span;
    }
  | {
      readonly kind: "recovery";
      readonly action: "restart" | "restart_in_place" | "quarantine" | "bubble";
      readonly argument: TypedExpr;
      readonly limit: TypedExpr | undefined;
      readonly span: Span;
    }
  | {
      readonly kind: "reperspective";
      readonly field: LocusField;
      readonly implementation: LocusType;
      readonly span: Span;
    };

/** Something that can be assigned. */
export type Place =
  | { readonly kind: "local"; readonly local: Local; readonly type: Type; readonly span: Span }
  /** A field of a record or of a locus instance. `base` is a place, or an expression that gives a handle. */
  | {
      readonly kind: "field";
      readonly base: TypedExpr;
      readonly field: FieldInfo | LocusField;
      readonly index: number;
      readonly type: Type;
      readonly span: Span;
    }
  | {
      readonly kind: "element";
      readonly base: TypedExpr;
      readonly index: TypedExpr;
      readonly type: Type;
      readonly span: Span;
    };

// ---------------------------------------------------------------- expressions

interface Typed {
  readonly type: Type;
  readonly span: Span;
}

export type BinaryOperation =
  /** Operands of one type each: Int, Float, Decimal, Duration (and Time where 03 9 allows; see `operands`). */
  | "add"
  | "subtract"
  | "multiply"
  | "divide"
  | "remainder"
  | "bit-and"
  | "bit-or"
  | "bit-xor"
  | "shift-left"
  | "shift-right"
  | "equal"
  | "not-equal"
  | "less"
  | "less-equal"
  | "greater"
  | "greater-equal"
  /** String + String; other operands are wrapped in `to-text`. */
  | "concat"; // prettier-ignore

export type TypedExpr =
  // constants
  | (Typed & { readonly kind: "int"; readonly value: bigint })
  | (Typed & { readonly kind: "float"; readonly value: number })
  | (Typed & { readonly kind: "bool"; readonly value: boolean })
  | (Typed & { readonly kind: "decimal"; readonly units: bigint }) // 10^-9, fits 128 bits
  | (Typed & { readonly kind: "duration"; readonly nanoseconds: bigint })
  | (Typed & { readonly kind: "time"; readonly nanoseconds: bigint })
  | (Typed & { readonly kind: "string"; readonly value: Uint8Array }) // ends before the first zero byte
  | (Typed & { readonly kind: "bytes"; readonly value: Uint8Array })
  /** No value: what an `expr` of unit type without effect is made of. */
  | (Typed & { readonly kind: "unit" })
  // names
  | (Typed & { readonly kind: "local"; readonly local: Local })
  | (Typed & { readonly kind: "self" }) // type: the LocusType
  | (Typed & { readonly kind: "const"; readonly function: TypedFunction }) // evaluated at each read
  | (Typed & { readonly kind: "function"; readonly function: TypedFunction }) // a function value
  // access
  | (Typed & {
      readonly kind: "field";
      readonly receiver: TypedExpr;
      readonly field: FieldInfo | LocusField;
      readonly index: number;
    })
  | (Typed & { readonly kind: "element"; readonly receiver: TypedExpr; readonly index: number }) // tuple member
  | (Typed & { readonly kind: "index"; readonly receiver: TypedExpr; readonly index: TypedExpr }) // array; faults out of range
  | (Typed & {
      readonly kind: "slice";
      readonly receiver: TypedExpr;
      readonly low: TypedExpr;
      readonly high: TypedExpr;
      readonly inclusive: boolean;
    }) // String
  /** `draining` of a handle. */
  | (Typed & { readonly kind: "draining"; readonly receiver: TypedExpr })
  /** `self.children.count` / `.is_empty`. */
  | (Typed & { readonly kind: "children"; readonly what: "count" | "is_empty" | "all"; readonly receiver: TypedExpr })
  // construction
  | (Typed & { readonly kind: "record"; readonly fields: readonly TypedExpr[] }) // one per field, declaration order = evaluation order
  /** A bounded field of a record literal: no live elements. */
  | (Typed & { readonly kind: "empty-bounded" })
  | (Typed & {
      readonly kind: "variant";
      readonly enum: EnumType;
      readonly index: number;
      readonly payload: readonly TypedExpr[];
    })
  | (Typed & { readonly kind: "tuple"; readonly members: readonly TypedExpr[] })
  | (Typed & { readonly kind: "array"; readonly elements: readonly TypedExpr[] })
  | (Typed & { readonly kind: "repeat"; readonly value: TypedExpr; readonly count: number })
  /** `fields[i]` undefined: the field's own default (or implicit default) is evaluated at that position. */
  | (Typed & { readonly kind: "locus"; readonly locus: LocusType; readonly fields: readonly (TypedExpr | undefined)[] })
  // operations
  | (Typed & { readonly kind: "negate" | "not" | "complement"; readonly operand: TypedExpr })
  | (Typed & {
      readonly kind: "binary";
      readonly operation: BinaryOperation;
      readonly left: TypedExpr;
      readonly right: TypedExpr;
    })
  | (Typed & { readonly kind: "and" | "or-else"; readonly left: TypedExpr; readonly right: TypedExpr })
  | (Typed & { readonly kind: "convert"; readonly conversion: Conversion; readonly operand: TypedExpr })
  /** Text of a printable value; `format` from an f-string. */
  | (Typed & { readonly kind: "to-text"; readonly operand: TypedExpr; readonly format: TextFormat | undefined })
  /**
   * Parts are Strings (`to-text` already applied): f-strings and `+` runs. `sums`: the places of its `+` that are text by their looks: an operand is a String
   * literal, an f-string with a hole (`isTemplate`), or such a `+`.
   */
  | (Typed & {
      readonly kind: "concat";
      readonly parts: readonly TypedExpr[];
      readonly isTemplate: boolean;
      readonly sums: readonly Span[];
    })
  // control
  | (Typed & {
      readonly kind: "if";
      readonly condition: TypedExpr;
      readonly then: TypedBlock;
      readonly otherwise: TypedBlock | undefined;
    })
  | (Typed & { readonly kind: "match"; readonly scrutinee: TypedExpr; readonly arms: readonly TypedArm[] })
  | (Typed & { readonly kind: "block"; readonly block: TypedBlock })
  | TypedCall
  /**
   * `operand` is a call (or another node with `fallible`) that can fail. The type is its success type; unit where the whole is a statement: then the
   * operand's value and the disposition's value, of whatever types, are dropped.
   */
  | (Typed & {
      readonly kind: "or";
      readonly operand: TypedExpr;
      readonly error: Type;
      readonly errorLocal: Local;
      readonly disposition: OrDisposition;
    })
  | (Typed & {
      readonly kind: "builtin";
      readonly name: BuiltinName;
      readonly args: readonly TypedExpr[];
      readonly fallible: Type | undefined;
    })
  | (Typed & {
      readonly kind: "print";
      readonly stream: "stdout" | "stderr";
      readonly newline: boolean;
      readonly args: readonly TypedExpr[];
    })
  | (Typed & { readonly kind: "chain"; readonly chain: TypedChain; readonly fallible: Type | undefined })
  /** Reads an accumulator of the closure whose assertion this stands in; `mean` is its total divided by its count. */
  | (Typed & { readonly kind: "accumulator"; readonly operation: "sum" | "count" | "mean"; readonly index: number });

export type Conversion =
  | "int-to-float"
  | "float-to-int"
  /** `operand.type` is a LocusType, `type` an InterfaceType or PerspectiveType. */
  | "locus-to-interface"
  /** StringView -> String, BytesView -> Bytes (read in place, not a copy). */
  | "view"
  /** Between Int, Duration, Time and the scalars of 03b: another type for the same 64 bits. */
  | "scalar";

export type BuiltinName =
  | "len" // String, StringView, Bytes, BytesView, array, bounded
  | "abs"
  | "min"
  | "max"
  | "starts_with"
  | "contains"
  | "array-get" // a.get(i): fallible(IndexError)
  | "bounded-push"
  | "bounded-at"
  | "bounded-set"
  | "bounded-count"
  | "bounded-clear"
  | "bounded-truncate"
  | "check_closures"; // prettier-ignore

export interface TextFormat {
  readonly fill: string;
  readonly align: "<" | "^" | ">";
  readonly width: number;
  readonly precision: number | undefined;
  readonly hex: "x" | "X" | undefined;
}

export type Callee =
  | { readonly kind: "function"; readonly function: TypedFunction }
  | { readonly kind: "method"; readonly function: TypedFunction; readonly receiver: TypedExpr }
  | {
      readonly kind: "interface";
      readonly interface: InterfaceType;
      readonly method: number;
      readonly receiver: TypedExpr;
    }
  | {
      readonly kind: "perspective";
      readonly perspective: PerspectiveType;
      readonly method: number;
      readonly receiver: TypedExpr;
    }
  | { readonly kind: "indirect"; readonly value: TypedExpr; readonly type: FunctionType }
  /** A synthesised method of a `@form` locus, by name (reference 07), or of a capacity slot. */
  | { readonly kind: "form"; readonly operation: string; readonly receiver: TypedExpr; readonly slot?: string };

export interface TypedCall extends Typed {
  readonly kind: "call";
  readonly callee: Callee;
  /** One per parameter: conversions applied, defaults filled in (evaluated after the given ones). */
  readonly args: readonly TypedExpr[];
  /** The payload type when the call can fail; then its parent is an `or`. */
  readonly fallible: Type | undefined;
}

export type OrDisposition =
  /** In a fallible function: fail with the same payload. In any other: end the process (`unhandledName` is what the message calls the payload). */
  | { readonly kind: "raise"; readonly unhandledName: string | undefined; readonly span: Span }
  | { readonly kind: "fail"; readonly value: TypedExpr; readonly span: Span }
  /** Also blocks, handlers, unit calls; in statement position the value may be of any type and is dropped. */
  | { readonly kind: "value"; readonly value: TypedExpr; readonly span: Span }
  | { readonly kind: "discard"; readonly span: Span }
  | { readonly kind: "wait"; readonly span: Span };

export interface TypedArm {
  readonly pattern: TypedPattern;
  readonly guard: TypedExpr | undefined;
  readonly body: TypedExpr;
  readonly span: Span;
}

export type TypedPattern =
  | { readonly kind: "any" }
  | { readonly kind: "bind"; readonly local: Local }
  /** A constant node, compared with `==` of its type. */
  | { readonly kind: "value"; readonly value: TypedExpr }
  | {
      readonly kind: "variant";
      readonly enum: EnumType;
      readonly index: number;
      readonly payload: readonly TypedPattern[];
    }
  | { readonly kind: "tuple"; readonly members: readonly TypedPattern[] };

export interface TypedClosure {
  readonly name: string;
  readonly locus: LocusType;
  readonly epoch: "tick" | "duration" | "explicit" | "inline" | "birth" | "dissolve";
  /** With `self`; the three parts of `left ~~ right within tolerance`. */
  readonly assertion:
    | { readonly left: TypedFunction; readonly right: TypedFunction; readonly tolerance: TypedFunction }
    | undefined;
  /** What `sum(e)`, `count()` and `mean(e)` of the assertion collect: one sample each per check, before the assertion (05b 5b.4). `sample` has `self`. */
  readonly accumulators: readonly {
    readonly operation: "sum" | "count" | "mean";
    readonly sample: TypedFunction | undefined;
    readonly type: Type;
  }[];
  readonly period: TypedFunction | undefined;
  readonly captures: readonly LocusField[];
  readonly persistsThrough: readonly string[];
  readonly resetsOn: readonly string[];
  readonly resetsPerEpoch: readonly string[];
  readonly span: Span;
}

export interface TypedChain {
  readonly source: TypedExpr;
  /** `it` and `idx` of all stages. */
  readonly item: Local;
  readonly index: Local | undefined;
  readonly stages: readonly (
    | { readonly kind: "filter"; readonly condition: TypedExpr }
    /** The element's new value; later stages see `item` of its type. */
    | { readonly kind: "map"; readonly value: TypedExpr; readonly item: Local }
    | { readonly kind: "take" | "skip"; readonly count: TypedExpr }
    /** `index` counts the elements that arrive here; later stages and the terminal see the latest one. */
    | { readonly kind: "enumerate"; readonly index: Local }
  )[];
  /**
   * `args`: the condition of `any`, `all`, `find`; the key of `min`, `max`; the seed of `sum`; for `into`, `reverse_into`, `sort_into` the element as the vec takes
   * it, then the comparison; for `group_count_into` the key. `body`: the block of `each`. `target`: where `*into` puts the elements.
   */
  readonly terminal: {
    readonly kind:
      | "count"
      | "first"
      | "sum"
      | "into"
      | "reverse_into"
      | "any"
      | "find"
      | "min"
      | "max"
      | "all"
      | "sort_into"
      | "group_count_into"
      | "each"; // prettier-ignore
    readonly args: readonly TypedExpr[];
    readonly body: TypedBlock | undefined;
    readonly target: TypedExpr | undefined;
  };
}

export type { RecordType, EnumType };
