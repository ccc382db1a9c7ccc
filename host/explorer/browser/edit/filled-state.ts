import { EMPTY_BYTES } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import type { AsyncStateView, StateView } from '../../../evm/state/view.ts'
import { type AssumedRead, assumedRead } from './assumed-read.ts'
import { type BundleStateRead, readStateValue } from './state-read.ts'

/** A partially recorded state. Missing values are read from another state; without one they are empty. */
export class FilledState implements AsyncStateView {
  readonly #recorded: StateView
  readonly #source: AsyncStateView | undefined
  readonly #assumed = new Map<string, AssumedRead>()

  constructor(recorded: StateView, source: AsyncStateView | undefined) {
    this.#recorded = recorded
    this.#source = source
  }

  /** Reads that were taken to be empty, in order. */
  get assumed(): readonly AssumedRead[] {
    return [...this.#assumed.values()]
  }

  account(address: Uint8Array): Uint8Array | undefined | Promise<Uint8Array | undefined> {
    return this.#fill(() => this.#recorded.account(address), { kind: 'account', address })
  }

  storage(
    address: Uint8Array,
    slot: Uint8Array,
  ): Uint8Array | undefined | Promise<Uint8Array | undefined> {
    const read = () => this.#recorded.storage(address, slot)
    return this.#fill(read, { kind: 'storage', address, slot })
  }

  async code(codeHash: Uint8Array): Promise<Uint8Array> {
    const code = this.#fill(() => this.#recorded.code(codeHash), { kind: 'code', codeHash })
    return (await code) ?? EMPTY_BYTES
  }

  blockHash(number: number): Uint8Array | undefined | Promise<Uint8Array | undefined> {
    return this.#fill(() => this.#recorded.blockHash(number), { kind: 'blockHash', number })
  }

  #fill(
    read: () => Uint8Array | undefined,
    what: BundleStateRead,
  ): Uint8Array | undefined | Promise<Uint8Array | undefined> {
    try {
      return read()
    } catch (thrown) {
      if (!(thrown instanceof LockstepError) || thrown.code !== 'NOT_FOUND') throw thrown
    }
    if (this.#source !== undefined) return readStateValue(what, this.#source)
    const assumed = assumedRead(what)
    this.#assumed.set(JSON.stringify(assumed), assumed)
    return undefined
  }
}
