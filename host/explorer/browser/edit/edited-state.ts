import { bytesKey, concatBytes, isZero } from '../../../base/bytes.ts'
import type { Keccak256 } from '../../../evm/chain-types/signature-recovery.ts'
import { ACCOUNT_RECORD, decodeAccount, encodeAccount } from '../../../evm/state/account.ts'
import type { AsyncStateView } from '../../../evm/state/view.ts'
import type { EditedAccount } from './changes.ts'

/** Account changes on top of a state. */
export class EditedState implements AsyncStateView {
  readonly #base: AsyncStateView
  readonly #accounts: ReadonlyMap<string, EditedAccount>
  readonly #keccak256: Keccak256
  readonly #codes: ReadonlyMap<string, Uint8Array>

  /** `accounts` by `bytesKey` of their addresses. */
  constructor(
    base: AsyncStateView,
    accounts: ReadonlyMap<string, EditedAccount>,
    keccak256: Keccak256,
  ) {
    this.#base = base
    this.#accounts = accounts
    this.#keccak256 = keccak256
    const codes = Array.from(accounts.values(), ({ code }) => code).filter(
      (code) => code !== undefined,
    )
    this.#codes = new Map(codes.map((code) => [bytesKey(keccak256(code)), code]))
  }

  async account(address: Uint8Array): Promise<Uint8Array | undefined> {
    const edit = this.#accounts.get(bytesKey(address))
    const record = await this.#base.account(address)
    if (edit === undefined) return record
    const { balance, nonce, code } = edit
    if (balance === undefined && nonce === undefined && code === undefined) return record
    const account = decodeAccount(record)
    const edited = encodeAccount({
      balance: balance ?? account.balance,
      nonce: nonce ?? account.nonce,
      codeHash: code === undefined ? account.codeHash : this.#keccak256(code),
    })
    // The bytes after the record say that there is storage.
    return record === undefined ? edited : concatBytes([edited, record.subarray(ACCOUNT_RECORD)])
  }

  async storage(address: Uint8Array, slot: Uint8Array): Promise<Uint8Array | undefined> {
    const value = this.#accounts.get(bytesKey(address))?.slots.get(bytesKey(slot))
    if (value === undefined) return this.#base.storage(address, slot)
    return isZero(value) ? undefined : value
  }

  async code(codeHash: Uint8Array): Promise<Uint8Array> {
    return this.#codes.get(bytesKey(codeHash)) ?? this.#base.code(codeHash)
  }

  blockHash(number: number): Uint8Array | undefined | Promise<Uint8Array | undefined> {
    return this.#base.blockHash(number)
  }
}
