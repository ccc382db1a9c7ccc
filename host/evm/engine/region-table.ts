import type { CompiledRegion } from './compiled-code.ts'
import type { EngineMemory } from './memory.ts'
import type { EngineExports, RegionExports } from './module.ts'
import { instantiateRegion } from './region-module.ts'

/** A row of the table. Its identity tells whether it is still in the table. */
interface Region {
  /** Address of its first opcode, the key of the engine's index. */
  readonly at: number
  /** Index in the engine's function table, or NO_FUNCTION. */
  index: number
  bytes: number
}

/** A destination that has become hot. Its bytes are views of the engine's memory. */
export interface HotDestination {
  readonly at: number
  readonly offset: number
  readonly code: Uint8Array
  readonly bitmap: Uint8Array
}

/** In place of an index: the code there is being compiled, or is not worth it. */
const NO_FUNCTION = 0
/** In place of a sample: no jump is counted. */
const NEVER = 0xffff_ffff
/** Memory of a module and its instance, besides the module's bytes. */
const MODULE_BYTES = 16_384
/** Most regions at a time, those without a function included. The engine's index has twice as many rows. */
const MOST_REGIONS = 2000

// Offsets in the engine's record of the hot jump destination (assembly/evm/state/region.ts)
const HOT = { at: 0, offset: 4, code: 8, length: 12, bitmap: 16, drops: 40 } as const

/**
 * The compiled regions of an instance of the engine: the functions in its table, and its index. The least recently used
 * regions give way to new ones.
 */
export class RegionTable {
  readonly #engine: EngineExports & RegionExports
  readonly #memory: EngineMemory
  readonly #cacheBytes: number
  readonly #regions = new Map<number, Region>()
  /** Free indices of the function table. */
  #free: number[] = []
  #bytes = 0
  #drops: number
  #evicted = 0

  /**
   * @param sample one in this many jumps is counted
   * @param threshold counted jumps to a destination that make it hot
   */
  constructor(
    engine: EngineExports & RegionExports,
    memory: EngineMemory,
    {
      sample,
      threshold,
      cacheBytes,
    }: {
      readonly sample: number
      readonly threshold: number
      readonly cacheBytes: number
    },
  ) {
    this.#engine = engine
    this.#memory = memory
    this.#cacheBytes = cacheBytes
    this.#drops = memory.u32(engine.hotAt.value + HOT.drops)
    engine.setHeat(sample - 1, threshold)
  }

  get size(): number {
    return this.#regions.size
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Regions evicted since the start. */
  get evicted(): number {
    return this.#evicted
  }

  /** Counts no more jumps. What is compiled stays in use. */
  stopCounting(): void {
    this.#engine.setHeat(NEVER, 0)
  }

  /** Returns what has become hot in the last slice, once; undefined if nothing has. */
  takeHot(): HotDestination | undefined {
    const memory = this.#memory
    const hotAt = this.#engine.hotAt.value
    const at = memory.u32(hotAt + HOT.at)
    if (at === 0) return undefined
    memory.setU32(hotAt + HOT.at, 0)
    const length = memory.u32(hotAt + HOT.length)
    const code = memory.u32(hotAt + HOT.code)
    const bitmap = memory.u32(hotAt + HOT.bitmap)
    return {
      at,
      offset: memory.u32(hotAt + HOT.offset),
      code: memory.bytes.subarray(code, code + length),
      bitmap: memory.bytes.subarray(bitmap, bitmap + ((length + 8) >> 3)),
    }
  }

  /** Adds a region without a function: from now on the engine does not report it as hot. */
  reserve(at: number): Region {
    this.#forgetDropped()
    this.#makeRoom(0)
    const region = { at, index: NO_FUNCTION, bytes: 0 }
    this.#regions.set(at, region)
    this.#engine.addRegion(at, NO_FUNCTION)
    return region
  }

  /**
   * Gives a reserved region its function. Does nothing if it was evicted meanwhile, or if the engine has dropped its
   * code.
   * @throws RangeError if the runtime has no memory for it
   */
  link(region: Region, module: WebAssembly.Module, size: CompiledRegion['size']): void {
    this.#forgetDropped()
    const bytes = size + MODULE_BYTES
    this.#makeRoom(bytes)
    if (this.#regions.get(region.at) !== region) return
    const { table } = this.#engine
    const run = instantiateRegion(module, this.#engine)
    const index = this.#free.pop() ?? table.grow(1)
    table.set(index, run)
    region.index = index
    region.bytes = bytes
    this.#bytes += bytes
    this.#engine.addRegion(region.at, index)
  }

  #release(index: number): void {
    if (index === NO_FUNCTION) return
    this.#engine.table.set(index, null)
    this.#free.push(index)
  }

  /** Evicts the least recently used regions, at least a quarter, unless `bytes` more fit. */
  #makeRoom(bytes: number): void {
    const cacheBytes = this.#cacheBytes
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
      if (region.index !== NO_FUNCTION) this.#evicted++
    }
  }

  /** Forgets all regions if the engine has dropped its code, and its index with it. */
  #forgetDropped(): void {
    const drops = this.#memory.u32(this.#engine.hotAt.value + HOT.drops)
    if (drops === this.#drops) return
    for (const { index } of this.#regions.values()) this.#release(index)
    this.#regions.clear()
    this.#bytes = 0
    this.#drops = drops
  }
}
