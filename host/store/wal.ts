import { concatBytes } from '../base/bytes.ts'
import { LmdbEnv, type LmdbTable } from './lmdb-env.ts'
import { decodeRecord, type RecordParts } from './record-codec.ts'

/** A record is stored in pieces of this size; a larger one costs LMDB a search for free pages. */
const CHUNK = 256 * 1024
/** Heights removed in one transaction by `prune`. */
const PRUNE_HEIGHTS = 64

/** Key of the marker of the lowest height kept. */
const FLOOR = new TextEncoder().encode('floor')

function chunkKey(height: number, chunk: number): Uint8Array {
  const key = new Uint8Array(12)
  const view = new DataView(key.buffer)
  view.setUint32(0, Math.floor(height / 2 ** 32))
  view.setUint32(4, height >>> 0)
  view.setUint32(8, chunk)
  return key
}

function keyHeight(key: Uint8Array): number {
  const view = new DataView(key.buffer, key.byteOffset, key.length)
  return view.getUint32(0) * 2 ** 32 + view.getUint32(4)
}

/** The write-ahead log of whole blocks: the one point of durability. Heights in it have no gaps. */
export class Wal {
  readonly #env: LmdbEnv
  readonly #chunks: LmdbTable
  readonly #markers: LmdbTable
  #earliest = -1
  #latest = -1
  #floor = -1

  constructor(dir: string) {
    this.#env = new LmdbEnv(dir)
    this.#chunks = this.#env.table('records')
    this.#markers = this.#env.table('markers')
    const floor = this.#markers.get(FLOOR)
    if (floor !== undefined) this.#floor = keyHeight(floor)
    for (const { key } of this.#chunks.range({ limit: 1 })) this.#earliest = keyHeight(key)
    for (const { key } of this.#chunks.range({ limit: 1, reverse: true })) {
      this.#latest = keyHeight(key)
    }
  }

  /** Lowest height held; -1 when empty. */
  get earliest(): number {
    return this.#earliest
  }

  /** Newest height held; -1 when empty. */
  get latest(): number {
    return this.#latest
  }

  /** The lowest height of state to keep; -1 when none was set. Members follow it. */
  get floor(): number {
    return this.#floor
  }

  raiseFloor(floor: number): void {
    this.#env.write(() => this.#markers.put(FLOOR, chunkKey(floor, 0)))
    this.#floor = floor
  }

  /** Writes the record of `height` in one transaction and syncs it. @throws STORE_FULL */
  append(height: number, record: Uint8Array): void {
    this.#env.write(() => {
      for (let chunk = 0, offset = 0; offset < record.length; chunk++, offset += CHUNK) {
        const end = Math.min(offset + CHUNK, record.length)
        this.#chunks.append(chunkKey(height, chunk), record.subarray(offset, end))
      }
    })
    if (this.#earliest < 0) this.#earliest = height
    this.#latest = height
  }

  /** @throws STORE_CORRUPTED when the record is missing or damaged. */
  read(height: number): RecordParts {
    const chunks: Uint8Array[] = []
    const range = { start: chunkKey(height, 0), end: chunkKey(height + 1, 0) }
    for (const { value } of this.#chunks.range(range)) chunks.push(value)
    return decodeRecord(height, concatBytes(chunks))
  }

  /** Removes records below `height`, in small transactions. The newest record always stays. */
  prune(height: number): void {
    const end = Math.min(height, this.#latest)
    while (this.#earliest >= 0 && this.#earliest < end) {
      const next = Math.min(end, this.#earliest + PRUNE_HEIGHTS)
      const keys: Uint8Array[] = []
      const range = { start: chunkKey(this.#earliest, 0), end: chunkKey(next, 0) }
      for (const { key } of this.#chunks.range(range)) keys.push(key)
      this.#env.write(() => {
        for (const key of keys) this.#chunks.remove(key)
      })
      this.#earliest = next
    }
  }

  close(): Promise<void> {
    return this.#env.close()
  }
}
