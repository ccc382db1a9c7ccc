import { bytesKey, EMPTY_BYTES } from '../../../base/bytes.ts'
import { noReads, type RecordedReads, slotKey } from '../../../evm/state/recorded-state.ts'
import type { AsyncStateView, StateView } from '../../../evm/state/view.ts'

/** Caches another state: each value is requested once. */
export class AnsweredState implements AsyncStateView {
  readonly #base: AsyncStateView
  readonly #reads: RecordedReads = noReads()

  constructor(base: AsyncStateView) {
    this.#base = base
  }

  /** The cached values; all others read as missing. */
  get known(): StateView {
    const { accounts, slots, codes, blockHashes } = this.#reads
    return {
      account: (address) => accounts.get(bytesKey(address))?.record,
      storage: (address, slot) => slots.get(slotKey(address, slot))?.value,
      code: (codeHash) => codes.get(bytesKey(codeHash))?.code ?? EMPTY_BYTES,
      blockHash: (number) => blockHashes.get(number),
    }
  }

  account(address: Uint8Array): Awaitable<Uint8Array | undefined> {
    const key = bytesKey(address)
    const read = this.#reads.accounts.get(key)
    if (read !== undefined) return read.record
    return once(this.#base.account(address), (found) => {
      const record = found?.slice()
      this.#reads.accounts.set(key, { address, ...(record !== undefined && { record }) })
      return record
    })
  }

  storage(address: Uint8Array, slot: Uint8Array): Awaitable<Uint8Array | undefined> {
    const key = slotKey(address, slot)
    const read = this.#reads.slots.get(key)
    if (read !== undefined) return read.value
    return once(this.#base.storage(address, slot), (found) => {
      const value = found?.slice()
      this.#reads.slots.set(key, { address, slot, ...(value !== undefined && { value }) })
      return value
    })
  }

  code(codeHash: Uint8Array): Awaitable<Uint8Array> {
    const key = bytesKey(codeHash)
    const read = this.#reads.codes.get(key)
    if (read !== undefined) return read.code
    return once(this.#base.code(codeHash), (found) => {
      const code = found.slice()
      this.#reads.codes.set(key, { codeHash, code })
      return code
    })
  }

  blockHash(number: number): Awaitable<Uint8Array | undefined> {
    const { blockHashes } = this.#reads
    if (blockHashes.has(number)) return blockHashes.get(number)
    return once(this.#base.blockHash(number), (found) => {
      const hash = found?.slice()
      blockHashes.set(number, hash)
      return hash
    })
  }
}

type Awaitable<Value> = Value | Promise<Value>

/** Caches an answer and returns it. */
function once<Value>(found: Awaitable<Value>, keep: (found: Value) => Value): Awaitable<Value> {
  return found instanceof Promise ? found.then(keep) : keep(found)
}
