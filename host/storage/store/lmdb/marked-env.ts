import { LmdbEnv, type LmdbEnvOptions } from './lmdb-env.ts'
import { Markers } from './markers.ts'

/** A table whose latest heights are in memory until they are flushed. */
export interface FlushTable {
  /** Writes what is pending up to `height`; writing it again changes nothing. */
  flush(height: number): Promise<void>
  /** Drops what was pending up to `height` after it is on disk. */
  forget(height: number): void
}

/**
 * An LMDB environment with markers of its heights. Its rows may be ahead of `latest`, never behind: the marker is
 * written after them.
 */
export class MarkedEnv extends LmdbEnv {
  readonly #tables: FlushTable[] = []
  readonly #markers: Markers

  /** @throws STORE_CORRUPTED, STORE_FULL */
  constructor(dir: string, options: LmdbEnvOptions = {}) {
    super(dir, { ...options, tables: ['markers', ...(options.tables ?? [])] })
    this.#markers = new Markers(this)
  }

  /** Latest height on disk; -1 if none. */
  get latest(): number {
    return this.#markers.get('latest')
  }

  /** Lowest height for reads; -1 if none. */
  get earliest(): number {
    return this.#markers.get('earliest')
  }

  add<Table extends FlushTable>(table: Table): Table {
    this.#tables.push(table)
    return table
  }

  /** Writes everything pending from `first` up to `height`, then the markers. */
  async flush(first: number, height: number): Promise<void> {
    if (height <= this.latest) return
    for (const table of this.#tables) await table.flush(height)
    this.#markers.advance(first, height, [])
  }

  forget(height: number): void {
    for (const table of this.#tables) table.forget(height)
  }

  /** Raises the lowest height for reads. */
  raise(pruneHeight: number): void {
    this.#markers.raise(pruneHeight)
  }

  /** Lowers the latest height; the caller removes the rows above it. */
  lower(height: number): void {
    if (this.latest > height) this.#markers.set([['latest', height]])
  }

  override refresh(): void {
    super.refresh()
    this.#markers.refresh()
  }
}
