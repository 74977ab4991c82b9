// The passes from a module's functions to machine code, in order.
import type { WasmFunction } from "../wasm/index.ts";
import { Emitter } from "./emit/emitter.ts";
import { Frame } from "./emit/frame.ts";
import { layOutBlocks } from "./emit/layout.ts";
import type { ReadOnlyPool } from "./emit/read-only-pool.ts";
import { Resolution } from "./emit/resolution.ts";
import { FunctionBuilder } from "./ir/builder.ts";
import { threadJumps } from "./ir/thread-jumps.ts";
import { countUses } from "./ir/uses.ts";
import { type ModulePlan, typeAt } from "./plan.ts";
import { Intervals } from "./regalloc/intervals.ts";
import { LinearScan } from "./regalloc/linear-scan.ts";
import { Liveness } from "./regalloc/liveness.ts";
import { Selection } from "./regalloc/selection.ts";
import type { Text, TextFunction } from "./text.ts";

/** Compiles functions one by one; all working storage is kept from one to the next. */
export class FunctionCompiler {
  private readonly plan: ModulePlan;
  private readonly builder: FunctionBuilder;
  private readonly selection = new Selection();
  private readonly intervals = new Intervals();
  private readonly liveness: Liveness;
  private readonly scan: LinearScan;
  private readonly frame = new Frame();
  private readonly resolution: Resolution;
  private readonly emitter: Emitter;

  constructor(plan: ModulePlan, pool: ReadOnlyPool) {
    this.plan = plan;
    this.builder = new FunctionBuilder(plan);
    const { ir } = this.builder;
    this.liveness = new Liveness(ir, this.selection, this.intervals);
    this.scan = new LinearScan(ir, this.selection, this.intervals);
    this.resolution = new Resolution(ir, this.selection, this.intervals);
    this.emitter = new Emitter(plan, ir, this.selection, this.intervals, pool, this.resolution, this.frame);
  }

  /** Appends the machine code of a function to `text`. */
  compile(entry: WasmFunction, text: Text): TextFunction {
    const { selection, intervals } = this;
    const ir = this.builder.build(entry);
    threadJumps(ir);
    selection.reset(ir.count);
    // Dead code, dead phis included, has no uses: the later passes skip it.
    countUses(ir, selection.counts);
    // Folding comes with liveness, since both look at code from its end.
    this.liveness.run();
    this.scan.run();
    this.frame.layOut(ir, selection, intervals, typeAt(this.plan.module, entry.type), this.scan.usedCalleeSaved);
    this.resolution.prepare();
    this.emitter.run(layOutBlocks(ir));
    return text.append(this.emitter, this.frame.size);
  }
}
