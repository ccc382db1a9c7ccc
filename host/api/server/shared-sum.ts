/** The parts of a sum: that of the chain's thread, those of 16 threads for each of two ports, and of as many that are ending. */
const MAX_PARTS = 65

/** What another thread takes part in a sum with. */
export interface SharedPart {
  readonly buffer: SharedArrayBuffer
  readonly index: number
  readonly unit: number
}

/**
 * A number that threads count together. Each writes a part of its own, and reads those of the others, which it sees in
 * whole units.
 */
export class SharedSum {
  readonly #parts: Int32Array<SharedArrayBuffer>
  readonly #index: number
  readonly #unit: number
  #own = 0

  /** A sum that other threads may be lent parts of; its own part is the first. */
  static make(unit: number): SharedSum {
    const buffer = new SharedArrayBuffer(MAX_PARTS * Int32Array.BYTES_PER_ELEMENT)
    // The word of a part that nobody has is -1.
    new Int32Array(buffer).fill(-1, 1)
    return new SharedSum({ buffer, index: 0, unit })
  }

  constructor({ buffer, index, unit }: SharedPart) {
    this.#parts = new Int32Array(buffer)
    this.#index = index
    this.#unit = unit
  }

  /** This thread's part, to the one. */
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

  /** A part for another thread. */
  lend(): SharedPart {
    const index = this.#parts.indexOf(-1)
    if (index < 0) throw new RangeError(`a sum has ${MAX_PARTS} parts`)
    Atomics.store(this.#parts, index, 0)
    return { buffer: this.#parts.buffer, index, unit: this.#unit }
  }

  /** Takes back the part of a thread that counts no more. */
  takeBack({ index }: SharedPart): void {
    Atomics.store(this.#parts, index, -1)
  }
}
