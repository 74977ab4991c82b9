// The zero of a type: what a body that is left without a value answers (reference 05b 5b.6.5).
import type { EnumType, Type, TypedExpr } from "../semantics/index.ts";

type Span = TypedExpr["span"];

/**
 * An expression for the zero of a type: 0, false, "", and what consists of such. An enum's is the first of its variants that has one. `undefined` for handles, functions and
 * what contains them without a choice.
 */
export function zeroOf(type: Type, span: Span): TypedExpr | undefined {
  const inner = (part: Type) => zeroOf(part, span);
  switch (type.kind) {
    case "primitive":
      return zeroOfPrimitive(type, span);
    case "scalar": {
      const base = inner(type.base);
      return base && { ...base, type };
    }
    case "tuple": {
      const members = allOf(type.members, inner);
      return members && { kind: "tuple", members, type, span };
    }
    case "record": {
      const fields = allOf(
        type.fields.map((field) => field.type),
        inner,
      );
      return fields && { kind: "record", fields, type, span };
    }
    case "enum":
      return zeroOfEnum(type, span, inner);
    case "array": {
      const value = inner(type.element);
      return value && { kind: "repeat", value, count: type.length ?? 0, type, span };
    }
    case "bounded":
      return { kind: "empty-bounded", type, span };
    default:
      return undefined;
  }
}

function zeroOfPrimitive(type: Type & { readonly kind: "primitive" }, span: Span): TypedExpr | undefined {
  switch (type.name) {
    case "Int":
    case "Uint":
      return { kind: "int", value: 0n, type, span };
    case "Float":
      return { kind: "float", value: 0, type, span };
    case "Bool":
      return { kind: "bool", value: false, type, span };
    case "Decimal":
      return { kind: "decimal", units: 0n, type, span };
    case "Duration":
      return { kind: "duration", nanoseconds: 0n, type, span };
    case "Time":
      return { kind: "time", nanoseconds: 0n, type, span };
    case "String":
      return { kind: "string", value: new Uint8Array(), type, span };
    case "Bytes":
      return { kind: "bytes", value: new Uint8Array(), type, span };
    case "()":
      return { kind: "unit", type, span };
    default:
      return undefined;
  }
}

function zeroOfEnum(type: EnumType, span: Span, inner: (part: Type) => TypedExpr | undefined): TypedExpr | undefined {
  for (const [index, variant] of type.variants.entries()) {
    const payload = allOf(variant.payload, inner);
    if (payload) return { kind: "variant", enum: type, index, payload, type, span };
  }
  return undefined;
}

function allOf(types: readonly Type[], zero: (type: Type) => TypedExpr | undefined): TypedExpr[] | undefined {
  const zeros: TypedExpr[] = [];
  for (const type of types) {
    const value = zero(type);
    if (!value) return undefined;
    zeros.push(value);
  }
  return zeros;
}
