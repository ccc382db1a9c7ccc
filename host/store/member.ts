import { LmdbEnv, type LmdbTable } from './lmdb-env.ts'

/** A table whose newest heights are in memory until they are flushed. */
export interface FlushTable {
  /** Writes what is pending up to `height`; writing it again changes nothing. */
  flush(height: number): Promise<void>
  /** Forgets what is pending up to `height`, once it is on disk. */
  forget(height: number): void
}

const TEXT_ENCODER = new TextEncoder()

function encodeHeight(height: number): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(height))
  return bytes
}

function decodeHeight(bytes: Uint8Array): number {
  return Number(new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0))
}

/**
 * One environment of the storage with the heights it holds. Its rows may be ahead of `latest`, never
 * behind: the marker is written after them.
 */
export class Member {
  readonly dir: string
  readonly env: LmdbEnv
  readonly #tables: FlushTable[] = []
  readonly #markers: LmdbTable
  readonly #heights = new Map<string, number>()

  constructor(dir: string) {
    this.dir = dir
    this.env = new LmdbEnv(dir)
    this.#markers = this.env.table('markers')
  }

  /** Newest height on disk; -1 when there is none. */
  get latest(): number {
    return this.marker('latest')
  }

  /** Lowest height that reads answer for; -1 when there is none. */
  get earliest(): number {
    return this.marker('earliest')
  }

  /** Whether it holds anything but the genesis block. */
  get hasHistory(): boolean {
    return this.latest > 0 || this.earliest > 0
  }

  /** A named height kept beside the tables; -1 when it was never set. */
  marker(name: string): number {
    const known = this.#heights.get(name)
    if (known !== undefined) return known
    const stored = this.#markers.get(TEXT_ENCODER.encode(name))
    const height = stored === undefined ? -1 : decodeHeight(stored)
    this.#heights.set(name, height)
    return height
  }

  add<Table extends FlushTable>(table: Table): Table {
    this.#tables.push(table)
    return table
  }

  /**
   * Writes all that is pending from `first` up to `height`, then the markers: `latest` and those of
   * `also`, which move with it.
   */
  async flush(first: number, height: number, also: readonly string[] = []): Promise<void> {
    if (height <= this.latest) return
    for (const table of this.#tables) await table.flush(height)
    const heights: [string, number][] = [['latest', height]]
    for (const name of also) heights.push([name, height])
    if (this.earliest < 0) heights.push(['earliest', first])
    this.#mark(heights)
  }

  forget(height: number): void {
    for (const table of this.#tables) table.forget(height)
  }

  /** Raises the lowest height that reads answer for. */
  raise(floor: number): void {
    if (this.earliest < floor) this.#mark([['earliest', floor]])
  }

  close(): Promise<void> {
    return this.env.close()
  }

  #mark(heights: readonly [string, number][]): void {
    this.env.write(() => {
      for (const [name, height] of heights) {
        this.#markers.put(TEXT_ENCODER.encode(name), encodeHeight(height))
      }
    })
    for (const [name, height] of heights) this.#heights.set(name, height)
  }
}
