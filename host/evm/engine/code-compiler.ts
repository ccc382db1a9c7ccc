import type {
  CompiledCodeCounts,
  CompiledCodeSettings,
  CompiledRegion,
  HotCode,
} from './compiled-code.ts'
import type { EngineMemory } from './memory.ts'
import type { EngineExports, RegionExports } from './module.ts'
import { RegionCompiler } from './region-compiler.ts'
import { RegionTable } from './region-table.ts'

const DEFAULTS = { sample: 16, threshold: 256, cacheBytes: 16 << 20, share: 0.1 }

/** Milliseconds of compiling that need no run before. */
const ADVANCE = 20
/** Most regions that the other thread has at a time. */
const MOST_SENT = 8
/** Slices that may end early, because code became hot, before the engine yields. */
const MOST_EARLY = 16

type Region = ReturnType<RegionTable['reserve']>

/**
 * Compiles the hot code of an engine to WebAssembly, between its slices. On another thread it takes as long as it
 * takes: the run continues, and later runs use the result. When code is compiled shows only in the time.
 */
export class CodeCompiler {
  readonly #settings: CompiledCodeSettings & typeof DEFAULTS
  #compiler: RegionCompiler | undefined
  #table: RegionTable
  /** When the slice began. */
  #started = 0
  /** Slices in a row that ended early. */
  #early = 0
  #sent = 0
  /** Milliseconds that the engine ran, and that compiling took. */
  #ran = 0
  #spent = 0
  #compiled = 0
  #refused = 0
  /** Regions that earlier instances of the engine evicted. */
  #evicted = 0

  constructor(settings: CompiledCodeSettings, exports: EngineExports, memory: EngineMemory) {
    this.#settings = { ...DEFAULTS, ...settings }
    this.#table = this.#openTable(exports, memory)
  }

  get counts(): CompiledCodeCounts {
    return {
      regions: this.#table.size,
      bytes: this.#table.bytes,
      compiled: this.#compiled,
      refused: this.#refused,
      evicted: this.#evicted + this.#table.evicted,
    }
  }

  /** Continues with another instance of the engine. */
  follow(exports: EngineExports, memory: EngineMemory): void {
    this.#evicted += this.#table.evicted
    this.#table = this.#openTable(exports, memory)
  }

  beginSlice(): void {
    this.#started = performance.now()
  }

  /**
   * Compiles the code that has become hot in the slice. Returns true if the slice has ended early for that, and the
   * next one is to follow without a yield.
   */
  endSlice(revision: number): boolean {
    this.#ran += performance.now() - this.#started
    const hot = this.#table.takeHot()
    if (hot === undefined) {
      this.#early = 0
      return false
    }
    // The destination is counted anew: code that stays hot asks again
    const isWithinShare = this.#spent <= ADVANCE + this.#ran * this.#settings.share
    if (isWithinShare && this.#sent < MOST_SENT) {
      const region = this.#table.reserve(hot.at)
      const { offset, code, bitmap } = hot
      this.#compile(region, { offset, code, bitmap, revision })
    }
    this.#early = (this.#early + 1) % MOST_EARLY
    return this.#early !== 0
  }

  #openTable(exports: EngineExports, memory: EngineMemory): RegionTable {
    return new RegionTable(exports as EngineExports & RegionExports, memory, this.#settings)
  }

  #compile(region: Region, hot: HotCode): void {
    const { thread } = this.#settings
    if (thread === undefined) {
      this.#compiler ??= new RegionCompiler(this.#settings)
      this.#add(this.#table, region, this.#compiler.compile(hot))
      return
    }
    const copy = { ...hot, code: hot.code.slice(), bitmap: hot.bitmap.slice() }
    void this.#compileApart(thread.compile(copy), this.#table, region)
  }

  async #compileApart(
    answer: Promise<CompiledRegion>,
    table: RegionTable,
    region: Region,
  ): Promise<void> {
    this.#sent++
    try {
      this.#add(table, region, await answer)
    } catch {
      // The thread has ended: all code is interpreted
      this.#refused++
      table.stopCounting()
    } finally {
      this.#sent--
    }
  }

  /** `table` is that of the instance in which the code became hot, which may have been replaced. */
  #add(table: RegionTable, region: Region, compiled: CompiledRegion): void {
    const { module, size, milliseconds, isForbidden } = compiled
    this.#spent += milliseconds
    if (isForbidden) table.stopCounting()
    if (module === undefined) {
      this.#refused++
      return
    }
    const started = performance.now()
    try {
      table.link(region, module, size)
      this.#compiled++
    } catch {
      // The runtime has no memory for it
      this.#refused++
    }
    this.#spent += performance.now() - started
  }
}
