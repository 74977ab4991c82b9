import type {
  ArrayType,
  BoundedType,
  CellType,
  ErrorType,
  FunctionType,
  LocusType,
  PrimitiveName,
  PrimitiveType,
  TupleType,
  Type,
  ViewOfChildren,
} from "./types.ts"; // prettier-ignore

const primitive = (name: PrimitiveName): PrimitiveType => ({ kind: "primitive", name });

export const INT = primitive("Int");
export const FLOAT = primitive("Float");
export const BOOL = primitive("Bool");
export const STRING = primitive("String");
export const BYTES = primitive("Bytes");
export const DECIMAL = primitive("Decimal");
export const DURATION = primitive("Duration");
export const TIME = primitive("Time");
export const STRING_VIEW = primitive("StringView");
export const BYTES_VIEW = primitive("BytesView");
export const BYTES_MUT = primitive("BytesMut");
export const UINT = primitive("Uint");
export const UNIT = primitive("()");
export const NEVER = primitive("never");
export const POISON: ErrorType = { kind: "error" };

/** The primitives that a program may write, by name. */
export const WRITABLE_PRIMITIVES: ReadonlyMap<string, PrimitiveType> = new Map(
  [INT, FLOAT, BOOL, STRING, BYTES, DECIMAL, DURATION, TIME, STRING_VIEW, BYTES_VIEW, BYTES_MUT, UINT].map((type) => [
    type.name,
    type,
  ]),
);

/** Makes the structural types, each once, so that `===` compares types. */
export class TypeTable {
  readonly #ids = new Map<Type, number>();
  readonly #made = new Map<string, Type>();

  tuple(members: readonly Type[]): TupleType {
    return this.#intern(`t${this.#keys(members)}`, (): TupleType => ({ kind: "tuple", members }));
  }

  array(element: Type, length: number | undefined): ArrayType {
    return this.#intern(
      `a${this.idOf(element)};${length ?? ""}`,
      (): ArrayType => ({ kind: "array", element, length }),
    );
  }

  bounded(element: Type, capacity: number): BoundedType {
    return this.#intern(
      `b${this.idOf(element)};${capacity}`,
      (): BoundedType => ({ kind: "bounded", element, capacity }),
    );
  }

  function(params: readonly Type[], result: Type): FunctionType {
    return this.#intern(
      `f${this.#keys(params)}>${this.idOf(result)}`,
      (): FunctionType => ({ kind: "function", params, result }),
    );
  }

  cell(slot: string, element: Type): CellType {
    return this.#intern(`c${slot};${this.idOf(element)}`, (): CellType => ({ kind: "cell", slot, element }));
  }

  children(child: LocusType): ViewOfChildren {
    return this.#intern(`h${this.idOf(child)}`, (): ViewOfChildren => ({ kind: "children", child }));
  }

  /** A number that stands for a type in keys. */
  idOf(type: Type): number {
    const known = this.#ids.get(type);
    if (known !== undefined) return known;
    const id = this.#ids.size;
    this.#ids.set(type, id);
    return id;
  }

  #keys(types: readonly Type[]): string {
    return types.map((type) => this.idOf(type)).join(",");
  }

  #intern<T extends Type>(key: string, make: () => T): T {
    const known = this.#made.get(key);
    // The key's first letter fixes the kind, so what was made under it has the type of `make`.
    if (known) return known as T;
    const made = make();
    this.#made.set(key, made);
    return made;
  }
}

export function isPoison(type: Type): boolean {
  return type.kind === "error";
}

/** Int, Float, Decimal, Duration: the types of the `Numeric` bound (03 12.4.6). */
export function isNumeric(type: Type): boolean {
  return type === INT || type === FLOAT || type === DECIMAL || type === DURATION;
}

/** String or its view. */
export function isText(type: Type): boolean {
  return type === STRING || type === STRING_VIEW;
}
