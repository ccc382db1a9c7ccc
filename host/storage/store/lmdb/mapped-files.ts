import { statSync } from 'node:fs'
import { join } from 'node:path'
import { LockstepError } from '../../../base/error.ts'

/** A check takes two microseconds, so reads within this time share one. */
const BETWEEN_LOOKS_MS = 5

/**
 * The files that lmdb has mapped. Accessing a truncated part of a mapped file kills the process with SIGBUS, which a
 * process cannot fully prevent. Most cases become an error here, because every write transaction and the first read
 * every few milliseconds check the sizes first.
 */
export class MappedFiles {
  /** The file of the rows. */
  readonly data: string
  readonly #paths: readonly string[]
  /** The files never shrink while they are open. */
  readonly #sizes: number[]
  #lookedAt = Number.NEGATIVE_INFINITY
  #failure: LockstepError | undefined

  constructor(dir: string) {
    this.data = join(dir, 'data.mdb')
    this.#paths = [this.data, join(dir, 'lock.mdb')]
    this.#sizes = this.#paths.map((path) => statSync(path).size)
  }

  /** @throws STORE_CORRUPTED if a file has shrunk, now or before. */
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
        `${path} was truncated from ${before} to ${size} bytes while the node had it open`,
        { data: { path } },
      )
    }
  }
}
