/**
 * Maximum parts of a sum: the main thread's, those of 16 workers for each of two ports, and as many for workers that
 * are terminating.
 */
const MAX_PARTS = 65

/** What another thread needs to contribute to a sum. */
export interface SharedSumPart {
  readonly buffer: SharedArrayBuffer
  readonly index: number
  readonly unit: number
}

/**
 * A counter that several threads share. Each writes its own part and reads the parts of the others, which are rounded
 * to whole units.
 */
export class SharedSum {
  readonly #parts: Int32Array<SharedArrayBuffer>
  readonly #index: number
  readonly #unit: number
  #own = 0

  /** Creates a sum of which other threads may borrow parts. Its own part is the first. */
  static make(unit: number): SharedSum {
    const buffer = new SharedArrayBuffer(MAX_PARTS * Int32Array.BYTES_PER_ELEMENT)
    // An unused part holds -1.
    new Int32Array(buffer).fill(-1, 1)
    return new SharedSum({ buffer, index: 0, unit })
  }

  constructor({ buffer, index, unit }: SharedSumPart) {
    this.#parts = new Int32Array(buffer)
    this.#index = index
    this.#unit = unit
  }

  /** This thread's part, exact. */
  get own(): number {
    return this.#own
  }

  get total(): number {
    let others = 0
    for (let index = 0; index < this.#parts.length; index++) {
      const units = Atomics.load(this.#parts, index)
      if (index !== this.#index && units > 0) others += units
    }
    return this.#own + others * this.#unit
  }

  add(change: number): void {
    this.#own += change
    Atomics.store(this.#parts, this.#index, Math.ceil(this.#own / this.#unit))
  }

  /** Allocates a part for another thread. */
  allocatePart(): SharedSumPart {
    const index = this.#parts.indexOf(-1)
    if (index < 0) throw new RangeError(`a shared sum has at most ${MAX_PARTS} parts`)
    Atomics.store(this.#parts, index, 0)
    return { buffer: this.#parts.buffer, index, unit: this.#unit }
  }

  /** Frees the part of a thread that no longer contributes. */
  freePart({ index }: SharedSumPart): void {
    Atomics.store(this.#parts, index, -1)
  }
}
