// The topology artifact (11b.9): the checked model of a program as JSON, the same bytes for the same sources wherever they are checked.
import path from "node:path";
import type { LocusType, TypedFunction, TypedProgram } from "../../semantics/index.ts";
import { typeText } from "../../semantics/index.ts";
import type { SourceFile, Span } from "../../source/index.ts";
import { type Assertion, assertionsOf, itemText, namedText } from "../assertions.ts";
import { checkBudgets } from "../budgets.ts";
import { BusGraph, sendsOf, wireSubject } from "../bus-graph.ts";
import { builtIn, NONE, UNKNOWN } from "../classes.ts";
import { closuresOf, resolveGroups, judgeClaims, type Demanded, type Judgement } from "../claims/index.ts";
import { checkEffectAssertions } from "../effect-assertions.ts";
import { Effects } from "../effects.ts";
import { Findings } from "../findings.ts";
import { functionName, isGenerated, locusName, textOf } from "../names.ts";
import { checkNoPanic } from "../no-panic.ts";
import { checkPhaseEffects } from "../phase-effects.ts";

const SCHEMA = "hale-topology-1";
/** Grows when the rules by which the model is made change. */
const SEMANTICS = 1;

export interface Topology {
  /** The artifact with its final line feed. */
  readonly text: string;
  readonly shapeHash: string;
}

/**
 * The artifact of a program.
 * @param root directory that paths are told from
 */
export function topology(program: TypedProgram, root: string, demanded: readonly Demanded[] = []): Topology {
  const model = new Model(program, root, demanded);
  const half = section(model.shape());
  const shapeHash = fnv64(half);
  const head = `${section({ schema: SCHEMA, semantics: SEMANTICS })},\n${line("shape_hash", shapeHash)},\n${half}`;
  const body = `{\n${head},\n${section(model.evidence())}`;
  return { text: `${body},\n${line("artifact_digest", fnv64(body))}\n}\n`, shapeHash };
}

const DIGEST = /,\n {2}"artifact_digest": "([0-9a-f]{16})"\n\}\n$/;
const SHAPE = /^ {2}"shape_hash": "([0-9a-f]{16})",?$/m;

/** The shape hash that an artifact tells, when its digest is that of its content. */
export function shapeOfArtifact(text: string): string | undefined {
  const end = DIGEST.exec(text);
  if (!end || fnv64(text.slice(0, end.index)) !== end[1]) return undefined;
  return SHAPE.exec(text)?.[1];
}

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** Top-level entries, one member of a list a line, so that differences can be read. */
function section(entries: { readonly [key: string]: Json }): string {
  return Object.entries(entries)
    .map(([key, value]) => line(key, value))
    .join(",\n");
}

function line(key: string, value: Json): string {
  const name = `  ${JSON.stringify(key)}: `;
  if (Array.isArray(value) && value.length > 0) {
    return `${name}[\n${value.map((each: Json) => `    ${JSON.stringify(each)}`).join(",\n")}\n  ]`;
  }
  return name + JSON.stringify(value);
}

/** Fowler, Noll & Vo, FNV-1a, 64 bits, 16 hexadecimal digits. */
function fnv64(text: string): string {
  let low = 0x84222325;
  let high = 0xcbf29ce4;
  for (const byte of new TextEncoder().encode(text)) {
    low = (low ^ byte) >>> 0;
    // Times 2^40 + 0x1b3, in two halves.
    const product = low * 0x1b3;
    high = (Math.imul(high, 0x1b3) + Math.floor(product / 0x100000000) + (low << 8)) >>> 0;
    low = product >>> 0;
  }
  return high.toString(16).padStart(8, "0") + low.toString(16).padStart(8, "0");
}

const SHOWN = [
  "syscall",
  "block",
  "publish",
  "time",
  "entropy",
  "env",
  "alloc",
  "spawn",
  "ffi",
  "recursion",
  "secret_use",
] as const;

class Model {
  readonly #program: TypedProgram;
  readonly #root: string;
  readonly #effects: Effects;
  readonly #bus: BusGraph;
  /** The functions of the program; of a generic one all instances, under its name. */
  readonly #functions: ReadonlyMap<string, readonly TypedFunction[]>;
  readonly #loci: ReadonlyMap<string, readonly LocusType[]>;
  readonly #files: readonly SourceFile[];
  readonly #judgements: readonly Judgement[];
  readonly #groups: ReturnType<typeof resolveGroups>;

  constructor(program: TypedProgram, root: string, demanded: readonly Demanded[]) {
    this.#program = program;
    this.#root = root;
    this.#effects = new Effects(program);
    this.#bus = new BusGraph(program);
    this.#functions = byName(
      program.functions.filter(
        (fn) => !fn.span.file.isStd && !isGenerated(fn) && fn.role !== "initialiser" && fn.role !== "const",
      ),
      functionName,
    );
    this.#loci = byName(
      program.loci.filter(({ isStd }) => !isStd),
      locusName,
    );
    this.#files = [...new Set(program.seeds.flatMap(({ files }) => files))].sort((a, b) =>
      order(this.#path(a), this.#path(b)),
    );
    const findings = new Findings();
    this.#groups = resolveGroups(this.#effects, findings);
    this.#judgements = judgeClaims(this.#effects, this.#bus, this.#groups, demanded, findings);
  }

  // ------------------------------------------------------------ the half that the shape hash covers

  shape(): { readonly [key: string]: Json } {
    const { topics, seeds } = this.#program;
    return {
      sorts: {
        loci: [...this.#loci.keys()],
        fns: [...this.#functions.keys()],
        topics: sorted(topics.map(({ displayName }) => displayName)),
      },
      sealed: firsts(this.#loci)
        .filter(({ isSealed }) => isSealed)
        .map(locusName),
      relations: {
        calls: this.#calls(),
        calls_via_stdlib: this.#callsThroughLibrary(),
        publishes: this.#publishes(),
        subscribes: rows(
          this.#subscribers().map(({ locus, subscription }) => ({
            subject: subscription.subject,
            locus: locusName(locus),
            handler: functionName(subscription.handler),
          })),
        ),
      },
      groups: rows(
        seeds.flatMap((seed) =>
          this.#groups.of(seed).map((group) => ({
            name: seed.prefix === "" ? group.name : `${seed.prefix}::${group.name}`,
            members: sorted([...group.loci.map(locusName), ...group.freeFunctions.map(functionName)]),
          })),
        ),
      ),
      labels: rows(
        firsts(this.#functions).flatMap((fn) => {
          const classes = assertionsOf(fn).flatMap((each) => (each.kind === "is" ? each.classes.map(namedText) : []));
          return classes.length === 0 ? [] : [{ fn: functionName(fn), classes: sorted(classes) }];
        }),
      ),
      phases: firsts(this.#functions).flatMap((fn) =>
        fn.self ? [{ fn: functionName(fn), phase: functionName(fn).split("::").at(-1) ?? "", kind: fn.role }] : [],
      ),
      seeds: rows(
        seeds
          .filter(({ prefix }) => prefix !== "")
          .map(({ prefix, loci, functions, topics: declared }) => ({
            alias: prefix,
            declarations: sorted([...loci.keys(), ...functions.keys(), ...declared.keys()]),
          })),
      ),
      effects: [...this.#functions].map(([fn, instances]) => ({ fn, classes: this.#classesOf(instances) })),
      supervision: rows(
        firsts(this.#loci).flatMap((locus) =>
          locus.onFailure.map((handler) => ({
            locus: locusName(locus),
            child: handler.params[0] ? typeText(handler.params[0].type) : "",
            error: handler.params[1] ? typeText(handler.params[1].type) : "",
            operations: operationsIn(textOf(handler.span)),
          })),
        ),
      ),
      unknowns: this.#unknowns(),
      endpoint_identity: this.#endpoints().map(({ verb, locus, site, subject, topic }) => ({
        verb,
        owner: locus,
        site,
        subject,
        topic,
      })),
    };
  }

  #calls(): Json[] {
    const found = new Map<string, { from: string; to: string; loop?: true; unbounded?: true; via_interface?: true }>();
    for (const fn of this.#instances()) {
      for (const event of this.#effects.eventsOf(fn)) {
        if (event.kind !== "call") continue;
        const isInterface = event.call.callee.kind === "interface" || event.call.callee.kind === "perspective";
        for (const target of this.#effects.targetsOf(event, fn).functions) {
          if (target.span.file.isStd || isGenerated(target)) continue;
          const edge = { from: functionName(fn), to: functionName(target) };
          const known = found.get(`${edge.from} ${edge.to}`) ?? edge;
          found.set(`${edge.from} ${edge.to}`, {
            ...known,
            ...(event.loop && { loop: true }),
            ...(event.loop && !event.loop.isBounded && { unbounded: true }),
            ...(isInterface && { via_interface: true }),
          });
        }
      }
    }
    return rows([...found.values()]);
  }

  /** From a function of the program through bodies of the library to another one. */
  #callsThroughLibrary(): Json[] {
    const found: Json[] = [];
    for (const fn of this.#instances()) {
      const seen = new Set<TypedFunction>();
      const queue = this.#effects.edges(fn).filter(({ span }) => span.file.isStd);
      for (let callee = queue.pop(); callee; callee = queue.pop()) {
        if (seen.has(callee)) continue;
        seen.add(callee);
        for (const next of this.#effects.edges(callee)) {
          if (next.span.file.isStd) queue.push(next);
          else if (!isGenerated(next)) found.push({ from: functionName(fn), to: functionName(next) });
        }
      }
    }
    return rows(found);
  }

  #publishes(): Json[] {
    return rows(
      this.#instances().flatMap((fn) =>
        sendsOf(fn).map((event) => ({ fn: functionName(fn), subject: wireSubject(event) ?? "(computed)" })),
      ),
    );
  }

  #subscribers() {
    return this.#bus.subscribers.filter(({ locus }) => !locus.isStd);
  }

  #instances(): readonly TypedFunction[] {
    return [...this.#functions.values()].flat();
  }

  #classesOf(instances: readonly TypedFunction[]): string[] {
    const reached = instances.reduce((set, fn) => set | this.#effects.reached(fn), NONE);
    const names = SHOWN.filter((name) => (reached & builtIn(name)) !== NONE);
    const declared = this.#effects.classes.namesIn(reached & this.#effects.classes.allDeclared);
    return (reached & UNKNOWN) === NONE ? [...names, ...declared] : ["unclassified"];
  }

  #unknowns(): Json[] {
    return [...this.#functions].flatMap(([name, instances]) => {
      const reasons = new Set<string>();
      for (const fn of instances) {
        for (const event of this.#effects.eventsOf(fn)) {
          if (event.kind === "call" && this.#effects.targetsOf(event, fn).isUnknown)
            reasons.add("call with an unknown target");
          if (event.kind === "send" && wireSubject(event) === undefined) reasons.add("send to a computed subject");
        }
      }
      return reasons.size === 0 ? [] : [{ fn: name, reasons: sorted(reasons) }];
    });
  }

  /** Every end of the bus; those of one locus, verb and subject are numbered. */
  #endpoints() {
    const ends = [
      ...this.#bus.publishers.map(({ locus, publication }) => ({ verb: "publish", locus, end: publication })),
      ...this.#bus.subscribers.map(({ locus, subscription }) => ({ verb: "subscribe", locus, end: subscription })),
    ].filter(({ locus }) => !locus.isStd);
    const sites = new Map<string, number>();
    return ends
      .map(({ verb, locus, end }) => {
        const key = `${verb} ${locusName(locus)} ${end.subject}`;
        const site = (sites.get(key) ?? 0) + 1;
        sites.set(key, site);
        const topic = end.topic?.displayName ?? null;
        return {
          key: `${key} ${String(site).padStart(6, "0")}`,
          verb,
          locus: locusName(locus),
          site,
          subject: end.subject,
          topic,
          end,
        };
      })
      .sort((a, b) => order(a.key, b.key));
  }

  // ------------------------------------------------------------ the half that tells where and how it was judged

  evidence(): { readonly [key: string]: Json } {
    const claims = this.#judgements.map(({ clause, verdict }, ordinal) => ({
      name: clause.name,
      form: oneLine(clause.named.span).replace(/^[^:]*:\s*|\s*;$/g, ""),
      result: verdict,
      ordinal,
      source: clause.constitution ?? null,
    }));
    const lowered = this.#lowered();
    const isClean = [...claims.map(({ result }) => result), ...lowered.map(({ result }) => result)].every(
      (result) => result === "holds",
    );
    const adopted = sorted(new Set(this.#judgements.flatMap(({ clause }) => clause.constitution ?? [])));
    const closures = closuresOf(this.#program);
    const hasUnknowns = this.#unknowns().length > 0;
    return {
      sources: this.#files.map((file, id) => ({ id, path: this.#path(file), digest: fnv64(file.text) })),
      provenance: [
        ...firsts(this.#loci).map((locus) => ({ locus: locusName(locus), at: this.#at(locus.span) })),
        ...firsts(this.#functions).map((fn) => ({ fn: functionName(fn), at: this.#at(fn.nameSpan) })),
        ...distinct(this.#instances().flatMap((fn) => this.#edgesFrom(fn))),
      ],
      topics: rows(
        this.#program.topics.map(({ displayName, subject, payload, span }) => {
          const shape = typeShape(payload);
          return { topic: displayName, subject, payload: shape, payload_hash: fnv64(shape), at: this.#at(span) };
        }),
      ),
      endpoints: this.#endpoints().map(({ verb, locus, site, subject, end }) => ({
        verb,
        owner: locus,
        site,
        subject,
        at: this.#at(end.span),
      })),
      declares_publish: rows(
        this.#bus.publishers
          .filter(({ locus }) => !locus.isStd)
          .map(({ locus, publication }) => ({
            locus: locusName(locus),
            subject: publication.subject,
            at: this.#at(publication.span),
          })),
      ),
      claims,
      lowered,
      law: [
        ...claims.map(({ name, result }) => ({ kind: "claim", name, result })),
        ...lowered.map(({ fn, contract, result }) => ({ kind: "contract", name: `${fn} ${contract}`, result })),
      ],
      capabilities: { calls: !hasUnknowns, bus: !hasUnknowns, effects: !hasUnknowns },
      adequacy: { closed_world: firsts(this.#loci).some(({ isMain }) => isMain), unknowns: this.#unknowns().length },
      evaluation: {
        adopted,
        closure: adopted.map((name) => ({ constitution: name, digest: fnv64(closures.get(name) ?? "") })),
      },
      verdict: isClean ? "clean" : "law_failed",
    };
  }

  /** The sends and calls of a body, with their places. */
  #edgesFrom(fn: TypedFunction): Json[] {
    const from = functionName(fn);
    const edges: Json[] = [];
    for (const event of this.#effects.eventsOf(fn)) {
      const at = this.#at(event.span);
      if (event.kind === "send") edges.push({ from, sends: wireSubject(event) ?? "(computed)", at });
      if (event.kind !== "call") continue;
      for (const target of this.#effects.targetsOf(event, fn).functions) {
        if (!target.span.file.isStd && !isGenerated(target)) edges.push({ from, calls: functionName(target), at });
      }
    }
    return edges;
  }

  /** Every effect assertion, budget and phase contract with its result. */
  #lowered(): { fn: string; contract: string; result: string }[] {
    const found: { fn: string; contract: string; result: string }[] = [];
    const judge = (fn: string, contract: string, check: (findings: Findings) => void) => {
      const findings = new Findings();
      check(findings);
      found.push({ fn, contract, result: findings.items.length === 0 ? "holds" : "violated" });
    };
    for (const [name, instances] of this.#functions) {
      const [fn] = instances;
      if (!fn) continue;
      const assertions = assertionsOf(fn)
        .map(contractText)
        .filter((text) => text !== "");
      if (assertions.length > 0) {
        judge(name, assertions.join(" "), (findings) => {
          checkEffectAssertions(this.#effects, instances, findings);
          for (const instance of instances) checkNoPanic(instance, findings);
        });
      }
      const budgets = fn.decorators.filter((decorator) => decorator.name === "budget").map(({ span }) => oneLine(span));
      if (budgets.length > 0)
        judge(name, budgets.join(" "), (findings) => checkBudgets(this.#effects, this.#bus, instances, findings));
    }
    for (const [name, instances] of this.#loci) {
      const phases = (instances[0]?.decl.decorators ?? [])
        .filter((decorator) => decorator.name === "phase_effects")
        .map(({ span }) => oneLine(span));
      if (phases.length > 0)
        judge(name, phases.join(" "), (findings) => checkPhaseEffects(this.#effects, instances, findings));
    }
    return found;
  }

  // ------------------------------------------------------------ places

  #path(file: SourceFile): string {
    return path.relative(this.#root, file.path).split(path.sep).join("/");
  }

  #at({ file, start }: Span): string {
    const { line: row, column } = file.positionAt(start);
    return `${this.#files.indexOf(file)}:${row}:${column}`;
  }
}

function contractText(assertion: Assertion): string {
  switch (assertion.kind) {
    case "none":
    case "only":
    case "causes":
      return `${assertion.kind}={${assertion.classes.map(namedText).join(",")}}`;
    case "publish":
      return `publish={${assertion.items.map(itemText).join(",")}}`;
    case "no_panic":
      return "no_panic";
    case "is":
      return "";
  }
}

/** A record's fields; any other type by its name. */
function typeShape(type: Parameters<typeof typeText>[0]): string {
  if (type.kind !== "record") return typeText(type);
  return `{ ${type.fields.map((field) => `${field.name}: ${typeText(field.type)}`).join("; ")} }`;
}

/** What a failure handler does with the child, with the literal bound of a retry: `restart for 3`. */
function operationsIn(handler: string): string[] {
  const code = handler.replace(/\/\/[^\n]*/g, "");
  const found = code.matchAll(/\b(restart_in_place|restart|quarantine|bubble)\s*\([^)]*\)(?:\s*for\s+(\w+))?/g);
  return [...found].map(([, operation = "", bound]) => (bound === undefined ? operation : `${operation} for ${bound}`));
}

function oneLine(span: Span): string {
  return textOf(span).replace(/\s+/g, " ");
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function sorted(names: Iterable<string>): string[] {
  return [...new Set(names)].sort(order);
}

/** In their order, each once. */
function distinct(all: readonly Json[]): Json[] {
  return [...new Map(all.map((row) => [JSON.stringify(row), row])).values()];
}

/** In order of their text, each once. */
function rows(all: readonly Json[]): Json[] {
  const texts = new Map(all.map((row) => [JSON.stringify(row), row]));
  return [...texts].sort(([a], [b]) => order(a, b)).map(([, row]) => row);
}

/** In order of their names; instances of a generic one stand together. */
function byName<T>(all: readonly T[], nameOf: (each: T) => string): ReadonlyMap<string, readonly T[]> {
  const named = new Map<string, T[]>();
  for (const each of all) {
    const instances = named.get(nameOf(each));
    if (instances) instances.push(each);
    else named.set(nameOf(each), [each]);
  }
  return new Map([...named].sort(([a], [b]) => order(a, b)));
}

/** One of each name. */
function firsts<T>(named: ReadonlyMap<string, readonly T[]>): readonly T[] {
  return [...named.values()].flatMap((instances) => instances.slice(0, 1));
}
