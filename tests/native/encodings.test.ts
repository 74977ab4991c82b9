// Every row of the encoding tables, in every shape the assembler gives it, read back by objdump; and bytes checked by hand where objdump is missing.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Assembler, FixupKind } from "../../compiler/native/x64/assembler.ts";
import {
  immediateGroup,
  type ImmediateGroup,
  regRm,
  rmReg,
  shiftGroup,
  type ShiftGroup,
  unary,
} from "../../compiler/native/x64/encodings.ts";
import { hasObjdump } from "./support/compare.ts";

const wideNames = [
  "rax",
  "rcx",
  "rdx",
  "rbx",
  "rsp",
  "rbp",
  "rsi",
  "rdi",
  "r8",
  "r9",
  "r10",
  "r11",
  "r12",
  "r13",
  "r14",
  "r15",
];
const narrowNames = [
  "eax",
  "ecx",
  "edx",
  "ebx",
  "esp",
  "ebp",
  "esi",
  "edi",
  "r8d",
  "r9d",
  "r10d",
  "r11d",
  "r12d",
  "r13d",
  "r14d",
  "r15d",
];
const wordNames = [
  "ax",
  "cx",
  "dx",
  "bx",
  "sp",
  "bp",
  "si",
  "di",
  "r8w",
  "r9w",
  "r10w",
  "r11w",
  "r12w",
  "r13w",
  "r14w",
  "r15w",
];
const byteNames = [
  "al",
  "cl",
  "dl",
  "bl",
  "spl",
  "bpl",
  "sil",
  "dil",
  "r8b",
  "r9b",
  "r10b",
  "r11b",
  "r12b",
  "r13b",
  "r14b",
  "r15b",
];

/** The instruction's bytes. */
function assemble(write: (asm: Assembler) => void): number[] {
  const asm = new Assembler();
  write(asm);
  return [...asm.bytes.subarray(0, asm.position)];
}

let directory = "";
beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), "hale-encodings-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

/** Disassembles instructions in one go; one line of text for each. */
function disassemble(instructions: readonly (readonly number[])[]): string[] {
  const file = path.join(directory, "code.bin");
  writeFileSync(file, Uint8Array.from(instructions.flat()));
  const text = execFileSync(
    "objdump",
    ["-D", "-b", "binary", "-m", "i386:x86-64", "-M", "intel", "--no-show-raw-insn", file],
    { encoding: "utf8" },
  );
  const lines = new Map<number, string>();
  for (const match of text.matchAll(/^\s*([0-9a-f]+):\s+(.*)$/gm)) {
    lines.set(
      Number.parseInt(match[1] ?? "", 16),
      (match[2] ?? "")
        .replace(/\s+#.*$/, "")
        .replaceAll(/\s+/g, " ")
        .trim(),
    );
  }
  let at = 0;
  const found = instructions.map((bytes) => {
    const line = lines.get(at) ?? `nothing starts at byte ${at}`;
    at += bytes.length;
    return line;
  });
  // No instruction may have left bytes over.
  expect(lines.size).toBe(instructions.length);
  return found;
}

interface Case {
  readonly bytes: readonly number[];
  readonly text: string;
}

/** How the operands of a register form are called. */
interface Shape {
  readonly mnemonic: string;
  readonly reg: "int" | "float" | "byte";
  readonly rm: "int" | "float" | "byte" | "word" | "narrow";
  /** Size of a memory operand for narrow and wide. */
  readonly size: readonly [string, string];
  readonly onlyWide?: boolean;
  readonly onlyNarrow?: boolean;
}

const integer = (mnemonic: string): Shape => ({ mnemonic, reg: "int", rm: "int", size: ["DWORD PTR ", "QWORD PTR "] });
const scalar = (mnemonic: string, size: string): Shape => ({
  mnemonic,
  reg: "float",
  rm: "float",
  size: [size, size],
  onlyNarrow: true,
});

const shapes: Readonly<Record<keyof typeof regRm, Shape>> = {
  add: integer("add"),
  or: integer("or"),
  and: integer("and"),
  sub: integer("sub"),
  xor: integer("xor"),
  cmp: integer("cmp"),
  mov: integer("mov"),
  movsxd: { mnemonic: "movsxd", reg: "int", rm: "narrow", size: ["", "DWORD PTR "], onlyWide: true },
  lea: { mnemonic: "lea", reg: "int", rm: "int", size: ["", ""] },
  imul: integer("imul"),
  movzx8: { mnemonic: "movzx", reg: "int", rm: "byte", size: ["BYTE PTR ", "BYTE PTR "] },
  movzx16: { mnemonic: "movzx", reg: "int", rm: "word", size: ["WORD PTR ", "WORD PTR "] },
  movsx8: { mnemonic: "movsx", reg: "int", rm: "byte", size: ["BYTE PTR ", "BYTE PTR "] },
  movsx16: { mnemonic: "movsx", reg: "int", rm: "word", size: ["WORD PTR ", "WORD PTR "] },
  bsf: integer("bsf"),
  bsr: integer("bsr"),
  popcnt: integer("popcnt"),
  movss: scalar("movss", "DWORD PTR "),
  movsd: scalar("movsd", "QWORD PTR "),
  movaps: scalar("movaps", "XMMWORD PTR "),
  movups: scalar("movups", "XMMWORD PTR "),
  addss: scalar("addss", "DWORD PTR "),
  addsd: scalar("addsd", "QWORD PTR "),
  mulss: scalar("mulss", "DWORD PTR "),
  mulsd: scalar("mulsd", "QWORD PTR "),
  subss: scalar("subss", "DWORD PTR "),
  subsd: scalar("subsd", "QWORD PTR "),
  divss: scalar("divss", "DWORD PTR "),
  divsd: scalar("divsd", "QWORD PTR "),
  minss: scalar("minss", "DWORD PTR "),
  minsd: scalar("minsd", "QWORD PTR "),
  maxss: scalar("maxss", "DWORD PTR "),
  maxsd: scalar("maxsd", "QWORD PTR "),
  sqrtss: scalar("sqrtss", "DWORD PTR "),
  sqrtsd: scalar("sqrtsd", "QWORD PTR "),
  ucomiss: scalar("ucomiss", "DWORD PTR "),
  ucomisd: scalar("ucomisd", "QWORD PTR "),
  cvtss2sd: scalar("cvtss2sd", "DWORD PTR "),
  cvtsd2ss: scalar("cvtsd2ss", "QWORD PTR "),
  cvtsi2ss: { mnemonic: "cvtsi2ss", reg: "float", rm: "int", size: ["DWORD PTR ", "QWORD PTR "] },
  cvtsi2sd: { mnemonic: "cvtsi2sd", reg: "float", rm: "int", size: ["DWORD PTR ", "QWORD PTR "] },
  cvttss2si: { mnemonic: "cvttss2si", reg: "int", rm: "float", size: ["DWORD PTR ", "DWORD PTR "] },
  cvttsd2si: { mnemonic: "cvttsd2si", reg: "int", rm: "float", size: ["QWORD PTR ", "QWORD PTR "] },
  andps: scalar("andps", "XMMWORD PTR "),
  andnps: scalar("andnps", "XMMWORD PTR "),
  orps: scalar("orps", "XMMWORD PTR "),
  xorps: scalar("xorps", "XMMWORD PTR "),
  pxor: scalar("pxor", "XMMWORD PTR "),
  movd: { mnemonic: "movd", reg: "float", rm: "int", size: ["DWORD PTR ", "QWORD PTR "] },
  // Their immediate is written by the emitter.
  roundss: scalar("roundss", "DWORD PTR "),
  roundsd: scalar("roundsd", "QWORD PTR "),
};

function nameOf(kind: Shape["reg"] | Shape["rm"], number: number, wide: number): string {
  switch (kind) {
    case "float":
      return `xmm${number}`;
    case "byte":
      return byteNames[number] ?? "";
    case "word":
      return wordNames[number] ?? "";
    case "narrow":
      return narrowNames[number] ?? "";
    default:
      return (wide ? wideNames : narrowNames)[number] ?? "";
  }
}

const registerPairs = [
  [0, 1],
  [3, 9],
  [12, 6],
  [15, 13],
  [7, 4],
] as const;

/** [base, index, scale, displacement, narrow, text] */
const addresses: readonly (readonly [number, number, number, number, boolean, string])[] = [
  [0, -1, 0, 0, false, "[rax]"],
  [5, -1, 0, 0, false, "[rbp+0x0]"],
  [4, -1, 0, 8, false, "[rsp+0x8]"],
  [12, -1, 0, 0, false, "[r12]"],
  [13, -1, 0, 0, false, "[r13+0x0]"],
  [3, -1, 0, -128, false, "[rbx-0x80]"],
  [3, -1, 0, 128, false, "[rbx+0x80]"],
  [6, 15, 3, 0x100000, false, "[rsi+r15*8+0x100000]"],
  [5, 0, 0, 0, false, "[rbp+rax*1+0x0]"],
  [12, 13, 2, 4, false, "[r12+r13*4+0x4]"],
  [-1, 8, 1, 0x10, false, "[r8*2+0x10]"],
  [-1, -1, 0, 0x100040, false, "ds:0x100040"],
  [0, 1, 2, 0x100000, true, "[eax+ecx*4+0x100000]"],
  [9, -1, 0, -16, true, "[r9d-0x10]"],
];

function isRound(name: string): boolean {
  return name.startsWith("round");
}

function registerCases(): Case[] {
  const cases: Case[] = [];
  for (const [name, code] of Object.entries(regRm)) {
    const shape = shapes[name as keyof typeof regRm];
    for (const wide of [0, 1]) {
      if ((wide === 0 && shape.onlyWide) || (wide === 1 && shape.onlyNarrow)) continue;
      const mnemonic = name === "movd" && wide ? "movq" : shape.mnemonic;
      const tail = isRound(name) ? ",0x9" : "";
      if (name !== "lea") {
        for (const [reg, rm] of registerPairs) {
          const bytes = assemble((asm) => {
            asm.regReg(code, wide, reg, rm, shape.rm === "byte");
            if (isRound(name)) asm.raw(9);
          });
          cases.push({
            bytes,
            text: `${mnemonic} ${nameOf(shape.reg, reg, wide)},${nameOf(shape.rm, rm, wide)}${tail}`,
          });
        }
      }
      for (const [base, index, scale, displacement, narrow, text] of addresses) {
        const bytes = assemble((asm) => {
          asm.setAddress(base, index, scale, displacement, narrow);
          asm.regMem(code, wide, 9, false, isRound(name) ? 1 : 0);
          if (isRound(name)) asm.raw(9);
        });
        cases.push({
          bytes,
          text: `${mnemonic} ${nameOf(shape.reg, 9, wide)},${shape.size[wide] ?? ""}${text}${tail}`,
        });
      }
    }
  }
  return cases;
}

const storeShapes: Readonly<Record<keyof typeof rmReg, Shape>> = {
  add: integer("add"),
  or: integer("or"),
  and: integer("and"),
  sub: integer("sub"),
  xor: integer("xor"),
  cmp: integer("cmp"),
  test: integer("test"),
  mov: integer("mov"),
  mov8: { mnemonic: "mov", reg: "byte", rm: "byte", size: ["BYTE PTR ", ""], onlyNarrow: true },
  xchg: integer("xchg"),
  xchg8: { mnemonic: "xchg", reg: "byte", rm: "byte", size: ["BYTE PTR ", ""], onlyNarrow: true },
  movss: scalar("movss", "DWORD PTR "),
  movsd: scalar("movsd", "QWORD PTR "),
  movups: scalar("movups", "XMMWORD PTR "),
  movd: { mnemonic: "movd", reg: "float", rm: "int", size: ["DWORD PTR ", "QWORD PTR "] },
  xadd: integer("xadd"),
  xadd8: { mnemonic: "xadd", reg: "byte", rm: "byte", size: ["BYTE PTR ", ""], onlyNarrow: true },
  cmpxchg: integer("cmpxchg"),
  cmpxchg8: { mnemonic: "cmpxchg", reg: "byte", rm: "byte", size: ["BYTE PTR ", ""], onlyNarrow: true },
};

function storeCases(): Case[] {
  const cases: Case[] = [];
  for (const [name, code] of Object.entries(rmReg)) {
    const shape = storeShapes[name as keyof typeof rmReg];
    for (const wide of [0, 1]) {
      if (wide === 1 && shape.onlyNarrow) continue;
      const mnemonic = name === "movd" && wide ? "movq" : shape.mnemonic;
      for (const reg of [1, 6, 14]) {
        for (const [base, index, scale, displacement, narrow, text] of addresses) {
          const bytes = assemble((asm) => {
            asm.setAddress(base, index, scale, displacement, narrow);
            asm.regMem(code, wide, reg, shape.reg === "byte");
          });
          cases.push({ bytes, text: `${mnemonic} ${shape.size[wide] ?? ""}${text},${nameOf(shape.reg, reg, wide)}` });
        }
      }
    }
  }
  return cases;
}

function hexadecimal(value: number, wide: number): string {
  if (value >= 0) return `0x${value.toString(16)}`;
  return `0x${BigInt.asUintN(wide ? 64 : 32, BigInt(value)).toString(16)}`;
}

function groupCases(): Case[] {
  const cases: Case[] = [];
  for (const wide of [0, 1]) {
    const names = wide ? wideNames : narrowNames;
    const size = wide ? "QWORD PTR " : "DWORD PTR ";
    for (const group of Object.keys(immediateGroup) as ImmediateGroup[]) {
      for (const value of [1, -1, 127, -128, 128, -129, 0x12345678]) {
        for (const register of [3, 12]) {
          cases.push({
            bytes: assemble((asm) => asm.immReg(group, wide, register, value)),
            text: `${group} ${names[register]},${hexadecimal(value, wide)}`,
          });
        }
        const bytes = assemble((asm) => {
          asm.setAddress(4, -1, 0, 16, false);
          asm.immMem(group, wide, value);
        });
        cases.push({ bytes, text: `${group} ${size}[rsp+0x10],${hexadecimal(value, wide)}` });
      }
    }
    for (const group of Object.keys(shiftGroup) as ShiftGroup[]) {
      cases.push({ bytes: assemble((asm) => asm.shiftImm(group, wide, 10, 7)), text: `${group} ${names[10]},0x7` });
      cases.push({ bytes: assemble((asm) => asm.shiftCl(group, wide, 10)), text: `${group} ${names[10]},cl` });
    }
    for (const [name, entry] of Object.entries(unary)) {
      // Calls and jumps always take 64 bits.
      if (name === "call" || name === "jmp") continue;
      cases.push({ bytes: assemble((asm) => asm.unaryReg(entry, wide, 8)), text: `${name} ${names[8]}` });
    }
    cases.push({
      bytes: assemble((asm) => asm.multiplyImm(wide, 1, 11, 100)),
      text: `imul ${names[1]},${names[11]},0x64`,
    });
    cases.push({
      bytes: assemble((asm) => asm.multiplyImm(wide, 9, 2, 1000)),
      text: `imul ${names[9]},${names[2]},0x3e8`,
    });
    cases.push({ bytes: assemble((asm) => asm.testImm(wide, 6, 0x40)), text: `test ${names[6]},0x40` });
  }
  cases.push({ bytes: assemble((asm) => asm.testImm(0, 1, 0x40)), text: "test cl,0x40" });
  cases.push({ bytes: assemble((asm) => asm.unaryReg(unary.call, 0, 11)), text: "call r11" });
  cases.push({ bytes: assemble((asm) => asm.unaryReg(unary.jmp, 0, 1)), text: "jmp rcx" });
  return cases;
}

function otherCases(): Case[] {
  const conditionNames = ["o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g"];
  const cases: Case[] = conditionNames.flatMap((name, code) => [
    { bytes: assemble((asm) => asm.setCondition(code, 6)), text: `set${name} sil` },
    { bytes: assemble((asm) => asm.setCondition(code, 13)), text: `set${name} r13b` },
    { bytes: assemble((asm) => asm.regReg(0x140 | code, 1, 2, 8)), text: `cmov${name} rdx,r8` },
  ]);
  for (const register of [0, 7, 12]) {
    cases.push({ bytes: assemble((asm) => asm.push(register)), text: `push ${wideNames[register]}` });
    cases.push({ bytes: assemble((asm) => asm.pop(register)), text: `pop ${wideNames[register]}` });
    cases.push({ bytes: assemble((asm) => asm.moveImm(register, 5, 0)), text: `mov ${narrowNames[register]},0x5` });
    cases.push({
      bytes: assemble((asm) => asm.moveImm(register, -5, -1)),
      text: `mov ${wideNames[register]},0xfffffffffffffffb`,
    });
    cases.push({
      bytes: assemble((asm) => asm.moveImm(register, 0x55667788, 0x11223344)),
      text: `movabs ${wideNames[register]},0x1122334455667788`,
    });
  }
  const sizes = [
    [1, "BYTE PTR ", "0xfe"],
    [2, "WORD PTR ", "0xfffe"],
    [4, "DWORD PTR ", "0xfffffffe"],
    [8, "QWORD PTR ", "0xfffffffffffffffe"],
  ] as const;
  for (const [size, name, text] of sizes) {
    const bytes = assemble((asm) => {
      asm.setAddress(3, 9, 1, 64, false);
      asm.storeImm(size, -2);
    });
    cases.push({ bytes, text: `mov ${name}[rbx+r9*2+0x40],${text}` });
    const thread = assemble((asm) => {
      asm.setThreadAddress(64);
      asm.storeImm(size, -2);
    });
    cases.push({ bytes: thread, text: `mov ${name}fs:0x40,${text}` });
  }
  return cases;
}

describe.runIf(hasObjdump())("encodings read back by objdump", () => {
  const check = (cases: readonly Case[]) => {
    expect(disassemble(cases.map(({ bytes }) => bytes))).toEqual(cases.map(({ text }) => text));
  };
  it("op reg, reg/mem: every row, with every kind of address", () => check(registerCases()));
  it("op mem, reg: every row, with every kind of address", () => check(storeCases()));
  it("immediates, shifts, one-operand instructions", () => check(groupCases()));
  it("conditions, stack, constants, stores of constants", () => check(otherCases()));
});

describe("encodings checked by hand against the manual", () => {
  const hex = (write: (asm: Assembler) => void) => Buffer.from(assemble(write)).toString("hex");
  it("registers need REX bits from the eighth on", () => {
    expect(hex((asm) => asm.regReg(regRm.add, 0, 0, 1))).toBe("03c1");
    expect(hex((asm) => asm.regReg(regRm.add, 1, 8, 15))).toBe("4d03c7");
  });
  it("byte operations on sil and dil need an empty REX prefix", () => {
    expect(hex((asm) => asm.regReg(regRm.movzx8, 0, 0, 6, true))).toBe("400fb6c6");
    expect(hex((asm) => asm.regReg(regRm.movzx8, 0, 0, 3, true))).toBe("0fb6c3");
  });
  it("a mandatory prefix stands before REX", () => {
    expect(hex((asm) => asm.regReg(regRm.addsd, 0, 9, 10))).toBe("f2450f58ca");
    expect(hex((asm) => asm.regReg(regRm.movd, 1, 0, 11))).toBe("66490f6ec3");
  });
  it("an address modulo 2^32 has the prefix 67", () => {
    const bytes = hex((asm) => {
      asm.setAddress(0, 1, 2, 0x100000, true);
      asm.regMem(regRm.mov, 0, 2);
    });
    expect(bytes).toBe("678b948800001000");
  });
  it("a place in the image leaves four bytes to the linker, measured from the end of the instruction", () => {
    const asm = new Assembler();
    asm.setImageAddress(FixupKind.readOnly, 24);
    asm.immMem("cmp", 0, 1000);
    expect(Buffer.from(asm.bytes.subarray(0, asm.position)).toString("hex")).toBe("813d00000000e8030000");
    expect(asm.fixups).toEqual([2, FixupKind.readOnly, 24, 8]);
  });
});
