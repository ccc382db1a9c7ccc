import type { CompiledCodeCounts, CompiledCodeSettings } from './compiled-code.ts'
import type { EngineMemory } from './memory.ts'
import type { EngineExports, RegionExports } from './module.ts'

/** Exports of compile.wasm, documented in assembly/compile.ts. */
interface CompilerExports {
  readonly memory: WebAssembly.Memory
  readonly codeAt: WebAssembly.Global
  readonly codeSize: WebAssembly.Global
  readonly bitmapAt: WebAssembly.Global
  readonly outputAt: WebAssembly.Global
  _initialize(): void
  compile(
    pc: number,
    length: number,
    revision: number,
    most: number,
    few: number,
    least: number,
  ): number
  instanceCount(): number
}

const DEFAULTS = {
  sample: 16,
  threshold: 256,
  blocks: 48,
  blocksWithoutLoop: 16,
  opcodes: 64,
  cacheBytes: 16 << 20,
  share: 0.1,
}

interface Region {
  /** Address of its first JUMPDEST, the key of the engine's index. */
  readonly at: number
  /** Index in the engine's function table, or REFUSED. */
  readonly index: number
  readonly bytes: number
}

/** In place of a sample: no jump is counted. */
const NEVER = 0xffff_ffff
/** Memory of a module and its instance, besides the module's bytes. */
const MODULE_BYTES = 16_384

/** Milliseconds of compiling that need no run before. */
const ADVANCE = 20

/** In place of an index: the code there is not worth compiling. */
const REFUSED = 0
/** Most regions at a time, refused ones included. The engine's index has twice as many rows. */
const MOST_REGIONS = 2000

// Offsets in the engine's record of the hot jump destination (assembly/evm/state/region.ts)
const HOT = { at: 0, offset: 4, code: 8, length: 12, bitmap: 16, drops: 40 } as const

/**
 * Compiles hot regions of EVM code to WebAssembly, and puts them into the function table of an engine. The least
 * recently used regions give way to new ones.
 */
export class CodeCompiler {
  readonly #compiler: CompilerExports
  readonly #engine: EngineExports & RegionExports
  readonly #memory: EngineMemory
  readonly #settings: Required<CompiledCodeSettings>
  readonly #regions = new Map<number, Region>()
  /** Free indices of the function table. */
  #free: number[] = []
  #bytes = 0
  /** Milliseconds that the engine ran, and that compiling took. */
  #ran = 0
  #spent = 0
  #drops: number
  #compiled = 0
  #refused = 0
  #evicted = 0

  constructor(
    engine: EngineExports & RegionExports,
    memory: EngineMemory,
    settings: CompiledCodeSettings,
  ) {
    this.#settings = { ...DEFAULTS, ...settings }
    this.#engine = engine
    this.#memory = memory
    const instance = new WebAssembly.Instance(this.#settings.compiler, {})
    this.#compiler = instance.exports as unknown as CompilerExports
    this.#compiler._initialize()
    this.#drops = memory.u32(engine.hotAt.value + HOT.drops)
    engine.setHeat(this.#settings.sample - 1, this.#settings.threshold)
  }

  get counts(): CompiledCodeCounts {
    return {
      regions: this.#regions.size,
      bytes: this.#bytes,
      compiled: this.#compiled,
      refused: this.#refused,
      evicted: this.#evicted,
    }
  }

  /** Compiles the code that has become hot in a slice of `ran` milliseconds. Returns false if there is none. */
  compileHot(revision: number, ran: number): boolean {
    this.#ran += ran
    const hotAt = this.#engine.hotAt.value
    const drops = this.#memory.u32(hotAt + HOT.drops)
    if (drops !== this.#drops) this.#forget(drops)
    const at = this.#memory.u32(hotAt + HOT.at)
    if (at === 0) return false
    this.#memory.setU32(hotAt + HOT.at, 0)
    // The destination is counted anew: code that stays hot asks again
    if (this.#spent > ADVANCE + this.#ran * this.#settings.share) return true
    const started = performance.now()
    this.#add(at, hotAt, revision)
    this.#spent += performance.now() - started
    return true
  }

  #add(at: number, hotAt: number, revision: number): void {
    const bytes = this.#compile(hotAt, revision)
    const module = bytes === undefined ? undefined : this.#open(bytes)
    if (module === undefined) this.#refused++
    else this.#compiled++
    const size = bytes === undefined || module === undefined ? 0 : bytes.length + MODULE_BYTES
    this.#makeRoom(size)
    const index = module === undefined ? REFUSED : this.#link(module)
    this.#regions.set(at, { at, index, bytes: size })
    this.#bytes += size
    this.#engine.addRegion(at, index)
  }

  #compile(hotAt: number, revision: number): Uint8Array<ArrayBuffer> | undefined {
    const memory = this.#memory
    const compiler = this.#compiler
    memory.follow()
    const length = memory.u32(hotAt + HOT.length)
    if (length + 64 > compiler.codeSize.value) return undefined
    const code = memory.u32(hotAt + HOT.code)
    const bitmap = memory.u32(hotAt + HOT.bitmap)
    const target = new Uint8Array(compiler.memory.buffer)
    target.set(memory.bytes.subarray(code, code + length), compiler.codeAt.value)
    target.set(memory.bytes.subarray(bitmap, bitmap + ((length + 8) >> 3)), compiler.bitmapAt.value)
    const offset = memory.u32(hotAt + HOT.offset)
    const { blocks, blocksWithoutLoop, opcodes } = this.#settings
    const size = compiler.compile(offset, length, revision, blocks, blocksWithoutLoop, opcodes)
    if (size === 0) return undefined
    const output = compiler.outputAt.value
    return target.slice(output, output + size)
  }

  /** A runtime may refuse to compile, as a page whose policy forbids it. Then nothing is compiled from now on. */
  #open(bytes: Uint8Array<ArrayBuffer>): WebAssembly.Module | undefined {
    try {
      return new WebAssembly.Module(bytes)
    } catch {
      this.#engine.setHeat(NEVER, 0)
      return undefined
    }
  }

  /** Instantiates a module and returns the index of its function in the engine's table. */
  #link(module: WebAssembly.Module): number {
    const engine = this.#engine
    const { exports } = new WebAssembly.Instance(module, {
      e: {
        m: engine.memory,
        g: engine.growForRegion,
        i: engine.instructForRegion,
        c: engine.computeForRegion,
        b: engine.memoryBase,
        s: engine.memorySize,
        p: engine.gas,
        r: engine.returnSize,
      },
    })
    const index = this.#free.pop() ?? engine.table.grow(1)
    engine.table.set(index, exports.f)
    return index
  }

  #release(index: number): void {
    if (index === REFUSED) return
    this.#engine.table.set(index, null)
    this.#free.push(index)
  }

  /** Evicts the least recently used regions, at least a quarter, unless `bytes` more fit. */
  #makeRoom(bytes: number): void {
    const { cacheBytes } = this.#settings
    if (this.#bytes + bytes <= cacheBytes && this.#regions.size < MOST_REGIONS) return
    const byUse = Array.from(this.#regions.values(), (region) => {
      return { region, use: this.#engine.lastUse(region.at) >>> 0 }
    }).sort((a, b) => a.use - b.use)
    const most = (this.#regions.size * 3) >> 2
    for (const { region } of byUse) {
      if (this.#bytes + bytes <= (cacheBytes * 3) / 4 && this.#regions.size <= most) return
      this.#engine.removeRegion(region.at)
      this.#release(region.index)
      this.#regions.delete(region.at)
      this.#bytes -= region.bytes
      if (region.index !== REFUSED) this.#evicted++
    }
  }

  /** Forgets all regions: the engine has dropped its code. */
  #forget(drops: number): void {
    for (const { index } of this.#regions.values()) this.#release(index)
    this.#regions.clear()
    this.#bytes = 0
    this.#drops = drops
  }
}
