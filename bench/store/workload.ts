import { ACCOUNT_ROW, STORAGE_ROW } from '../../host/evm/engine/state-diff.ts'
import { EMPTY_CODE_HASH } from '../../host/evm/state/account.ts'
import type { KeyWrite } from '../../host/evm/state/changeset.ts'
import type { BlockRecord } from '../../host/storage/store/codec/block-record.ts'
import { ADDRESS_BYTES, type TableRow } from '../../host/storage/store/state/table-rows.ts'
import { makeRandom } from '../../test/support/random.ts'

/** Slots of an account that are rewritten repeatedly. */
const SLOTS = 16
const CONTRACTS = 1000
const WORD = 2 ** 32
const ACCOUNT_VALUE = ACCOUNT_ROW - ADDRESS_BYTES

/** Rows written per block. */
export interface BlockShape {
  readonly accounts: number
  readonly slots: number
  /** Keys of a general module. */
  readonly moduleKeys: number
}

export const EVM_BLOCK: BlockShape = { accounts: 120_000, slots: 12_000, moduleKeys: 0 }
export const MIXED_BLOCK: BlockShape = { ...EVM_BLOCK, moduleKeys: 20_000 }

/** Deterministic hash of two words with unbiased bits. */
function mix(a: number, b: number): number {
  let h = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(b + 0x7f4a7c15, 0xc2b2ae35)
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d)
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39)
  return (h ^ (h >>> 15)) >>> 0
}

function writeWords(bytes: Uint8Array, start: number, end: number, a: number, b: number): void {
  for (let i = start, word = 0; i < end; i++) {
    if ((i - start) % 4 === 0) word = mix(a + (i - start), b)
    bytes[i] = word >>> (8 * (i & 3))
  }
}

/** Accounts of a chain, with addresses ascending by number and spread evenly. */
export class Accounts {
  readonly count: number

  constructor(count: number) {
    this.count = count
  }

  writeAddress(bytes: Uint8Array, offset: number, n: number): void {
    const step = WORD / this.count
    // Below the first of the next number, so that addresses ascend.
    const high = Math.floor(n * step) + Math.floor((mix(n, 1) / WORD) * Math.floor(step))
    bytes[offset] = high >>> 24
    bytes[offset + 1] = high >>> 16
    bytes[offset + 2] = high >>> 8
    bytes[offset + 3] = high
    writeWords(bytes, offset + 4, offset + ADDRESS_BYTES, n, 2)
  }

  address(n: number): Uint8Array {
    const bytes = new Uint8Array(ADDRESS_BYTES)
    this.writeAddress(bytes, 0, n)
    return bytes
  }

  /** Writes nonce, balance in wei and code hash at `height`. One account in eight is a contract. */
  writeRecord(bytes: Uint8Array, offset: number, n: number, height: number): void {
    bytes.fill(0, offset, offset + 40)
    new DataView(bytes.buffer, bytes.byteOffset + offset).setUint32(4, height + 1)
    writeWords(bytes, offset + 30, offset + 40, n, height)
    if (n % 8 === 0) writeWords(bytes, offset + 40, offset + ACCOUNT_VALUE, n % CONTRACTS, 3)
    else bytes.set(EMPTY_CODE_HASH, offset + 40)
  }

  /** Returns the height that wrote a record. */
  static heightOf(record: Uint8Array): number {
    return new DataView(record.buffer, record.byteOffset).getUint32(4) - 1
  }

  /** Yields all accounts at height 0, with ascending addresses. */
  *rows(): Generator<TableRow, void> {
    for (let n = 0; n < this.count; n++) {
      const bytes = new Uint8Array(ACCOUNT_ROW)
      this.writeAddress(bytes, 0, n)
      this.writeRecord(bytes, ADDRESS_BYTES, n, 0)
      yield { key: bytes.subarray(0, ADDRESS_BYTES), value: bytes.subarray(ADDRESS_BYTES) }
    }
  }
}

/** Blocks of random rows, the same in every run. */
export class Workload {
  readonly accounts: Accounts
  readonly #shape: BlockShape
  readonly #random = makeRandom(7)
  /** Height that each account was last drawn for. */
  readonly #drawn: Uint32Array

  constructor(accounts: Accounts, shape: BlockShape) {
    this.accounts = accounts
    this.#shape = shape
    this.#drawn = new Uint32Array(accounts.count)
  }

  get rowsOfBlock(): number {
    return this.#shape.accounts + this.#shape.slots + this.#shape.moduleKeys
  }

  /** Returns the bytes of keys and values that a block writes. */
  get bytesOfBlock(): number {
    const { accounts, slots, moduleKeys } = this.#shape
    return accounts * ACCOUNT_ROW + slots * STORAGE_ROW + moduleKeys * MODULE_ROW
  }

  record(height: number): BlockRecord {
    const { accounts, slots } = this.#shape
    const accountRows = new Uint8Array(accounts * ACCOUNT_ROW)
    for (let start = 0; start < accountRows.length; start += ACCOUNT_ROW) {
      const n = this.#draw(height)
      this.accounts.writeAddress(accountRows, start, n)
      this.accounts.writeRecord(accountRows, start + ADDRESS_BYTES, n, height)
    }
    const storageRows = new Uint8Array(slots * STORAGE_ROW)
    for (let start = 0; start < storageRows.length; start += STORAGE_ROW) {
      const n = this.#below(this.accounts.count)
      this.accounts.writeAddress(storageRows, start, n)
      writeWords(storageRows, start + 20, start + 52, n, 10 + this.#below(SLOTS))
      writeWords(storageRows, start + 68, start + 84, n, height)
    }
    const record = emptyRecord(height)
    const modules = this.#modules(height)
    return {
      ...record,
      changeset: {
        ...record.changeset,
        evm: { accounts: accountRows, cleared: NOTHING, storage: storageRows, codes: [] },
        modules: modules.length === 0 ? [] : [{ module: 'bank', writes: modules }],
      },
    }
  }

  /** Returns balances with keys of the bank module. */
  #modules(height: number): KeyWrite[] {
    const writes: KeyWrite[] = []
    const numbers = new Set<number>()
    while (numbers.size < this.#shape.moduleKeys) numbers.add(this.#below(this.accounts.count))
    for (const n of [...numbers].sort((a, b) => a - b)) {
      const key = new Uint8Array(MODULE_KEY)
      key.set([2, 20])
      this.accounts.writeAddress(key, 2, n)
      key.set(DENOMINATION, 22)
      const value = new Uint8Array(MODULE_ROW - MODULE_KEY)
      writeWords(value, 0, value.length, n, height)
      writes.push({ key, value })
    }
    return writes
  }

  /** Returns an account not drawn yet for this height. */
  #draw(height: number): number {
    for (;;) {
      const n = this.#below(this.accounts.count)
      if (this.#drawn[n] === height) continue
      this.#drawn[n] = height
      return n
    }
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit)
  }
}

const NOTHING = new Uint8Array(0)
const DENOMINATION = Buffer.from('usei')
const MODULE_KEY = 26
const MODULE_ROW = 42

/** Returns a block without transactions or changes. */
export function emptyRecord(height: number): BlockRecord {
  const hash = new Uint8Array(32)
  new DataView(hash.buffer).setUint32(0, height + 1)
  const none = new Uint8Array(32)
  return {
    executed: {
      block: {
        header: {
          number: height,
          hash,
          parentHash: none,
          stateRoot: none,
          transactionsRoot: none,
          receiptsRoot: none,
          logsBloom: new Uint8Array(256),
          miner: new Uint8Array(ADDRESS_BYTES),
          prevRandao: none,
          timestamp: 1_700_000_000 + height,
          gasLimit: 100_000_000n,
          gasUsed: 0n,
          baseFeePerGas: 10n ** 9n,
          size: 500,
        },
        transactions: [],
      },
      transactionHashes: [],
      receipts: [],
    },
    changeset: {
      height,
      evm: { accounts: NOTHING, cleared: NOTHING, storage: NOTHING, codes: [] },
      legacy: [],
      modules: [],
    },
  }
}
