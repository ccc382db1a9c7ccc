import { statSync } from 'node:fs'
import { join } from 'node:path'
import { LockstepError } from '../../../base/error.ts'

/** A look costs two microseconds: reads share one. */
const BETWEEN_LOOKS_MS = 5

/**
 * The files that lmdb has mapped. Touching a part of a map whose file was cut off ends the process by
 * SIGBUS, which nothing in a process can prevent for good: here most of it becomes an error, because every
 * transaction that writes and the first read of each few milliseconds look at the sizes first.
 */
export class MappedFiles {
  /** The file that holds the rows. */
  readonly data: string
  readonly #paths: readonly string[]
  /** The files never shrink while somebody has them open. */
  readonly #sizes: number[]
  #lookedAt = Number.NEGATIVE_INFINITY
  #failure: LockstepError | undefined

  constructor(dir: string) {
    this.data = join(dir, 'data.mdb')
    this.#paths = [this.data, join(dir, 'lock.mdb')]
    this.#sizes = this.#paths.map((path) => statSync(path).size)
  }

  /** @throws STORE_CORRUPTED where a file has become smaller, from then on. */
  expectWhole(): void {
    const now = performance.now()
    if (now - this.#lookedAt >= BETWEEN_LOOKS_MS) {
      this.#lookedAt = now
      this.#look()
    }
    if (this.#failure !== undefined) throw this.#failure
  }

  #look(): void {
    for (const [i, path] of this.#paths.entries()) {
      const before = this.#sizes[i] as number
      const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
      this.#sizes[i] = size
      if (size >= before) continue
      this.#failure ??= new LockstepError(
        'STORE_CORRUPTED',
        `${path} was cut off from ${before} to ${size} bytes while the node had it open`,
        { data: { path } },
      )
    }
  }
}
