// The text of each printable type (03 19), written into the runtime's text buffer.
import type { ArrayType, BoundedType, EnumType, RecordType, TextFormat, TupleType, Type } from "../semantics/index.ts";
import { ValueType } from "../wasm/index.ts";
import { encodeText } from "./bytes.ts";
import { FunctionContext } from "./function-context.ts";
import { elementsOffset, layoutOf, strideOf } from "./layout.ts";
import type { AddedFunction, ProgramContext } from "./program-context.ts";
import { scale } from "./places.ts";
import { partOf, partStorage, type Storage } from "./storage.ts";
import { writeLiteral } from "./text.ts";
import { localAt, pushLeaf, pushStored } from "./values.ts";

/** More elements than this are not printed (03 19.3.2). */
const PRINTED_ELEMENTS = 32;

/** Appends the text of a stored value. `nested`: inside a record, tuple or array, where Strings stand between quotes. */
export function writeText(
  fn: FunctionContext,
  type: Type,
  storage: Storage,
  nested: boolean,
  format?: TextFormat,
): void {
  switch (type.kind) {
    case "primitive":
      writeScalar(fn, type.name, type, storage, nested, format);
      return;
    case "scalar":
      writeText(fn, type.base, storage, nested, format);
      return;
    case "record":
    case "tuple":
    case "enum":
    case "array":
    case "bounded":
      pushStored(fn, storage, layoutOf(type), "any", false);
      fn.code.call(textFunction(fn.program, type));
      return;
    default:
      throw new Error(`${type.kind} has no text`);
  }
}

function writeScalar(
  fn: FunctionContext,
  name: string,
  type: Type,
  storage: Storage,
  nested: boolean,
  format: TextFormat | undefined,
): void {
  const { code, program } = fn;
  pushStored(fn, storage, layoutOf(type), "any", false);
  const call = (runtimeName: string) => code.call(program.runtimeFunction(runtimeName));
  switch (name) {
    case "Int":
      if (!format?.hex) {
        call("text_int");
        return;
      }
      code.i32(format.hex === "X" ? 1 : 0);
      call("text_hex");
      return;
    case "Float":
      if (format?.precision === undefined) {
        call("text_float");
        return;
      }
      code.i32(format.precision);
      call("text_fixed");
      return;
    case "Decimal":
      if (format?.precision === undefined) {
        call("text_decimal");
        return;
      }
      code.i32(format.precision);
      call("text_decimal_fixed");
      return;
    case "Bool":
      call("text_bool");
      return;
    case "Duration":
      call("text_duration");
      return;
    case "Time":
      call("text_time");
      return;
    case "String":
      call(nested ? "text_quoted" : "text_string");
      return;
    case "StringView":
      call("text_view");
      return;
    default:
      throw new Error(`${name} has no text`);
  }
}

type Composite = RecordType | TupleType | EnumType | ArrayType | BoundedType;

/** The function `(leaves) -> ()` that appends the text of a composite. */
function textFunction(program: ProgramContext, type: Composite): number {
  const params = layoutOf(type).leaves.map((leaf) => leaf.wasm);
  return program.helper("text", type, () =>
    program.addFunction("text", params, [], (added) => writeTextFunction(program, type, params, added)),
  ).index;
}

function writeTextFunction(
  program: ProgramContext,
  type: Composite,
  params: readonly ValueType[],
  added: AddedFunction,
): void {
  const fn = new FunctionContext(program, undefined, params);
  const storage: Storage = { kind: "locals", locals: params.map((_, position) => position) };
  switch (type.kind) {
    case "record":
      writeMembers(
        fn,
        type,
        storage,
        type.fields.length === 0 ? `${type.name} {` : `${type.name} { `,
        type.fields.map((field) => `${field.name}: `),
        type.fields.length === 0 ? "}" : " }",
      );
      break;
    case "tuple":
      writeMembers(
        fn,
        type,
        storage,
        "(",
        type.members.map(() => ""),
        ")",
      );
      break;
    case "enum":
      writeEnum(fn, type, storage);
      break;
    case "array":
    case "bounded":
      writeElements(fn, type, localAt(storage, 0));
      break;
    default:
      (type) satisfies never;
  }
  added.finished = fn.code.finish();
}

function writeMembers(
  fn: FunctionContext,
  type: RecordType | TupleType,
  storage: Storage,
  open: string,
  labels: readonly string[],
  close: string,
): void {
  const layout = layoutOf(type);
  const content: Storage =
    layout.box && storage.kind === "locals" ? { kind: "memory", base: localAt(storage, 0), offset: 0 } : storage;
  let before = open;
  for (const [index, label] of labels.entries()) {
    const part = partOf(layout, index);
    writeLiteral(fn, encodeText(before + label));
    writeText(fn, part.type, partStorage(content, part), true);
    before = ", ";
  }
  writeLiteral(fn, encodeText(labels.length === 0 ? open + close : close));
}

function writeEnum(fn: FunctionContext, type: EnumType, storage: Storage): void {
  const { code } = fn;
  const layout = layoutOf(type);
  const content = layout.box ?? layout;
  const from: Storage =
    layout.box && storage.kind === "locals" ? { kind: "memory", base: localAt(storage, 0), offset: 0 } : storage;
  for (const [index, variant] of type.variants.entries()) {
    const isLast = index === type.variants.length - 1;
    if (!isLast) {
      pushLeaf(fn, from, content, 0);
      code.i32(index);
      code.op("i32.eq");
      code.if();
    }
    let before = `${type.name}::${variant.name}`;
    for (const [position, payload] of variant.payload.entries()) {
      before += position === 0 ? "(" : ", ";
      writeLiteral(fn, encodeText(before));
      before = "";
      const slots = layout.payloads[index]?.[position] ?? [];
      const part = fn.temps(layoutOf(payload).leaves);
      for (const [leaf, slot] of slots.entries()) {
        pushLeaf(fn, from, content, slot);
        code.set(localAt(part, leaf));
      }
      writeText(fn, payload, part, false);
      fn.freeTemps(part);
    }
    writeLiteral(fn, encodeText(before + (variant.payload.length > 0 ? ")" : "")));
    if (!isLast) {
      code.return();
      code.end();
    }
  }
}

function writeElements(fn: FunctionContext, type: ArrayType | BoundedType, cell: number): void {
  const { code } = fn;
  const index = code.local(ValueType.i32);
  const count = code.local(ValueType.i32);
  const element = code.local(ValueType.i32);
  if (type.kind === "bounded") {
    code.get(cell);
    code.load(ValueType.i32, 0);
  } else code.i32(type.length ?? 0);
  code.set(count);
  writeLiteral(fn, encodeText("["));
  const exit = code.block();
  const next = code.loop();
  code.get(index);
  code.get(count);
  code.op("i32.ge_s");
  code.brIf(exit);
  code.get(index);
  code.i32(PRINTED_ELEMENTS);
  code.op("i32.eq");
  code.if();
  writeLiteral(fn, encodeText(", …"));
  code.br(exit);
  code.end();
  code.get(index);
  code.if();
  writeLiteral(fn, encodeText(", "));
  code.end();
  code.get(index);
  scale(fn, strideOf(type));
  code.get(cell);
  code.op("i32.add");
  code.set(element);
  writeText(fn, type.element, { kind: "memory", base: element, offset: elementsOffset(type) }, true);
  code.get(index);
  code.i32(1);
  code.op("i32.add");
  code.set(index);
  code.br(next);
  code.end();
  code.end();
  writeLiteral(fn, encodeText("]"));
}
