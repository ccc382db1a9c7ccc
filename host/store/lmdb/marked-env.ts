import { LmdbEnv, type LmdbEnvOptions } from './lmdb-env.ts'
import { Markers } from './markers.ts'

/** A table whose newest heights are in memory until they are flushed. */
export interface FlushTable {
  /** Writes what is pending up to `height`; writing it again changes nothing. */
  flush(height: number): Promise<void>
  /** Forgets what is pending up to `height`, once it is on disk. */
  forget(height: number): void
}

/**
 * One environment of the chain with the heights it holds. Its rows may be ahead of `latest`, never
 * behind: the marker is written after them.
 */
export class Member {
  readonly dir: string
  readonly env: LmdbEnv
  readonly #tables: FlushTable[] = []
  readonly #markers: Markers

  /** @throws STORE_CORRUPTED, STORE_FULL */
  constructor(dir: string, options: LmdbEnvOptions = {}) {
    this.dir = dir
    this.env = new LmdbEnv(dir, options)
    this.#markers = new Markers(this.env)
  }

  /** Newest height on disk; -1 when there is none. */
  get latest(): number {
    return this.#markers.get('latest')
  }

  /** Lowest height that reads answer for; -1 when there is none. */
  get earliest(): number {
    return this.#markers.get('earliest')
  }

  add<Table extends FlushTable>(table: Table): Table {
    this.#tables.push(table)
    return table
  }

  /** Writes all that is pending from `first` up to `height`, then the markers. */
  async flush(first: number, height: number): Promise<void> {
    if (height <= this.latest) return
    for (const table of this.#tables) await table.flush(height)
    this.#markers.advance(first, height, [])
  }

  forget(height: number): void {
    for (const table of this.#tables) table.forget(height)
  }

  /** Raises the lowest height that reads answer for. */
  raise(floor: number): void {
    this.#markers.raise(floor)
  }

  /** Sees what another thread has written. */
  refresh(): void {
    this.env.refresh()
    this.#markers.refresh()
  }

  close(): Promise<void> {
    return this.env.close()
  }
}
