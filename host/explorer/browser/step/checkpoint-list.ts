import type { EngineCheckpoint } from '../../../evm/engine/checkpoint.ts'

/** Steps between two checkpoints, as long as they fit: some two milliseconds of the traced loop. */
const FIRST_INTERVAL = 1 << 16
/** As far apart as checkpoints may come to stand for what they cost. */
const LONGEST_INTERVAL = 1 << 18
/** So many that took too long, one after another, are no accident of a busy machine. */
const MANY = 4
/** Bytes of the pages that all checkpoints may hold together. */
const BUDGET = 64 << 20

interface Kept {
  readonly step: number
  readonly checkpoint: EngineCheckpoint
}

export interface CheckpointLimits {
  /** Steps between two checkpoints at first. */
  readonly interval?: number
  /** Bytes that they may hold. */
  readonly bytes?: number
}

/**
 * The checkpoints of a transaction, so close to one another that the steps between two are soon run again. Where
 * they would hold more bytes than they may, each second one is given up, and from then on they stand twice as far
 * apart.
 */
export class CheckpointList {
  readonly #budget: number
  readonly #kept: Kept[] = []
  #interval: number
  /** Milliseconds that steps between two may take: some are precompiles, which take one each. */
  #patience = 4
  #takenAt = performance.now()
  /** Milliseconds that the last one took: keeping them is to take a tenth of the time at most. */
  #cost = 0
  /** How many of the last ones took longer than the steps before them, since much memory is in use. */
  #dear = 0
  #bytes = 0

  constructor({ interval = FIRST_INTERVAL, bytes = BUDGET }: CheckpointLimits = {}) {
    this.#interval = interval
    this.#budget = bytes
  }

  /** The step before which the next one is to be taken at the latest. */
  get next(): number {
    const last = this.#kept.at(-1)
    return last === undefined ? 0 : last.step + this.#interval
  }

  /** True where the steps since the last one have taken so long that the next is wanted at once. */
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

  /** Adds one before a step, which is after those of all others; `take` makes it of the one before. */
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

  /** The last one at a step or before it. */
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
