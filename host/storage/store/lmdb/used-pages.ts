import type { LockstepError } from '../../../base/error.ts'

/** The pages of an environment that are used, each by a tree or as a free one. */
export class UsedPages {
  readonly #last: number
  readonly #damage: (what: string) => LockstepError
  /** A bit for each page. */
  readonly #bits: Uint8Array

  /** @param last number of the last page. @param damage makes the error for a finding. */
  constructor(last: number, damage: (what: string) => LockstepError) {
    this.#last = last
    this.#damage = damage
    this.#bits = new Uint8Array((last >>> 3) + 1)
  }

  /** Notes that pages are used. @throws STORE_CORRUPTED where one of them is already, or is none. */
  add(first: number, count: number): void {
    const end = first + count
    if (!(first >= 2 && end <= this.#last + 1)) {
      throw this.#damage(`page ${first} is none of its ${this.#last + 1} pages`)
    }
    for (let page = first; page < end; page++) {
      const bit = 1 << (page & 7)
      const before = this.#bits[page >>> 3] as number
      if ((before & bit) !== 0) throw this.#damage(`page ${page} is used twice`)
      this.#bits[page >>> 3] = before | bit
    }
  }
}
