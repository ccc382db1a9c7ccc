import { GenerationIndex, type IndexMemory, type KeyPlace } from './generation-index.ts'
import type { HashSeed } from './key-hash.ts'
import { KeyScratch } from './key-scratch.ts'
import type { MemoryGeneration } from './memory-generation.ts'
import type { MemoryTable } from './memory-table.ts'
import { openSource, type RowSource, type SharedRows } from './row-source.ts'
import type { Version } from './version.ts'

/** What has come to a generation since the edition before. */
export interface GenerationEdition {
  readonly id: number
  /** Absent where it is the one that was said before. */
  readonly memory?: IndexMemory
  /** Those behind the ones that were said before. */
  readonly sources: readonly SharedRows[]
}

/** The rows of a table in memory after some height, as another thread takes them over: what it does not have yet. */
export interface MemoryEdition {
  readonly seed: HashSeed
  /** All that there are, newest first. */
  readonly generations: readonly GenerationEdition[]
}

/** What was said of generations. */
interface SaidGeneration {
  readonly id: number
  memory: IndexMemory | undefined
  sources: number
}

/** Tells of the generations of tables, each time what has come since the time before. */
export class MemoryEditions {
  #nextId = 0
  readonly #said = new WeakMap<MemoryGeneration, SaidGeneration>()

  /** All rows of the table that were not said before. */
  next(table: MemoryTable): MemoryEdition {
    const generations = table.generations.map((generation) => this.#tell(generation))
    return { seed: table.seed, generations }
  }

  #tell(generation: MemoryGeneration): GenerationEdition {
    const said = this.#saidOf(generation)
    const { memory, sources } = generation
    const further = sources.slice(said.sources).map(({ shared }) => shared)
    const isSame = memory === said.memory
    said.memory = memory
    said.sources = sources.length
    if (isSame) return { id: said.id, sources: further }
    return { id: said.id, memory: { slots: memory.slots, rows: memory.rows }, sources: further }
  }

  #saidOf(generation: MemoryGeneration): SaidGeneration {
    const known = this.#said.get(generation)
    if (known !== undefined) return known
    const fresh = { id: this.#nextId++, memory: undefined, sources: 0 }
    this.#said.set(generation, fresh)
    return fresh
  }
}

/** A generation whose rows another thread writes. */
class SharedGeneration {
  readonly #sources: RowSource[] = []
  #index: GenerationIndex | undefined

  take({ memory, sources }: GenerationEdition): void {
    for (const rows of sources) this.#sources.push(openSource(rows))
    if (memory !== undefined) this.#index = new GenerationIndex(memory, this.#sources)
  }

  find(key: KeyPlace, height: number): Version | undefined {
    return this.#index?.find(key, height)
  }
}

/** The rows of a table in memory, which another thread writes: those of the editions that were taken. */
export class SharedMemory {
  readonly #scratch: KeyScratch
  readonly #byId = new Map<number, SharedGeneration>()
  /** Newest first. */
  #generations: readonly SharedGeneration[] = []

  constructor(seed: HashSeed) {
    this.#scratch = new KeyScratch(seed)
  }

  take({ generations }: MemoryEdition): void {
    this.#generations = generations.map((edition) => {
      const generation = this.#byId.get(edition.id) ?? new SharedGeneration()
      this.#byId.set(edition.id, generation)
      generation.take(edition)
      return generation
    })
    const ids = new Set(generations.map(({ id }) => id))
    for (const id of this.#byId.keys()) if (!ids.has(id)) this.#byId.delete(id)
  }

  /** The newest version at or below `height`, which is not above that of the edition taken last. */
  find(key: Uint8Array, height: number): Version | undefined {
    const place = this.#scratch.place(key)
    for (const generation of this.#generations) {
      const version = generation.find(place, height)
      if (version !== undefined) return version
    }
    return undefined
  }
}
