import { RecentCache } from '../../../base/recent-cache.ts'
import { yieldToEventLoop } from '../../../base/yield-to-event-loop.ts'
import { sortPacked } from '../../table/row-sort.ts'
import type { BlockParts } from '../codec/record-codec.ts'
import type { LmdbTable } from '../lmdb/lmdb-env.ts'
import type { FlushTable, MarkedEnv } from '../lmdb/marked-env.ts'
import type { TransactionLocation } from './chain-store.ts'

const HASH = 32
/** Bytes of a row: height 8, index 4. */
const LOCATION = 12
/** Bytes of a row with its key before it. */
const ROW = HASH + LOCATION
/** Rows written per transaction. */
const SLICE = 4096
/** Locations cached after they are read. */
const KEPT = 4096

function readLocation(row: Uint8Array): TransactionLocation {
  const view = new DataView(row.buffer, row.byteOffset, LOCATION)
  return { height: Number(view.getBigUint64(0)), index: view.getUint32(8) }
}

function writeLocation({ height, index }: TransactionLocation): Uint8Array {
  const row = new Uint8Array(LOCATION)
  const view = new DataView(row.buffer)
  view.setBigUint64(0, BigInt(height))
  view.setUint32(8, index)
  return row
}

/** Concatenates the rows of blocks, each with its key first. */
function packRows(blocks: readonly BlockHashes[]): Uint8Array {
  const count = blocks.reduce((sum, { hashes }) => sum + hashes.length / HASH, 0)
  const rows = new Uint8Array(count * ROW)
  const view = new DataView(rows.buffer)
  let at = 0
  for (const { height, hashes } of blocks) {
    const location = writeLocation({ height, index: 0 })
    for (let start = 0, index = 0; start < hashes.length; start += HASH, index++, at += ROW) {
      for (let i = 0; i < HASH; i++) rows[at + i] = hashes[start + i] as number
      rows.set(location, at + HASH)
      view.setUint32(at + ROW - 4, index)
    }
  }
  return rows
}

type BlockHashes = Pick<BlockParts, 'height' | 'hashes'>

/** Height and index of each transaction, by its hash. */
export class TransactionTable implements FlushTable {
  readonly #env: MarkedEnv
  readonly #rows: LmdbTable
  readonly #pending = new Map<string, TransactionLocation>()
  /** The pending blocks. */
  #blocks: BlockHashes[] = []
  /** Pending blocks that no lookup has needed yet: if other threads serve reads, none is indexed here. */
  #unsorted: BlockHashes[] = []
  /** Earlier locations of pending transactions that a later block includes again, the latest last. */
  readonly #earlier = new Map<string, TransactionLocation[]>()
  /** Locations read from disk; cleared when a row changes. */
  readonly #read = new RecentCache<string, TransactionLocation>(KEPT)

  constructor(env: MarkedEnv) {
    this.#env = env
    this.#rows = env.table('transactions')
  }

  apply({ height, hashes }: BlockHashes): void {
    const block = { height, hashes }
    this.#blocks.push(block)
    this.#unsorted.push(block)
  }

  #sort(): void {
    const unsorted = this.#unsorted
    this.#unsorted = []
    for (const block of unsorted) this.#sortIn(block)
  }

  #sortIn({ height, hashes }: BlockHashes): void {
    const { latin1Slice } = Buffer.prototype
    for (let start = 0, index = 0; start < hashes.length; start += HASH, index++) {
      const key = latin1Slice.call(hashes, start, start + HASH)
      const before = this.#pending.get(key)
      if (before !== undefined) {
        this.#earlier.set(key, [...(this.#earlier.get(key) ?? []), before])
      }
      this.#pending.set(key, { height, index })
    }
  }

  /**
   * Drops the pending locations above `height`. A transaction that was also included earlier gets its earlier
   * location back.
   */
  forgetAbove(height: number): void {
    this.#forgetRead()
    this.#blocks = this.#blocks.filter((block) => block.height <= height)
    this.#unsorted = this.#unsorted.filter((block) => block.height <= height)
    for (const [key, location] of this.#pending) {
      let place: TransactionLocation | undefined = location
      while (place !== undefined && place.height > height) place = this.#earlier.get(key)?.pop()
      if (place === undefined) this.#pending.delete(key)
      else if (place !== location) this.#pending.set(key, place)
      if (this.#earlier.get(key)?.length === 0) this.#earlier.delete(key)
    }
  }

  locate(transactionHash: Uint8Array): TransactionLocation | undefined {
    if (transactionHash.length !== HASH) return undefined
    this.#sort()
    const key = Buffer.prototype.latin1Slice.call(transactionHash, 0, HASH)
    const pending = this.#pending.get(key)
    if (pending !== undefined) return pending
    const known = this.#read.get(key)
    if (known !== undefined) return known
    const row = this.#rows.get(transactionHash)
    if (row === undefined) return undefined
    const location = readLocation(row)
    this.#read.set(key, location)
    return location
  }

  /** Removes the rows of these transactions that have a height below `pruneHeight`. */
  remove(hashes: readonly Uint8Array[], pruneHeight: number): void {
    this.#forgetRead()
    this.#env.write(() => {
      for (const hash of hashes) {
        const row = this.#rows.get(hash)
        if (row !== undefined && readLocation(row).height < pruneHeight) this.#rows.remove(hash)
      }
    })
  }

  /** Removes the rows of these transactions that have a height above `height`. */
  removeAbove(hashes: readonly Uint8Array[], height: number): void {
    this.#forgetRead()
    this.#env.write(() => {
      for (const hash of hashes) {
        const row = this.#rows.get(hash)
        if (row !== undefined && readLocation(row).height > height) this.#rows.remove(hash)
      }
    })
  }

  /** Changes the location of a transaction on disk. */
  move(transactionHash: Uint8Array, location: TransactionLocation): void {
    this.#forgetRead()
    this.#env.write(() => this.#rows.put(transactionHash, writeLocation(location)))
  }

  async flush(height: number): Promise<void> {
    const rows = packRows(this.#blocks.filter((block) => block.height <= height))
    // Sorted by hash and location, so that the last location of a transaction in several blocks is written last.
    const order = sortPacked(rows, ROW)
    const hash = new Uint8Array(HASH)
    const location = new Uint8Array(LOCATION)
    for (let start = 0; start < order.length; start += SLICE) {
      this.#env.write(() => {
        for (const row of order.subarray(start, start + SLICE)) {
          const at = row * ROW
          for (let i = 0; i < HASH; i++) hash[i] = rows[at + i] as number
          for (let i = 0; i < LOCATION; i++) location[i] = rows[at + HASH + i] as number
          this.#rows.put(hash, location)
        }
      })
      await yieldToEventLoop()
    }
  }

  forget(height: number): void {
    this.#forgetRead()
    this.#blocks = this.#blocks.filter((block) => block.height > height)
    this.#unsorted = this.#unsorted.filter((block) => block.height > height)
    for (const [hash, location] of this.#pending) {
      if (location.height > height) continue
      this.#pending.delete(hash)
      this.#earlier.delete(hash)
    }
  }

  #forgetRead(): void {
    this.#read.clear()
  }
}
