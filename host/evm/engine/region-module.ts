import type { EngineExports, RegionExports } from './module.ts'

/** The function of a compiled region (assembly/compile/README.md). */
type RunRegion = (emptyStack: number, sp: number, gas: bigint, fuel: number) => number

/** An address of the stack's top that every region refuses: more than a whole stack above the empty one. */
const NO_STACK = -1

/**
 * Instantiates a compiled region over an engine, whose memory and functions it uses, and returns its function. Its
 * imports are named by assembly/compile/module.ts.
 */
export function instantiateRegion(
  module: WebAssembly.Module,
  engine: EngineExports & RegionExports,
): RunRegion {
  const { exports } = new WebAssembly.Instance(module, {
    e: {
      m: engine.memory,
      g: engine.growForRegion,
      i: engine.instructForRegion,
      c: engine.computeForRegion,
      u: engine.multiplyForRegion,
      a: engine.addModuloForRegion,
      x: engine.multiplyModuloForRegion,
      b: engine.memoryBase,
      s: engine.memorySize,
      p: engine.gas,
      r: engine.returnSize,
    },
  })
  return exports.f as RunRegion
}

/**
 * Has the runtime translate a region to machine code now. V8 does so at the first call of a function, and all threads
 * that have the module share the result. `engine` is an instance that runs nothing.
 */
export function warmRegion(
  module: WebAssembly.Module,
  engine: EngineExports & RegionExports,
): void {
  instantiateRegion(module, engine)(0, NO_STACK, 0n, 0)
}
