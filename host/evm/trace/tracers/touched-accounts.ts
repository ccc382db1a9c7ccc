import { bytesKey } from '../../../base/bytes.ts'
import { formatData } from '../../../base/hex.ts'
import type { AccountEvent, SlotEvent, TraceEvent } from '../../engine/trace-event.ts'
import { KeptBytes, RECORD_BYTES } from './kept-bytes.ts'

export interface TouchedSlot {
  readonly before: Uint8Array
  after: Uint8Array
}

/** An account that was looked up: as it was then, and as the transaction left it. */
export interface TouchedAccount {
  readonly before: AccountEvent
  after: AccountEvent
  /** Slots by the hex of the key. */
  readonly slots: Map<string, TouchedSlot>
}

/** Looked up while it had no nonce, balance or code. */
export function wasEmpty({ before }: TouchedAccount): boolean {
  return before.nonce === 0n && before.balance === 0n && before.code.length === 0
}

/** The accounts and slots that a transaction looked up, in that order. */
export class TouchedAccounts {
  readonly #kept: KeptBytes
  readonly #accounts = new Map<string, TouchedAccount>()

  /** `keptBytes` bounds what is kept; `hint` says how to keep less. */
  constructor(keptBytes: number | undefined, hint: string) {
    this.#kept = new KeptBytes(keptBytes, 'accounts', hint)
  }

  values(): IterableIterator<TouchedAccount> {
    return this.#accounts.values()
  }

  /** @throws LIMIT_EXCEEDED */
  onEvent(event: TraceEvent): void {
    if (event.kind === 'account') this.#onAccount(event)
    else if (event.kind === 'slot') this.#onSlot(event)
  }

  #onAccount(event: AccountEvent): void {
    const key = bytesKey(event.address)
    const account = this.#accounts.get(key)
    if (event.phase === 'after') {
      if (account === undefined) return
      this.#kept.add(RECORD_BYTES + event.code.length)
      account.after = event
    } else if (account === undefined) {
      this.#kept.add(RECORD_BYTES + event.code.length)
      this.#accounts.set(key, { before: event, after: event, slots: new Map() })
    }
  }

  #onSlot({ address, key, value, phase }: SlotEvent): void {
    const slots = this.#accounts.get(bytesKey(address))?.slots
    const name = formatData(key)
    const slot = slots?.get(name)
    if (phase === 'after') {
      if (slot !== undefined) slot.after = value
    } else if (slot === undefined) {
      this.#kept.add(RECORD_BYTES)
      slots?.set(name, { before: value, after: value })
    }
  }
}
