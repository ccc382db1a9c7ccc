import { compareBytes } from '../../../base/bytes.ts'
import { decodeHeight, encodeHeight } from '../codec/ordered-key.ts'
import { LmdbEnv, type LmdbTable } from '../lmdb/lmdb-env.ts'
import {
  ADDRESS_TABLES,
  type AddressBlock,
  type AddressRowPosition,
  encodeAddressBlock,
  hashIn,
  keysIn,
  nonceItem,
  placeIn,
  placeKey,
  TABLE,
} from './address-rows.ts'

/** Rows removed per transaction: some ten milliseconds. */
const REMOVED_ROWS = 4096

const LAST_INDEX = 0xffffffff

/** A range of places, from the first to the last, or the reverse if `reverse` is set. */
export interface AddressRange {
  /** Lowest and highest height, both included. */
  readonly from: number
  readonly to: number
  readonly reverse?: boolean
}

/** A transaction that involves an address, with the sum of the address's roles. */
export interface AddressTransaction extends AddressRowPosition {
  readonly roles: number
}

/** The transaction that created a contract, and the address that ran CREATE or CREATE2 or sent the transaction. */
export interface ContractCreation extends AddressRowPosition {
  readonly creator: Uint8Array
}

/**
 * Transactions by the addresses they touch, by sender and nonce, and by the contracts they create:
 * `data/address_index.db`. A block's rows and its record are written in one transaction, and the records have no
 * gaps. So the indexed heights are known after any crash, and blocks can be removed from either end. The index can be
 * rebuilt from the blocks and the states before them.
 */
export class AddressStore {
  readonly #env: LmdbEnv
  readonly #tables: readonly LmdbTable[]
  readonly #blocks: LmdbTable

  /** @throws STORE_CORRUPTED, STORE_FULL; so do the reads and writes. */
  constructor(dir: string, options: { readonly isShared?: boolean } = {}) {
    const names = ADDRESS_TABLES.map(({ name }) => name)
    this.#env = new LmdbEnv(dir, { ...options, tables: [...names, 'blocks'] })
    this.#tables = names.map((name) => this.#env.table(name))
    this.#blocks = this.#env.table('blocks')
  }

  /** Latest indexed height; -1 if none is indexed. */
  get latest(): number {
    return this.#edge(true)
  }

  /** Lowest indexed height; -1 if none is indexed. */
  get earliest(): number {
    return this.#edge(false)
  }

  /** Returns the latest height up to `from` whose block is part of the chain; 0 if there is none. */
  latestOf(
    from: number,
    isOfChain: (height: number, hash: Uint8Array | undefined) => boolean,
  ): number {
    for (let height = from; height > 0; height--) {
      const record = this.#blocks.get(encodeHeight(height))
      if (isOfChain(height, record && hashIn(record))) return height
    }
    return Math.min(from, 0)
  }

  /** Adds blocks, which must follow the latest one without a gap. */
  add(blocks: readonly AddressBlock[]): void {
    const rows = blocks.flatMap(({ height, rows }) =>
      rows.map(({ table, item, index, value }) => ({
        table,
        key: placeKey(item, { height, index }),
        value,
      })),
    )
    // Sorted, adjacent rows fall on the same page.
    rows.sort((a, b) => a.table - b.table || compareBytes(a.key, b.key))
    this.#env.write(() => {
      for (const { table, key, value } of rows) this.#table(table).put(key, value)
      for (const block of blocks) {
        this.#blocks.put(encodeHeight(block.height), encodeAddressBlock(block))
      }
    })
  }

  /** Removes all blocks above `height`, the latest first. */
  cut(height: number): void {
    while (!this.#remove({ start: encodeHeight(Number.MAX_SAFE_INTEGER), above: height }));
  }

  /** Removes some of the blocks below `height`, the oldest first. Returns true if none are left. */
  prune(height: number): boolean {
    return this.#remove({ start: encodeHeight(0), below: height })
  }

  /** Yields the transactions of an address in which it has one of the roles. */
  *places(
    address: Uint8Array,
    roles: number,
    range: AddressRange,
  ): Generator<AddressTransaction, void, undefined> {
    for (const { key, value } of this.#rows(TABLE.PLACES, address, range)) {
      const found = value[0] as number
      if ((found & roles) !== 0) yield { ...placeIn(key), roles: found }
    }
  }

  /** Returns the latest transaction with this sender and nonce up to height `to`. */
  byNonce(sender: Uint8Array, nonce: bigint, to: number): AddressRowPosition | undefined {
    const range = { from: 0, to, reverse: true }
    for (const { key } of this.#rows(TABLE.NONCES, nonceItem(sender, nonce), range)) {
      return placeIn(key)
    }
    return undefined
  }

  /** Returns the latest creation of a contract up to height `to`. */
  creation(contract: Uint8Array, to: number): ContractCreation | undefined {
    for (const { key, value } of this.#rows(TABLE.CREATIONS, contract, {
      from: 0,
      to,
      reverse: true,
    })) {
      return { ...placeIn(key), creator: value }
    }
    return undefined
  }

  /** Yields descriptions of inconsistencies: gaps between the records of blocks, and rows that no record lists. */
  *inconsistencies(): Generator<string, void> {
    const stated = this.#tables.map(() => 0)
    let last = -1
    for (const { key, value } of this.#blocks.range({})) {
      const height = decodeHeight(key)
      if (last >= 0 && height !== last + 1) {
        yield `block ${height} follows block ${last} of the address index`
      }
      last = height
      for (const row of keysIn(value, height)) {
        stated[row.table] = (stated[row.table] ?? 0) + 1
        if (this.#table(row.table).get(row.key) !== undefined) continue
        yield `a row of block ${height} is missing in table ${ADDRESS_TABLES[row.table]?.name}`
      }
    }
    for (const [i, table] of this.#tables.entries()) {
      let rows = 0
      for (const _ of table.range({})) rows++
      if (rows === stated[i]) continue
      yield `table ${ADDRESS_TABLES[i]?.name} has ${rows} rows, its blocks list ${stated[i]}`
    }
  }

  /** Refreshes the view of what the thread has written. */
  refresh(): void {
    this.#env.refresh()
  }

  close(): Promise<void> {
    return this.#env.close()
  }

  #table(index: number): LmdbTable {
    return this.#tables[index] as LmdbTable
  }

  #edge(reverse: boolean): number {
    for (const { key } of this.#blocks.range({ reverse, limit: 1 })) return decodeHeight(key)
    return -1
  }

  *#rows(table: number, item: Uint8Array, { from, to, reverse = false }: AddressRange) {
    if (to < from) return
    const low = placeKey(item, { height: from, index: 0 })
    const high = placeKey(item, { height: to, index: LAST_INDEX })
    // The second bound is excluded: no block has that many transactions, and no row lies between `item` and `low`.
    const below = from === 0 ? item : placeKey(item, { height: from - 1, index: LAST_INDEX })
    yield* this.#table(table).range(
      reverse ? { start: high, end: below, reverse } : { start: low, end: high },
    )
  }

  /** Removes some blocks from one end. Returns true if none are left there. */
  #remove(end: { readonly start: Uint8Array; readonly above?: number; readonly below?: number }) {
    const { start, above, below } = end
    const dead: { readonly table: LmdbTable; readonly key: Uint8Array }[] = []
    let isDone = true
    for (const { key, value } of this.#blocks.range({ start, reverse: above !== undefined })) {
      const height = decodeHeight(key)
      if (above === undefined ? height >= (below ?? 0) : height <= above) break
      if (dead.length >= REMOVED_ROWS) {
        isDone = false
        break
      }
      for (const row of keysIn(value, height)) {
        dead.push({ table: this.#table(row.table), key: row.key })
      }
      dead.push({ table: this.#blocks, key })
    }
    if (dead.length > 0) {
      this.#env.write(() => {
        for (const { table, key } of dead) table.remove(key)
      })
    }
    return isDone
  }
}
