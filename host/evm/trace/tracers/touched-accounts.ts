import { bytesKey } from '../../../base/bytes.ts'
import { formatData } from '../../../base/hex.ts'
import type { AccountEvent, EnterEvent, SlotEvent, TraceEvent } from '../../engine/trace-event.ts'
import { KeptBytes, RECORD_BYTES } from './kept-bytes.ts'

export interface TouchedSlot {
  readonly before: Uint8Array
  after: Uint8Array
}

/** An accessed account: its values at first access, and after the transaction. */
export interface TouchedAccount {
  readonly before: AccountEvent
  after: AccountEvent
  /** True if a creation at its address has begun, even if it has failed since. */
  isCreated: boolean
  /** True if its code has executed SELFDESTRUCT, even in a frame that has reverted since. */
  hasSelfdestructed: boolean
  /** Slots by key in hex. */
  readonly slots: Map<string, TouchedSlot>
}

/** True if the account had no nonce, balance or code at first access. */
export function wasEmpty({ before }: TouchedAccount): boolean {
  return before.nonce === 0n && before.balance === 0n && before.code.length === 0
}

/** Accounts and slots that a transaction accessed, in that order. */
export class TouchedAccounts {
  readonly #kept: KeptBytes
  readonly #accounts = new Map<string, TouchedAccount>()

  /** `keptBytes` limits the memory; `hint` says how to need less. */
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
    else if (event.kind === 'enter') this.#onEnter(event)
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
      const flags = { isCreated: false, hasSelfdestructed: false }
      this.#accounts.set(key, { before: event, after: event, slots: new Map(), ...flags })
    }
  }

  #onEnter({ type, from, to }: EnterEvent): void {
    if (type === 'CREATE' || type === 'CREATE2') {
      const account = this.#accounts.get(bytesKey(to))
      if (account !== undefined) account.isCreated = true
    } else if (type === 'SELFDESTRUCT') {
      const account = this.#accounts.get(bytesKey(from))
      if (account !== undefined) account.hasSelfdestructed = true
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
