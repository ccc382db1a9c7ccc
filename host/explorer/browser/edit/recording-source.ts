import { bytesKey } from '../../../base/bytes.ts'
import { noReads, type RecordedReads, slotKey } from '../../../evm/state/recorded-state.ts'
import type { AsyncStateView } from '../../../evm/state/view.ts'

/** Records all reads of an asynchronous state. */
export class RecordingSource implements AsyncStateView {
  readonly reads: RecordedReads = noReads()
  readonly #base: AsyncStateView

  constructor(base: AsyncStateView) {
    this.#base = base
  }

  async account(address: Uint8Array): Promise<Uint8Array | undefined> {
    const record = (await this.#base.account(address))?.slice()
    const found = record === undefined ? {} : { record }
    this.reads.accounts.set(bytesKey(address), { address: address.slice(), ...found })
    return record
  }

  async storage(address: Uint8Array, slot: Uint8Array): Promise<Uint8Array | undefined> {
    const value = (await this.#base.storage(address, slot))?.slice()
    const found = value === undefined ? {} : { value }
    const read = { address: address.slice(), slot: slot.slice(), ...found }
    this.reads.slots.set(slotKey(address, slot), read)
    return value
  }

  async code(codeHash: Uint8Array): Promise<Uint8Array> {
    const code = (await this.#base.code(codeHash)).slice()
    this.reads.codes.set(bytesKey(codeHash), { codeHash: codeHash.slice(), code })
    return code
  }

  async blockHash(number: number): Promise<Uint8Array | undefined> {
    const hash = (await this.#base.blockHash(number))?.slice()
    this.reads.blockHashes.set(number, hash)
    return hash
  }
}
