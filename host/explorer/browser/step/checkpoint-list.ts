import type { EngineCheckpoint } from '../../../evm/engine/checkpoint.ts'

/** Initial steps between two checkpoints: about two milliseconds of the traced loop. */
const FIRST_INTERVAL = 1 << 16
/** Maximum steps between checkpoints if they are expensive. */
const LONGEST_INTERVAL = 1 << 18
/** This many slow checkpoints in a row are not a coincidence on a busy machine. */
const MANY = 4
/** Maximum bytes of the pages held by all checkpoints. */
const BUDGET = 64 << 20

interface Kept {
  readonly step: number
  readonly checkpoint: EngineCheckpoint
}

export interface CheckpointLimits {
  /** Initial steps between two checkpoints. */
  readonly interval?: number
  /** Maximum bytes of the checkpoints. */
  readonly bytes?: number
}

/**
 * The checkpoints of a transaction, close enough that the steps between two run again quickly. When they exceed their
 * memory limit, every second one is dropped and the interval doubles.
 */
export class CheckpointList {
  readonly #budget: number
  readonly #kept: Kept[] = []
  #interval: number
  /** Milliseconds that the steps between two checkpoints may take: precompiles are slow single steps. */
  #patience = 4
  #takenAt = performance.now()
  /** Milliseconds that the last checkpoint took. Checkpoints should take a tenth of the time at most. */
  #cost = 0
  /** Number of consecutive checkpoints that took longer than the steps before them, because much memory is in use. */
  #dear = 0
  #bytes = 0

  constructor({ interval = FIRST_INTERVAL, bytes = BUDGET }: CheckpointLimits = {}) {
    this.#interval = interval
    this.#budget = bytes
  }

  /** The step before which the next checkpoint is due at the latest. */
  get next(): number {
    const last = this.#kept.at(-1)
    return last === undefined ? 0 : last.step + this.#interval
  }

  /** True if the steps since the last checkpoint took so long that the next is due at once. */
  get isOverdue(): boolean {
    return performance.now() - this.#takenAt > Math.max(this.#patience, 10 * this.#cost)
  }

  get last(): EngineCheckpoint | undefined {
    return this.#kept.at(-1)?.checkpoint
  }

  get bytes(): number {
    return this.#bytes
  }

  get count(): number {
    return this.#kept.length
  }

  /** Adds a checkpoint before a step, which is after those of all others; `take` creates it from the previous one. */
  add(step: number, take: (before: EngineCheckpoint | undefined) => EngineCheckpoint): void {
    const start = performance.now()
    const checkpoint = take(this.last)
    const known = new Set(this.last?.pages)
    this.#bytes += bytesOf(checkpoint.pages.filter((page) => !known.has(page)))
    this.#kept.push({ step, checkpoint })
    while (this.#bytes > this.#budget && this.#kept.length > 2) this.#thin()
    const worked = start - this.#takenAt
    this.#takenAt = performance.now()
    this.#cost = this.#takenAt - start
    this.#dear = this.#cost > worked ? this.#dear + 1 : 0
    if (this.#dear < MANY || this.#interval >= LONGEST_INTERVAL) return
    this.#interval *= 2
    this.#dear = 0
  }

  /** Returns the last checkpoint at or before a step. */
  before(step: number): Kept | undefined {
    let low = 0
    let high = this.#kept.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#kept[middle] as Kept).step <= step) low = middle + 1
      else high = middle
    }
    return this.#kept[low - 1]
  }

  #thin(): void {
    this.#interval *= 2
    this.#patience *= 2
    const left = this.#kept.filter((_, place) => place % 2 === 0)
    this.#kept.splice(0, this.#kept.length, ...left)
    this.#bytes = bytesOf(new Set(left.flatMap(({ checkpoint }) => checkpoint.pages)))
  }
}

function bytesOf(pages: Iterable<Uint8Array | undefined>): number {
  let bytes = 0
  for (const page of pages) bytes += page?.length ?? 0
  return bytes
}
