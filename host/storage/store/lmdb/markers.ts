import { decodeHeight, encodeHeight } from '../codec/ordered-key.ts'
import type { LmdbEnv, LmdbTable } from './lmdb-env.ts'

const TEXT_ENCODER = new TextEncoder()

/** The named heights of an environment: `latest`, `earliest` and those that its owner adds. */
export class Markers {
  readonly #env: LmdbEnv
  readonly #rows: LmdbTable
  readonly #heights = new Map<string, number>()

  constructor(env: LmdbEnv) {
    this.#env = env
    this.#rows = env.table('markers')
  }

  /** Returns a height, or -1 if it was never set. */
  get(name: string): number {
    const known = this.#heights.get(name)
    if (known !== undefined) return known
    const stored = this.#rows.get(TEXT_ENCODER.encode(name))
    const height = stored === undefined ? -1 : decodeHeight(stored)
    this.#heights.set(name, height)
    return height
  }

  /** Drops the cached heights, because another thread has written. */
  refresh(): void {
    this.#heights.clear()
  }

  /** Sets heights in one transaction, together with the rows that `work` writes; -1 removes one. */
  set(heights: readonly (readonly [string, number])[], work: () => void = () => {}): void {
    this.#env.write(() => {
      work()
      for (const [name, height] of heights) {
        const key = TEXT_ENCODER.encode(name)
        if (height < 0) this.#rows.remove(key)
        else this.#rows.put(key, encodeHeight(height))
      }
    })
    for (const [name, height] of heights) this.#heights.set(name, height)
  }

  /** Sets `latest` and the heights named in `also` to `height`, and `earliest` to `first` if it is unset. */
  advance(
    first: number,
    height: number,
    also: readonly string[],
    work: () => void = () => {},
  ): void {
    const heights: [string, number][] = [['latest', height]]
    for (const name of also) heights.push([name, height])
    if (this.get('earliest') < 0) heights.push(['earliest', first])
    this.set(heights, work)
  }

  /** Raises `earliest`. */
  raise(pruneHeight: number): void {
    if (this.get('earliest') < pruneHeight) this.set([['earliest', pruneHeight]])
  }
}
