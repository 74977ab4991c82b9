// The bridge to Binaryen, the optimiser of the release profile: the only place that loads it (which takes about a second).

/** 0 to 4, as in `wasm-opt -O`. */
export type OptimiseLevel = 0 | 1 | 2 | 3 | 4;

/**
 * Optimises a module and returns its new bytes.
 * @throws Error when Binaryen cannot read the module, which is a bug of the lowering.
 */
export async function optimise(bytes: Uint8Array, level: OptimiseLevel): Promise<Uint8Array> {
  const { default: binaryen } = await import("binaryen");
  const { Features } = binaryen;
  // The package's types tell of `readBinaryWithFeatures`; its code has the features as a second argument of `readBinary`.
  const read: (data: Uint8Array, features: number) => ReturnType<typeof binaryen.readBinary> = binaryen.readBinary;
  const module = read(
    bytes,
    Features.MVP |
      Features.MutableGlobals |
      Features.NontrappingFPToInt |
      Features.SignExt |
      Features.BulkMemory |
      Features.BulkMemoryOpt |
      Features.ReferenceTypes |
      Features.Multivalue |
      Features.Atomics,
  );
  try {
    binaryen.setOptimizeLevel(level);
    binaryen.setShrinkLevel(0);
    binaryen.setDebugInfo(true);
    module.optimize();
    return module.emitBinary();
  } finally {
    module.dispose();
  }
}
