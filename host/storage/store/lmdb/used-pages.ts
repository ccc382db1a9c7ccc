import type { LockstepError } from '../../../base/error.ts'

/** Tracks the pages of an environment that are in use, by a tree or as free pages. */
export class UsedPages {
  readonly #last: number
  readonly #damage: (what: string) => LockstepError
  /** One bit per page. */
  readonly #bits: Uint8Array

  /** @param last - Number of the last page. @param damage - Makes the error for a finding. */
  constructor(last: number, damage: (what: string) => LockstepError) {
    this.#last = last
    this.#damage = damage
    this.#bits = new Uint8Array((last >>> 3) + 1)
  }

  /** Marks pages as used. @throws STORE_CORRUPTED if one is used already, or does not exist. */
  add(first: number, count: number): void {
    const end = first + count
    if (!(first >= 2 && end <= this.#last + 1)) {
      throw this.#damage(`page ${first} is outside of its ${this.#last + 1} pages`)
    }
    for (let page = first; page < end; page++) {
      const bit = 1 << (page & 7)
      const before = this.#bits[page >>> 3] as number
      if ((before & bit) !== 0) throw this.#damage(`page ${page} is used twice`)
      this.#bits[page >>> 3] = before | bit
    }
  }
}
