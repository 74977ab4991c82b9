// The syntax tree of one file: what chapter 01 accepts, nothing resolved. Every node carries its span.
import type { Span } from "../source/index.ts";

/** A name as written, with its place. */
export interface Name {
  readonly text: string;
  readonly span: Span;
}

/** `a::b::c`: one segment or more. */
export interface Path {
  readonly segments: readonly Name[];
  readonly span: Span;
}

export interface FileAst {
  readonly imports: readonly ImportDecl[];
  readonly declarations: readonly Declaration[];
  readonly span: Span;
}

export interface ImportDecl {
  readonly path: string;
  readonly pathSpan: Span;
  readonly alias: Name;
  readonly span: Span;
}

// ---------------------------------------------------------------- declarations

export type Declaration =
  | FunctionDecl
  | LocusDecl
  | RecordDecl
  | EnumDecl
  | AliasDecl
  | ScalarDecl
  | ConstDecl
  | InterfaceDecl
  | PerspectiveDecl
  | TopicDecl
  | ModuleDecl
  | GroupDecl
  | ClaimsDecl
  | ConstitutionDecl
  | EffectDecl
  | DomainDecl
  | TargetDecl
  | RoleDecl
  | RingLayoutDecl
  | UnitDecl
  | ApiDecl;

export interface GenericParam {
  readonly name: Name;
  readonly bound?: TypeExpr;
}

export interface Param {
  readonly name: Name;
  readonly type: TypeExpr;
  readonly defaultValue?: Expr;
  /** `@secret` stands before it. */
  readonly secret: boolean;
  readonly span: Span;
}

export interface FunctionDecl {
  readonly kind: "function";
  readonly name: Name;
  readonly decorators: readonly Decorator[];
  readonly generics: readonly GenericParam[];
  readonly params: readonly Param[];
  /** Missing when no `->` is written. */
  readonly result?: TypeExpr;
  /** The payload type of `fallible(E)`. */
  readonly fallible?: TypeExpr;
  /** Missing for `@ffi` functions and for signatures in interfaces and perspectives. */
  readonly body?: Block;
  readonly span: Span;
}

export interface ConstDecl {
  readonly kind: "const";
  readonly name: Name;
  readonly type: TypeExpr;
  readonly value: Expr;
  readonly span: Span;
}

export interface RecordField {
  readonly name: Name;
  readonly type: TypeExpr;
  readonly defaultValue?: Expr;
  /** The raw text between the backticks. */
  readonly tag?: string;
  readonly tagSpan?: Span;
  readonly span: Span;
}

/** `type P { .. }` */
export interface RecordDecl {
  readonly kind: "record";
  readonly name: Name;
  readonly generics: readonly GenericParam[];
  readonly fields: readonly RecordField[];
  readonly span: Span;
}

export interface VariantDecl {
  readonly name: Name;
  readonly payload: readonly TypeExpr[];
  readonly span: Span;
}

/** `type E = enum { .. };` */
export interface EnumDecl {
  readonly kind: "enum";
  readonly name: Name;
  readonly generics: readonly GenericParam[];
  readonly variants: readonly VariantDecl[];
  readonly span: Span;
}

/** `type A = T;` */
export interface AliasDecl {
  readonly kind: "alias";
  readonly name: Name;
  readonly target: TypeExpr;
  readonly span: Span;
}

export interface InterfaceDecl {
  readonly kind: "interface";
  readonly name: Name;
  readonly methods: readonly FunctionDecl[];
  readonly span: Span;
}

export interface ModuleDecl {
  readonly kind: "module";
  readonly name: Name;
  readonly declarations: readonly Declaration[];
  readonly span: Span;
}

export interface TopicDecl {
  readonly kind: "topic";
  readonly name: Name;
  readonly parent?: Name;
  readonly payload: TypeExpr;
  readonly subject?: StringLit;
  readonly keyedBy?: Name;
  readonly onUnmatched?: "swallow" | "fail" | "fallback";
  readonly bounded?: IntLit;
  readonly onFull?: "fail";
  readonly span: Span;
}

/** `type Usd = quantity Int in cents { .. }` and the other forms of 01 7.12. */
export interface ScalarDecl {
  readonly kind: "scalar";
  readonly name: Name;
  readonly form?: "quantity" | "point" | "distinct";
  readonly base: TypeExpr;
  /** After `in`: a unit's name, a quantity literal, or `INT IDENT`. */
  readonly denomination?: UnitMeasure;
  readonly range?: Expr;
  readonly round?: Name;
  readonly origin?: { readonly negative: boolean; readonly measure: UnitMeasure };
  readonly span: Span;
}

/** `60s` or `60 s` or `s`: a count of units; a bare name counts 1. */
export interface UnitMeasure {
  readonly magnitude: bigint;
  readonly unit: string;
  readonly span: Span;
}

/** `unit cent = USD/100;`: factor as numerator / denominator of another unit, or none for a base unit. */
export interface UnitDecl {
  readonly kind: "unit";
  readonly name: Name;
  readonly factor?: UnitFactor;
  readonly span: Span;
}

/** `100 cent`, `127/5 mm`, `1/100`: a multiple of another unit, or of the pure number. */
export interface UnitFactor {
  readonly numerator: bigint;
  readonly denominator: bigint;
  /** Its place is the whole literal's where number and unit are one token. */
  readonly unit?: Name;
}

// ---------------------------------------------------------------- decorators

/** One `@name(..)`. `arguments` keeps what stands in the parentheses in the shape of its own grammar rule (01 7.8). */
export type Decorator =
  | { readonly name: "ffi"; readonly library: string; readonly span: Span }
  | {
      readonly name: "form";
      readonly form: Name;
      readonly options: readonly { readonly name: Name; readonly value: Expr }[];
      readonly span: Span;
    }
  | { readonly name: "locality"; readonly level: Name; readonly span: Span }
  | { readonly name: "export" | "bounded" | "sealed" | "supervised" | "unbounded" | "hot"; readonly span: Span }
  | { readonly name: EffectFlag; readonly span: Span }
  | {
      readonly name: "budget";
      readonly entries: readonly { readonly effect: EffectClass; readonly limit: bigint }[];
      readonly span: Span;
    }
  | {
      readonly name: "effects" | "phase_effects";
      readonly entries: readonly { readonly key: Name; readonly set: readonly EffectSetItem[] }[];
      readonly span: Span;
    }
  | { readonly name: "gated"; readonly role: Name; readonly span: Span }
  | { readonly name: "rpc"; readonly requires: readonly Name[]; readonly span: Span };

export type EffectFlag =
  | "no_syscall"
  | "no_block"
  | "no_ffi"
  | "no_publish"
  | "no_spawn"
  | "no_recursion"
  | "no_panic"
  | "deterministic";

/** `alloc` or `db(*)` or `db(reads)`. */
export interface EffectClass {
  readonly name: Name;
  readonly argument?: Name;
}

export type EffectSetItem =
  | { readonly kind: "string"; readonly value: string; readonly span: Span }
  | { readonly kind: "path"; readonly path: Path; readonly argument?: Name; readonly span: Span };

// ---------------------------------------------------------------- loci

export interface LocusDecl {
  readonly kind: "locus";
  readonly name: Name;
  readonly isMain: boolean;
  readonly decorators: readonly Decorator[];
  readonly generics: readonly GenericParam[];
  readonly headers: readonly LocusHeader[];
  readonly members: readonly LocusMember[];
  readonly span: Span;
}

export type LocusHeader =
  | { readonly kind: "serves"; readonly path: Path; readonly span: Span }
  | { readonly kind: "tier"; readonly value: bigint; readonly span: Span }
  | {
      readonly kind: "projection";
      readonly projection: "rich" | "chunked" | "recognition";
      readonly cap?: IntLit;
      readonly submode?: Name;
      readonly span: Span;
    };

export type LocusMember =
  | ParamsBlock
  | ContractBlock
  | BusBlock
  | CapacityBlock
  | LifecycleDecl
  | ModeDecl
  | OnFailureDecl
  | ClosureDecl
  | BirthCheckDecl
  | FunctionDecl
  | ConstDecl
  | RecordDecl
  | EnumDecl
  | AliasDecl
  | ScalarDecl
  | BindingsBlock
  | PlacementBlock
  | TopologyBlock
  | ClaimsDecl;

export interface ParamField {
  readonly name: Name;
  /** Missing for `n = e;` */
  readonly type?: TypeExpr;
  readonly inferred: boolean;
  readonly defaultValue?: Expr;
  readonly span: Span;
}

export interface ParamsBlock {
  readonly kind: "params";
  readonly fields: readonly ParamField[];
  readonly span: Span;
}

export interface ContractBlock {
  readonly kind: "contract";
  /** `contract: inferred;` */
  readonly inferred: boolean;
  readonly items: readonly {
    readonly direction: "expose" | "consume";
    /** Missing for `expose inferred;` */
    readonly name?: Name;
    readonly type?: TypeExpr;
    readonly gated?: Name;
    readonly span: Span;
  }[];
  readonly span: Span;
}

export type Subject =
  | { readonly kind: "literal"; readonly text: string; readonly span: Span }
  | { readonly kind: "topic"; readonly path: Path; readonly span: Span };

export interface SubscribeDecl {
  readonly kind: "subscribe";
  readonly subject: Subject;
  readonly handler: Name;
  readonly ofType?: TypeExpr;
  readonly bounded?: { readonly capacity: IntLit; readonly policy: "drop_new" | "drop_old"; readonly span: Span };
  readonly key?:
    | { readonly kind: "any" | "replica"; readonly span: Span }
    | { readonly kind: "value"; readonly value: Expr; readonly span: Span };
  readonly span: Span;
}

export interface PublishDecl {
  readonly kind: "publish";
  readonly subject: Subject;
  readonly ofType?: TypeExpr;
  readonly alias?: Name;
  readonly gated?: Name;
  readonly span: Span;
}

export interface BusBlock {
  readonly kind: "bus";
  readonly members: readonly (SubscribeDecl | PublishDecl)[];
  readonly span: Span;
}

export interface CapacityBlock {
  readonly kind: "capacity";
  readonly slots: readonly {
    readonly kind: "pool" | "heap";
    readonly name: Name;
    readonly of: TypeExpr;
    readonly indexedBy?: Name;
    readonly asParentFor?: Name;
    readonly span: Span;
  }[];
  readonly span: Span;
}

export type HookName = "birth" | "accept" | "release" | "run" | "drain" | "dissolve";

export interface LifecycleDecl {
  readonly kind: "lifecycle";
  readonly hook: HookName;
  /** The place of the hook's word. */
  readonly nameSpan: Span;
  readonly unbounded: boolean;
  readonly params: readonly Param[];
  readonly result?: TypeExpr;
  readonly body: Block;
  readonly span: Span;
}

export interface ModeDecl {
  readonly kind: "mode";
  readonly mode: "bulk" | "harmonic" | "resolution";
  readonly nameSpan: Span;
  readonly params: readonly Param[];
  readonly result?: TypeExpr;
  readonly body: Block;
  readonly span: Span;
}

export interface OnFailureDecl {
  readonly kind: "on_failure";
  readonly params: readonly Param[];
  readonly body: Block;
  readonly nameSpan: Span;
  readonly span: Span;
}

export interface ClosureDecl {
  readonly kind: "closure";
  readonly name: Name;
  /** `left ~~ right within tolerance;` */
  readonly assertion?: { readonly left: Expr; readonly right: Expr; readonly tolerance: Expr; readonly span: Span };
  readonly clauses: readonly ClosureClause[];
  readonly span: Span;
}

export type ClosureClause =
  | {
      readonly kind: "epoch";
      readonly epoch: "tick" | "explicit" | "inline" | "birth" | "dissolve";
      readonly span: Span;
    }
  | { readonly kind: "epoch"; readonly epoch: "duration"; readonly period: Expr; readonly span: Span }
  | {
      readonly kind: "persists_through" | "resets_on" | "resets_per_epoch" | "captures";
      readonly names: readonly Name[];
      readonly span: Span;
    };

export interface BirthCheckDecl {
  readonly kind: "birth_check";
  readonly condition: Expr;
  readonly closure: Name;
  readonly payload?: Expr;
  readonly span: Span;
}

export interface PerspectiveDecl {
  readonly kind: "perspective";
  readonly name: Name;
  readonly generics: readonly GenericParam[];
  readonly members: readonly (
    | ParamsBlock
    | BusBlock
    | FunctionDecl
    | { readonly kind: "stable_when"; readonly body: Block; readonly span: Span }
    | { readonly kind: "serialize_as"; readonly type: TypeExpr; readonly span: Span }
  )[];
  readonly span: Span;
}

// ---------------------------------------------------------------- deployment of the main locus

/** `core = 1`, `cores = 0..4`, `node = 0`, `l3 = big` */
export type Affinity =
  | { readonly kind: "core" | "node"; readonly value: bigint }
  | { readonly kind: "cores"; readonly cores: CoreSet }
  | { readonly kind: "l3"; readonly name: Name };

export type CoreSet =
  | { readonly kind: "range"; readonly low: bigint; readonly high: bigint; readonly inclusive: boolean }
  | { readonly kind: "set"; readonly cores: readonly bigint[] };

export interface PlacementEntry {
  readonly field: Name;
  readonly place: "cooperative" | "pinned";
  readonly pool?: Name;
  readonly replicas?: IntLit;
  readonly affinity?: Affinity;
  readonly constraints: readonly Name[];
  readonly span: Span;
}

export interface PlacementBlock {
  readonly kind: "placement";
  readonly entries: readonly PlacementEntry[];
  readonly span: Span;
}

export interface TopologyBlock {
  readonly kind: "topology";
  readonly items: readonly (
    | { readonly kind: "reserve"; readonly cores: CoreSet; readonly span: Span }
    | {
        readonly kind: "node";
        readonly index: bigint;
        readonly groups: readonly { readonly name: Name; readonly cores: CoreSet }[];
        readonly span: Span;
      }
  )[];
  readonly span: Span;
}

/** Transports, adapters, hubs and service entries; meaning comes later, so the parts are kept as parsed. */
export interface BindingsBlock {
  readonly kind: "bindings";
  readonly entries: readonly BindingEntry[];
  readonly span: Span;
}

export type BindingEntry =
  | {
      readonly kind: "transport";
      readonly topic: Path;
      readonly transport: "unix" | "shm_ring";
      readonly address: string;
      readonly options: readonly { readonly name: Name; readonly value: string }[];
      readonly codec?: { readonly path: Path; readonly fields: readonly FieldInit[] };
      readonly constraints: readonly Name[];
      readonly span: Span;
    }
  | {
      readonly kind: "adapter";
      readonly topic: Path;
      readonly adapter: Path;
      readonly fields: readonly FieldInit[];
      readonly codec?: { readonly path: Path; readonly fields: readonly FieldInit[] };
      readonly constraints: readonly Name[];
      readonly span: Span;
    }
  | {
      readonly kind: "hub";
      readonly topic: Path;
      readonly field: Name;
      readonly options: readonly { readonly name: Name; readonly value: string }[];
      readonly span: Span;
    }
  | { readonly kind: "api"; readonly span: Span };

// ---------------------------------------------------------------- claims, effects, far declarations

export interface GroupDecl {
  readonly kind: "group";
  readonly name: Name;
  readonly members: readonly { readonly path: Path; readonly wildcard: boolean }[];
  readonly mayBeEmpty: boolean;
  readonly span: Span;
}

export interface ClaimsDecl {
  readonly kind: "claims";
  readonly adopts: readonly Name[];
  readonly claims: readonly NamedClaim[];
  readonly span: Span;
}

export interface ConstitutionDecl {
  readonly kind: "constitution";
  readonly name: Name;
  readonly bases: readonly Name[];
  readonly claims: readonly NamedClaim[];
  readonly span: Span;
}

export interface NamedClaim {
  readonly name: Name;
  readonly claim: Claim;
  readonly span: Span;
}

export type ClaimSet =
  | { readonly kind: "effects"; readonly effect: EffectClass; readonly span: Span }
  | { readonly kind: "group"; readonly name: Name; readonly span: Span };

export type Claim =
  | {
      readonly kind: "forbid-reaches";
      readonly from: ClaimSet;
      readonly to: ClaimSet;
      readonly via: readonly ("calls" | "bus")[];
      readonly during?: Name;
      readonly avoiding: readonly Name[];
    }
  | {
      readonly kind: "only-edges";
      readonly from: Name;
      readonly to: Name;
      readonly edges: readonly { readonly direction: "publish" | "subscribe"; readonly topic: Path }[];
    }
  | { readonly kind: "bound"; readonly effect: EffectClass; readonly limit: bigint; readonly from: Name }
  | {
      readonly kind: "require-edge";
      readonly direction: "subscribes" | "publishes";
      readonly group: Name;
      readonly topic: Path;
    }
  | { readonly kind: "require-sealed"; readonly group: Name }
  | { readonly kind: "require-attributed"; readonly what: Name | "publish" }
  | { readonly kind: "cover"; readonly seed: Name; readonly group: Name }
  | {
      readonly kind: "count";
      readonly direction: "publishers" | "subscribers";
      readonly topic: Path;
      readonly comparison: "==" | "<=" | ">=";
      readonly limit: bigint;
    };

export interface EffectDecl {
  readonly kind: "effect";
  readonly name: Name;
  readonly domain?: Name;
  readonly parts?: readonly EffectClass[];
  readonly span: Span;
}
export interface DomainDecl {
  readonly kind: "domain";
  readonly name: Name;
  readonly members: readonly Name[];
  readonly span: Span;
}
export interface TargetDecl {
  readonly kind: "target";
  readonly name: Name;
  readonly capabilities: readonly (readonly Name[])[];
  readonly span: Span;
}
export interface RoleDecl {
  readonly kind: "role";
  readonly name: Name;
  readonly includes: readonly Name[];
  readonly span: Span;
}
export interface RingLayoutDecl {
  readonly kind: "ring_layout";
  readonly name: Name;
  readonly span: Span;
}
export interface ApiDecl {
  readonly kind: "api";
  readonly name: Name;
  readonly span: Span;
}

// ---------------------------------------------------------------- types

export type TypeExpr =
  | { readonly kind: "named"; readonly path: Path; readonly args: readonly TypeExpr[]; readonly span: Span }
  | { readonly kind: "tuple"; readonly members: readonly TypeExpr[]; readonly span: Span } // `()` is the empty one
  | { readonly kind: "array"; readonly element: TypeExpr; readonly length?: Expr; readonly span: Span }
  | { readonly kind: "bounded"; readonly element: TypeExpr; readonly capacity: IntLit; readonly span: Span }
  | { readonly kind: "function"; readonly params: readonly TypeExpr[]; readonly result?: TypeExpr; readonly span: Span }
  | { readonly kind: "perspective"; readonly path: Path; readonly span: Span }
  | {
      readonly kind: "projection";
      readonly projection: "rich" | "chunked" | "recognition";
      readonly inner: TypeExpr;
      readonly span: Span;
    };

// ---------------------------------------------------------------- statements

export interface Block {
  readonly kind: "block";
  readonly statements: readonly Stmt[];
  /** The last expression without `;`: the block's value. */
  readonly tail?: Expr;
  readonly span: Span;
}

export type Stmt =
  | LetStmt
  | AssignStmt
  | { readonly kind: "expr"; readonly expr: Expr; readonly span: Span }
  | { readonly kind: "if"; readonly expr: IfExpr; readonly span: Span }
  | { readonly kind: "match"; readonly expr: MatchExpr; readonly span: Span }
  | { readonly kind: "while"; readonly condition: Expr; readonly body: Block; readonly span: Span }
  | { readonly kind: "for"; readonly variable: Name; readonly source: Expr; readonly body: Block; readonly span: Span }
  | { readonly kind: "return"; readonly value?: Expr; readonly span: Span }
  | { readonly kind: "break" | "continue" | "yield" | "terminate"; readonly span: Span }
  | { readonly kind: "block"; readonly block: Block; readonly span: Span }
  | {
      readonly kind: "recovery";
      readonly action: "restart" | "restart_in_place" | "quarantine" | "reorganize" | "bubble";
      readonly actionSpan: Span;
      readonly args: readonly Expr[];
      readonly limit?: { readonly kind: "for" | "until"; readonly value: Expr };
      readonly span: Span;
    }
  | { readonly kind: "fail"; readonly value: Expr; readonly span: Span }
  | { readonly kind: "violate"; readonly closure: Name; readonly payload?: Expr; readonly span: Span }
  | { readonly kind: "reperspective"; readonly field: Name; readonly implementation: Path; readonly span: Span }
  | {
      readonly kind: "send";
      readonly subject: Expr;
      readonly value: Expr;
      readonly or?: Disposition;
      readonly span: Span;
    }
  | {
      readonly kind: "ring_write";
      readonly topic: Name;
      readonly count: Expr;
      readonly variable: Name;
      readonly body: Block;
      readonly span: Span;
    };

export interface LetStmt {
  readonly kind: "let";
  readonly mutable: boolean;
  /** One name, or the names of a tuple pattern. */
  readonly names: readonly Name[];
  readonly isTuple: boolean;
  readonly type?: TypeExpr;
  readonly value: Expr;
  readonly span: Span;
}

export type AssignOperator = "=" | "+=" | "-=" | "*=" | "/=" | "%=" | "&=" | "|=" | "^=";

export interface AssignStmt {
  readonly kind: "assign";
  /** A name, `self`, or `.member` / `[index]` steps from one of them. */
  readonly target: Expr;
  readonly operator: AssignOperator;
  readonly operatorSpan: Span;
  readonly value: Expr;
  readonly span: Span;
}

// ---------------------------------------------------------------- expressions

export type UnaryOperator = "-" | "!" | "~";
export type BinaryOperator =
  | "+"
  | "-"
  | "*"
  | "/"
  | "%"
  | "<<"
  | ">>"
  | "&"
  | "^"
  | "|"
  | "<"
  | ">"
  | "<="
  | ">="
  | "=="
  | "!="
  | "&&"
  | "||"; // prettier-ignore

export type Expr =
  | IntLit
  | { readonly kind: "float"; readonly value: number; readonly span: Span }
  /** `units` counts 10^-9. */
  | { readonly kind: "decimal"; readonly units: bigint; readonly span: Span }
  | QuantityLit
  | StringLit
  | { readonly kind: "fstring"; readonly parts: readonly FStringPart[]; readonly span: Span }
  | { readonly kind: "bytes"; readonly value: Uint8Array; readonly span: Span }
  /** Text between backticks; what instant it names is the checker's business. */
  | { readonly kind: "time"; readonly text: string; readonly span: Span }
  | { readonly kind: "bool"; readonly value: boolean; readonly span: Span }
  | { readonly kind: "nil"; readonly span: Span }
  | { readonly kind: "self"; readonly span: Span }
  /** A name or `a::b`. */
  | { readonly kind: "path"; readonly path: Path; readonly span: Span }
  | { readonly kind: "literal"; readonly path: Path; readonly fields: readonly FieldInit[]; readonly span: Span }
  | { readonly kind: "tuple"; readonly members: readonly Expr[]; readonly span: Span }
  | { readonly kind: "array"; readonly elements: readonly Expr[]; readonly span: Span }
  | { readonly kind: "repeat"; readonly value: Expr; readonly count: IntLit; readonly span: Span }
  | { readonly kind: "block"; readonly block: Block; readonly span: Span }
  | IfExpr
  | MatchExpr
  | { readonly kind: "unary"; readonly operator: UnaryOperator; readonly operand: Expr; readonly span: Span }
  | {
      readonly kind: "binary";
      readonly operator: BinaryOperator;
      readonly operatorSpan: Span;
      readonly left: Expr;
      readonly right: Expr;
      readonly span: Span;
    }
  | {
      readonly kind: "range";
      readonly low: Expr;
      readonly high: Expr;
      readonly inclusive: boolean;
      readonly span: Span;
    }
  | { readonly kind: "or"; readonly operand: Expr; readonly disposition: Disposition; readonly span: Span }
  | { readonly kind: "member"; readonly receiver: Expr; readonly name: Name; readonly span: Span }
  | {
      readonly kind: "element";
      readonly receiver: Expr;
      readonly index: number;
      readonly indexSpan: Span;
      readonly span: Span;
    } // `t.0`
  /** `::member` after something that is no plain path. */
  | { readonly kind: "scope"; readonly receiver: Expr; readonly name: Name; readonly span: Span }
  | { readonly kind: "index"; readonly receiver: Expr; readonly index: Expr; readonly span: Span }
  /** `named` only in calls of `api::serve` (01 7.14). */
  | {
      readonly kind: "call";
      readonly callee: Expr;
      readonly args: readonly Expr[];
      readonly named?: readonly CallArgument[];
      readonly span: Span;
    }
  /** `sum(e)` and `prod(e)` in expression position. */
  | { readonly kind: "aggregate"; readonly operation: "sum" | "prod"; readonly operand: Expr; readonly span: Span }
  | ChainExpr
  /** Parentheses are kept: the formatter and the "starts a statement" rules need them. */
  | { readonly kind: "paren"; readonly inner: Expr; readonly span: Span };

/** `bound: 4` or `receivers: { Path: expr, .. }` in a call of `api::serve`. */
export interface CallArgument {
  readonly name: Name;
  readonly value?: Expr;
  readonly receivers?: readonly { readonly path: Path; readonly value: Expr }[];
}

export interface IntLit {
  readonly kind: "int";
  /** Signed 64-bit value. */
  readonly value: bigint;
  readonly span: Span;
}

/** `5s`, `1_250USD`: magnitude and unit name. */
export interface QuantityLit {
  readonly kind: "quantity";
  readonly magnitude: bigint;
  readonly unit: string;
  readonly span: Span;
}

export interface StringLit {
  readonly kind: "string";
  /** The value's bytes (UTF-8, escapes resolved). */
  readonly value: Uint8Array;
  readonly span: Span;
}

export type FStringPart =
  | { readonly kind: "text"; readonly value: Uint8Array }
  | { readonly kind: "expr"; readonly expr: Expr; readonly format?: FormatSpec; readonly span: Span };

/** `[[fill]align][width][.precision][x|X]`, 01 4.7 rule 7. */
export interface FormatSpec {
  readonly fill?: string;
  readonly align?: "<" | "^" | ">";
  readonly width?: number;
  readonly precision?: number;
  readonly hex?: "x" | "X";
  readonly span: Span;
}

export interface FieldInit {
  readonly name: Name;
  readonly value: Expr;
  readonly span: Span;
}

export interface IfExpr {
  readonly kind: "if";
  readonly condition: Expr;
  readonly then: Block;
  readonly otherwise?: Block | IfExpr;
  readonly span: Span;
}

export interface MatchArm {
  /** Missing in `match { cond -> .. }`, where `guard` is the condition and neither is there for `else`. */
  readonly pattern?: Pattern;
  readonly guard?: Expr;
  readonly body: Expr;
  readonly span: Span;
}

export interface MatchExpr {
  readonly kind: "match";
  readonly keywordSpan: Span;
  readonly scrutinee?: Expr;
  readonly arms: readonly MatchArm[];
  readonly span: Span;
}

export type Pattern =
  | { readonly kind: "wildcard"; readonly span: Span }
  | { readonly kind: "binding"; readonly name: Name; readonly span: Span }
  /** Only int, float, decimal, quantity, string, bool, nil. */
  | { readonly kind: "value"; readonly value: Expr; readonly span: Span }
  | { readonly kind: "tuple"; readonly members: readonly Pattern[]; readonly span: Span }
  | { readonly kind: "variant"; readonly path: Path; readonly payload?: readonly Pattern[]; readonly span: Span };

export type Disposition =
  | { readonly kind: "raise" | "discard" | "wait"; readonly span: Span }
  | { readonly kind: "fail"; readonly value: Expr; readonly span: Span }
  | { readonly kind: "value"; readonly value: Expr; readonly span: Span };

/** An element chain as 01 section 10 recognises it. */
export interface ChainExpr {
  readonly kind: "chain";
  readonly source: Expr;
  readonly stages: readonly {
    readonly kind: "filter" | "map" | "take" | "skip" | "enumerate";
    readonly argument?: Expr;
    readonly span: Span;
  }[];
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
      | "each";
    readonly args: readonly Expr[];
    /** Only for `each`. */
    readonly body?: Block;
    readonly span: Span;
  };
  readonly span: Span;
}
