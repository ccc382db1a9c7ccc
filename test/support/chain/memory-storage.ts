import { bigintToBytes, bytesKey } from '../../../host/base/bytes.ts'
import { LockstepError } from '../../../host/base/error.ts'
import { CHAIN_PRECOMPILES } from '../../../host/evm/chain-types/generated/chain-precompile.ts'
import { ACCOUNT_ROW, CLEARED_ROW, STORAGE_ROW } from '../../../host/evm/engine/state-diff.ts'
import type { Changeset } from '../../../host/evm/state/changeset.ts'
import type { StateView } from '../../../host/evm/state/view.ts'
import type { BlockRecord } from '../../../host/storage/store/codec/block-record.ts'
import type { StateStore } from '../../../host/storage/store/state/state-store.ts'
import type { Storage } from '../../../host/storage/store/storage.ts'
import { BlockList } from './block-list.ts'

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0)
}

/** Values by key and height. A read returns the latest at or below a height. */
class Versions {
  readonly #rows = new Map<string, [height: number, value: Uint8Array | undefined][]>()

  set(key: string, height: number, value: Uint8Array | undefined): void {
    const rows = this.#rows.get(key) ?? []
    rows.push([height, value])
    this.#rows.set(key, rows)
  }

  get(key: string, height: number): Uint8Array | undefined {
    return this.#rows.get(key)?.findLast(([written]) => written <= height)?.[1]
  }

  *keys(prefix: string): Iterable<string> {
    for (const key of this.#rows.keys()) if (key.startsWith(prefix)) yield key
  }
}

/**
 * Storage in memory that follows the contract. `records` is its disk: another storage over the same array acts as the
 * next process. `failNext` makes one append fail, before or after it is on disk.
 */
export class MemoryStorage implements Storage {
  readonly #records: BlockRecord[]
  readonly chain: BlockList
  readonly #accounts = new Versions()
  readonly #slots = new Versions()
  readonly #codes = new Map<string, Uint8Array>()
  readonly #legacy = new Versions()
  failNext: 'before' | 'after' | undefined
  /** Lowest height whose changeset is in the log. */
  logFloor = 0

  constructor(records: BlockRecord[] = []) {
    this.#records = records
    this.chain = new BlockList(records.map(({ executed }) => executed))
    for (const { changeset } of records) this.#apply(changeset)
  }

  get #latest(): number {
    return this.#records.length - 1
  }

  get state(): StateStore {
    return {
      earliest: 0,
      firstWithEvm: 0,
      evmWholeFrom: 0,
      latest: this.#latest,
      view: (height) => this.#view(height),
      legacy: (key, height) => this.#legacy.get(bytesKey(key), height),
      module: () => {
        throw new Error('modules are not read here')
      },
      apply: () => {
        throw new Error('records are appended whole')
      },
    }
  }

  async append(record: BlockRecord): Promise<void> {
    const failure = this.failNext
    this.failNext = undefined
    if (failure === 'before') throw new LockstepError('STORE_FULL', 'no space left')
    if (record.changeset.height !== this.#latest + 1) throw new Error('heights have no gaps')
    this.#records.push(record)
    this.chain.append(record.executed)
    this.#apply(record.changeset)
    if (failure === 'after') throw new LockstepError('STORE_FULL', 'killed after the sync')
  }

  *changesets(from: number): Iterable<Changeset> {
    for (const { changeset } of this.#records.slice(Math.max(from, this.logFloor))) yield changeset
  }

  async close(): Promise<void> {}

  #view(height: number): StateView {
    if (height > this.#latest) throw new LockstepError('NOT_FOUND', `no state at ${height}`)
    return {
      account: (address) => this.#accounts.get(bytesKey(address), height),
      storage: (address, slot) => this.#slots.get(bytesKey(address) + bytesKey(slot), height),
      code: (codeHash) => this.#codes.get(bytesKey(codeHash)) ?? new Uint8Array(),
      blockHash: (number) => this.#records[number]?.executed.block.header.hash,
    }
  }

  #apply({ height, evm, legacy, modules }: Changeset): void {
    for (const { codeHash, code } of evm.codes) this.#codes.set(bytesKey(codeHash), code)
    for (let at = 0; at < evm.accounts.length; at += ACCOUNT_ROW) {
      const row = evm.accounts.slice(at, at + ACCOUNT_ROW)
      const record = row.subarray(20)
      const key = bytesKey(row.subarray(0, 20))
      this.#accounts.set(key, height, isZero(record) ? undefined : record)
    }
    for (let at = 0; at < evm.cleared.length; at += CLEARED_ROW) {
      const address = bytesKey(evm.cleared.subarray(at, at + CLEARED_ROW))
      for (const key of this.#slots.keys(address)) this.#slots.set(key, height, undefined)
    }
    for (let at = 0; at < evm.storage.length; at += STORAGE_ROW) {
      const row = evm.storage.slice(at, at + STORAGE_ROW)
      const value = row.subarray(52)
      this.#slots.set(bytesKey(row.subarray(0, 52)), height, isZero(value) ? undefined : value)
    }
    for (const { address, store } of CHAIN_PRECOMPILES) {
      const account = bytesKey(bigintToBytes(BigInt(address), 20))
      const written = modules.find(({ module }) => module === store)?.writes ?? []
      for (const { key, value } of written) this.#slots.set(account + bytesKey(key), height, value)
    }
    for (const { key, value } of legacy) this.#legacy.set(bytesKey(key), height, value)
  }
}
