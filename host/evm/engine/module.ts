import { instantiate } from '@assemblyscript/loader'
import { LockstepError, messageOf } from '../../base/error.ts'

/** Exports of engine.wasm, documented in assembly/engine.ts. Addresses are globals. */
export interface EngineExports {
  readonly memory: WebAssembly.Memory
  readonly blockAt: WebAssembly.Global
  readonly messageAt: WebAssembly.Global
  readonly messageSize: WebAssembly.Global
  readonly needAt: WebAssembly.Global
  readonly answerAt: WebAssembly.Global
  readonly answerSize: WebAssembly.Global
  readonly outcomeAt: WebAssembly.Global
  readonly traceAt: WebAssembly.Global
  readonly resultAt: WebAssembly.Global
  readonly batchAt: WebAssembly.Global
  readonly batchSize: WebAssembly.Global
  readonly batchResultsAt: WebAssembly.Global
  readonly stepNamesAt: WebAssembly.Global
  readonly stepTextAt: WebAssembly.Global
  readonly stepStackAt: WebAssembly.Global
  _initialize(): void
  beginBlock(): void
  forgetCode(): void
  beginTransaction(): void
  beginBatch(count: number): void
  includeApplied(): number
  abandon(): void
  run(fuel: number): number
  answer(length: number): number
  perform(length: number): number
  answerHostCall(result: number, gasUsed: bigint, length: number): number
  traceLength(): number
  encodeStep(record: number, hasStack: number): number
  peekAccount(): number
  peekStorage(): number
  peekCode(): number
  peekFrame(): void
  watch(flags: number): void
  pauseAfter(steps: number): void
  isPaused(): number
  extents(): number
  /** Appended by tools/engine-registers.ts, as is `setRegisters`. */
  keepRegisters(at: number): number
  setRegisters(at: number): void
  diff(): number
  footprint(): number
  adopt(at: number, accounts: number, slots: number): number
  accessed(): number
  accessList(): number
  hash(length: number): void
  recover(yParity: number): number
}

/** Exports of engine.wasm for compiled regions of code (assembly/compile/README.md). */
export interface RegionExports {
  readonly table: WebAssembly.Table
  readonly hotAt: WebAssembly.Global
  readonly memoryBase: WebAssembly.Global
  readonly memorySize: WebAssembly.Global<'i64'>
  readonly gas: WebAssembly.Global<'i64'>
  readonly returnSize: WebAssembly.Global
  growForRegion(offset: bigint, size: bigint, gas: bigint): bigint
  instructForRegion(opcode: number, pc: number, sp: number, gas: bigint): number
  computeForRegion(opcode: number): void
  multiplyForRegion(): void
  addModuloForRegion(): void
  multiplyModuloForRegion(): void
  setHeat(sample: number, threshold: number): void
  addRegion(at: number, index: number): number
  removeRegion(at: number): void
  lastUse(at: number): number
}

/** engine.wasm as bytes, a fetched response, or a compiled module (which workers can share). */
export type EngineSource = BufferSource | Response | WebAssembly.Module

/** An instance of the engine, and a function to open more from the same module. */
export interface OpenedEngine {
  readonly exports: EngineExports
  readonly again: () => EngineExports
}

function begin(instance: WebAssembly.Instance): EngineExports {
  const exports = instance.exports as unknown as EngineExports
  exports._initialize()
  return exports
}

/** Skip the loader for a compiled module: its check for a response makes Node load `fetch`, which takes 20 ms. */
async function instanceOf(source: EngineSource) {
  if (!(source instanceof WebAssembly.Module)) return instantiate(source, {})
  return { module: source, instance: await WebAssembly.instantiate(source, {}) }
}

/**
 * Instantiates engine.wasm. Each instance reserves 292 MiB of address space, of which only touched pages use memory.
 * It grows if EVM memories do not fit.
 * @throws ENGINE_FAULT if the bytes are not a module without imports.
 */
export async function openEngineModule(source: EngineSource): Promise<OpenedEngine> {
  try {
    const { instance, module } = await instanceOf(source)
    return {
      exports: begin(instance),
      again: () => begin(new WebAssembly.Instance(module, {})),
    }
  } catch (thrown) {
    throw new LockstepError('ENGINE_FAULT', `engine.wasm does not load: ${messageOf(thrown)}`, {
      hint: 'in a checkout, run `npm run build`; otherwise reinstall the package',
      cause: thrown,
    })
  }
}
