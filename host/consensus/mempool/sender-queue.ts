import { effectiveTip } from '../../chain-types/fee.ts'
import type { Transaction } from '../../chain-types/transaction.ts'

/** A transaction in the pool. */
export interface Entry {
  readonly transaction: Transaction
  /** The most it can take from its sender, wei. */
  readonly cost: bigint
  /** Order of arrival in the pool: the tie between equal prices. */
  readonly arrival: number
  /** Milliseconds on the pool's clock, and the newest height, when it came. */
  readonly time: number
  readonly height: number
  /** Listeners have been told that it can be executed. */
  announced: boolean
}

/**
 * The transactions of one sender in nonce order. The first `pending` of them follow the account's nonce
 * without a gap and can be executed; the others wait for an earlier nonce.
 */
export class SenderQueue {
  readonly address: Uint8Array
  #nonce: bigint
  #balance: bigint
  readonly #entries: Entry[] = []
  #pending = 0
  #spent = 0n
  #lowest: { readonly baseFee: bigint; readonly tip: bigint } | undefined

  constructor(address: Uint8Array, nonce: bigint, balance: bigint) {
    this.address = address
    this.#nonce = nonce
    this.#balance = balance
  }

  get nonce(): bigint {
    return this.#nonce
  }

  get balance(): bigint {
    return this.#balance
  }

  get length(): number {
    return this.#entries.length
  }

  /** Sum of the costs of the executable transactions. */
  get spent(): bigint {
    return this.#spent
  }

  /** First nonce that no executable transaction uses. */
  get nextNonce(): bigint {
    return this.#nonce + BigInt(this.#pending)
  }

  /** The entry with the highest nonce. */
  get last(): Entry | undefined {
    return this.#entries.at(-1)
  }

  executable(): readonly Entry[] {
    return this.#entries.slice(0, this.#pending)
  }

  waiting(): readonly Entry[] {
    return this.#entries.slice(this.#pending)
  }

  find(nonce: bigint): Entry | undefined {
    const entry = this.#entries[this.#position(nonce)]
    return entry?.transaction.nonce === nonce ? entry : undefined
  }

  /** Adds an entry whose nonce is free. Returns the entries that became executable by it. */
  add(entry: Entry): readonly Entry[] {
    const position = this.#position(entry.transaction.nonce)
    this.#entries.splice(position, 0, entry)
    this.#count(position < this.#pending ? 'changed' : 'kept')
    return this.#announce(position)
  }

  remove(entry: Entry): void {
    const position = this.#entries.indexOf(entry)
    if (position < 0) return
    this.#entries.splice(position, 1)
    this.#count('changed')
  }

  /**
   * Takes the account's new nonce and balance. `dropped` are the entries that fell out, because the
   * chain has passed them or they cost more than the account has; `promoted` became executable.
   */
  update(
    nonce: bigint,
    balance: bigint,
  ): { readonly dropped: readonly Entry[]; readonly promoted: readonly Entry[] } {
    this.#nonce = nonce
    this.#balance = balance
    const dropped: Entry[] = []
    let kept = 0
    for (const entry of this.#entries) {
      if (entry.transaction.nonce < nonce || entry.cost > balance) dropped.push(entry)
      else this.#entries[kept++] = entry
    }
    this.#entries.length = kept
    this.#count('changed')
    return { dropped, promoted: this.#announce(0) }
  }

  /** The lowest tip among the entries: what the sender's last transaction is worth to a block. */
  lowestTip(baseFee: bigint): bigint | undefined {
    if (this.#lowest?.baseFee === baseFee) return this.#lowest.tip
    let lowest: bigint | undefined
    for (const { transaction } of this.#entries) {
      const tip = effectiveTip(transaction, baseFee)
      if (lowest === undefined || tip < lowest) lowest = tip
    }
    this.#lowest = lowest === undefined ? undefined : { baseFee, tip: lowest }
    return lowest
  }

  /** Index of the first entry whose nonce is not below `nonce`; new ones mostly belong at the end. */
  #position(nonce: bigint): number {
    let position = this.#entries.length
    while (position > 0 && (this.#entries[position - 1] as Entry).transaction.nonce >= nonce) {
      position--
    }
    return position
  }

  /** Counts the executable entries: on from the known ones, or all again where those changed. */
  #count(known: 'kept' | 'changed'): void {
    let pending = known === 'kept' ? this.#pending : 0
    let spent = known === 'kept' ? this.#spent : 0n
    for (;;) {
      const entry = this.#entries[pending]
      if (entry?.transaction.nonce !== this.#nonce + BigInt(pending)) break
      spent += entry.cost
      pending++
    }
    this.#pending = pending
    this.#spent = spent
    this.#lowest = undefined
  }

  #announce(from: number): Entry[] {
    const fresh: Entry[] = []
    for (let i = from; i < this.#pending; i++) {
      const entry = this.#entries[i] as Entry
      if (entry.announced) continue
      entry.announced = true
      fresh.push(entry)
    }
    return fresh
  }
}
