import { EMPTY_BYTES, equalBytes } from '../../../host/base/bytes.ts'
import { hexDigits } from '../../../host/base/hex.ts'
import type { Keccak256 } from '../../../host/evm/chain-types/signature-recovery.ts'
import {
  ACCOUNT_ROW,
  CLEARED_ROW,
  STORAGE_ROW,
  type StateDiff,
} from '../../../host/evm/engine/state-diff.ts'
import {
  ACCOUNT_RECORD,
  decodeAccount,
  EMPTY_CODE_HASH,
  encodeAccount,
} from '../../../host/evm/state/account.ts'
import type { StateView } from '../../../host/evm/state/view.ts'

interface TestAccount {
  record: Uint8Array
  /** Values by the slot's hex digits. */
  readonly storage: Map<string, Uint8Array>
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0)
}

/** EVM state in maps that answers the engine's needs and applies diffs. */
export class TestState implements StateView {
  readonly #hash: Keccak256
  readonly #accounts = new Map<string, TestAccount>()
  readonly #codes = new Map<string, Uint8Array>()
  /** Returns the hash of a block by number. geth's state tests use the hash of the decimal number. */
  readonly #blockHash: (number: number) => Uint8Array | undefined

  constructor(
    hash: Keccak256,
    blockHash: (number: number) => Uint8Array | undefined = () => undefined,
  ) {
    this.#hash = hash
    this.#blockHash = blockHash
  }

  setAccount(address: Uint8Array, nonce: bigint, balance: bigint, code: Uint8Array): void {
    const codeHash = this.#hash(code)
    this.#codes.set(hexDigits(codeHash), code)
    const storage = this.#accounts.get(hexDigits(address))?.storage ?? new Map()
    const record = encodeAccount({ nonce, balance, codeHash })
    this.#accounts.set(hexDigits(address), { record, storage })
  }

  setStorage(address: Uint8Array, slot: Uint8Array, value: Uint8Array): void {
    const storage = this.#accounts.get(hexDigits(address))?.storage
    if (storage === undefined) throw new Error(`no account ${hexDigits(address)}`)
    if (isZero(value)) storage.delete(hexDigits(slot))
    else storage.set(hexDigits(slot), value)
  }

  /** Returns an independent copy of the state. */
  copy(): TestState {
    const copy = new TestState(this.#hash, this.#blockHash)
    for (const [address, { record, storage }] of this.#accounts) {
      copy.#accounts.set(address, { record, storage: new Map(storage) })
    }
    for (const [hash, code] of this.#codes) copy.#codes.set(hash, code)
    return copy
  }

  hasAccount(address: Uint8Array): boolean {
    return this.#accounts.has(hexDigits(address))
  }

  /** Returns the record, with a 73rd byte of 1 if the account has storage (EIP-7610). */
  account(address: Uint8Array): Uint8Array | undefined {
    const account = this.#accounts.get(hexDigits(address))
    if (account === undefined) return undefined
    if (account.storage.size === 0) return account.record
    const record = new Uint8Array(ACCOUNT_RECORD + 1)
    record.set(account.record)
    record[ACCOUNT_RECORD] = 1
    return record
  }

  storage(address: Uint8Array, slot: Uint8Array): Uint8Array | undefined {
    return this.#accounts.get(hexDigits(address))?.storage.get(hexDigits(slot))
  }

  code(codeHash: Uint8Array): Uint8Array {
    const code = this.#codes.get(hexDigits(codeHash))
    if (code !== undefined) return code
    if (equalBytes(codeHash, EMPTY_CODE_HASH)) return EMPTY_BYTES
    throw new Error(`no code ${hexDigits(codeHash)}`)
  }

  blockHash(number: number): Uint8Array | undefined {
    return this.#blockHash(number)
  }

  apply(diff: StateDiff): void {
    for (const row of diff.codes) this.#codes.set(hexDigits(row.codeHash), row.code)
    for (let at = 0; at < diff.accounts.length; at += ACCOUNT_ROW) {
      const key = hexDigits(diff.accounts.subarray(at, at + 20))
      const record = diff.accounts.slice(at + 20, at + ACCOUNT_ROW)
      if (isZero(record)) {
        this.#accounts.delete(key)
      } else {
        const storage = this.#accounts.get(key)?.storage ?? new Map<string, Uint8Array>()
        this.#accounts.set(key, { record, storage })
      }
    }
    for (let at = 0; at < diff.cleared.length; at += CLEARED_ROW) {
      this.#accounts.get(hexDigits(diff.cleared.subarray(at, at + 20)))?.storage.clear()
    }
    for (let at = 0; at < diff.storage.length; at += STORAGE_ROW) {
      const row = diff.storage.subarray(at, at + STORAGE_ROW)
      this.setStorage(row.subarray(0, 20), row.subarray(20, 52), row.slice(52))
    }
  }

  /** Returns one line for each account and slot, for the report of a failing test. */
  describe(): string {
    const lines: string[] = []
    for (const [address, { record, storage }] of this.#accounts) {
      const { nonce, balance, codeHash } = decodeAccount(record)
      lines.push(`${address} nonce ${nonce} balance ${balance} code ${hexDigits(codeHash)}`)
      for (const [slot, value] of storage) lines.push(`  ${slot} = ${hexDigits(value)}`)
    }
    return lines.join('\n')
  }
}
