import type { HashSeed } from './key-hash.ts'
import { KeyScratch } from './key-scratch.ts'
import type { MemoryTable } from './memory-table.ts'
import type { Memtable } from './memtable.ts'
import { type IndexMemory, type KeyPosition, MemtableIndex } from './memtable-index.ts'
import { openSource, type RowSource, type SharedRows } from './row-source.ts'
import type { Version } from './version.ts'

/** The changes of one memtable since the previous delta. */
export interface MemtableDelta {
  readonly id: number
  /** Absent if it is the same as in the previous delta. */
  readonly memory?: IndexMemory
  /** The sources added since the previous delta. */
  readonly sources: readonly SharedRows[]
}

/** The changes of a table in memory since the previous delta, for another thread. */
export interface MemoryDelta {
  readonly seed: HashSeed
  /** All memtables, latest first. */
  readonly memtables: readonly MemtableDelta[]
}

/** What was already sent of a memtable. */
interface SaidGeneration {
  readonly id: number
  memory: IndexMemory | undefined
  sources: number
}

/** Makes the deltas of tables' memtables. */
export class MemoryDeltas {
  #nextId = 0
  readonly #said = new WeakMap<Memtable, SaidGeneration>()

  /** Returns all rows of the table that were not sent before. */
  next(table: MemoryTable): MemoryDelta {
    const generations = table.memtables.map((generation) => this.#tell(generation))
    return { seed: table.seed, memtables: generations }
  }

  #tell(generation: Memtable): MemtableDelta {
    const said = this.#saidOf(generation)
    const { memory, sources } = generation
    const further = sources.slice(said.sources).map(({ shared }) => shared)
    const isSame = memory === said.memory
    said.memory = memory
    said.sources = sources.length
    if (isSame) return { id: said.id, sources: further }
    return { id: said.id, memory: { slots: memory.slots, rows: memory.rows }, sources: further }
  }

  #saidOf(generation: Memtable): SaidGeneration {
    const known = this.#said.get(generation)
    if (known !== undefined) return known
    const fresh = { id: this.#nextId++, memory: undefined, sources: 0 }
    this.#said.set(generation, fresh)
    return fresh
  }
}

/** A memtable whose rows another thread writes. */
class SharedGeneration {
  readonly #sources: RowSource[] = []
  #index: MemtableIndex | undefined

  take({ memory, sources }: MemtableDelta): void {
    for (const rows of sources) this.#sources.push(openSource(rows))
    if (memory !== undefined) this.#index = new MemtableIndex(memory, this.#sources)
  }

  find(key: KeyPosition, height: number): Version | undefined {
    return this.#index?.find(key, height)
  }
}

/** A table in memory that another thread writes, as of the last delta taken. */
export class SharedMemory {
  readonly #scratch: KeyScratch
  readonly #byId = new Map<number, SharedGeneration>()
  /** Latest first. */
  #generations: readonly SharedGeneration[] = []

  constructor(seed: HashSeed) {
    this.#scratch = new KeyScratch(seed)
  }

  take({ memtables: generations }: MemoryDelta): void {
    this.#generations = generations.map((edition) => {
      const generation = this.#byId.get(edition.id) ?? new SharedGeneration()
      this.#byId.set(edition.id, generation)
      generation.take(edition)
      return generation
    })
    const ids = new Set(generations.map(({ id }) => id))
    for (const id of this.#byId.keys()) if (!ids.has(id)) this.#byId.delete(id)
  }

  /** Returns the latest version at or below `height`, which must not exceed the height of the last delta. */
  find(key: Uint8Array, height: number): Version | undefined {
    const place = this.#scratch.place(key)
    for (const generation of this.#generations) {
      const version = generation.find(place, height)
      if (version !== undefined) return version
    }
    return undefined
  }
}
