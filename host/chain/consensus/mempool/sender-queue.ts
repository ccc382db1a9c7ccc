import { bytesKey } from '../../../base/bytes.ts'
import type { Transaction } from '../../../evm/chain-types/transaction.ts'

/** A transaction in the pool. */
export interface Entry {
  readonly transaction: Transaction
  /** Its hash, as a key. */
  readonly key: string
  /** The most it can take from its sender, wei. */
  readonly cost: bigint
  /** The fee caps in wei per unit of gas, for ranks: exact up to nine million gwei. */
  readonly feeCap: number
  readonly tipCap: number
  /** Memory that it takes (`entry-bytes.ts`). */
  readonly bytes: number
  /** Order of arrival in the pool: the tie between equal prices. */
  readonly arrival: number
  /** Milliseconds on the pool's clock, and the newest height, when it came. */
  readonly time: number
  readonly height: number
  /** Listeners have been told that it can be executed. */
  announced: boolean
  /** It has left the pool. */
  isGone: boolean
}

/** Wei that a block with `baseFee` gets for a unit of gas: below zero where the fee cap is below the base fee. */
export function tipAt({ feeCap, tipCap }: Entry, baseFee: number): number {
  return Math.min(tipCap, feeCap - baseFee)
}

/** Nonce and balance of an account in the state. */
export interface SenderAccount {
  readonly nonce: bigint
  readonly balance: bigint
}

/**
 * The transactions of one sender in nonce order. The first of them are executable: they follow the
 * account's nonce without a gap, and it can pay for all of them together. The others are queued.
 */
export class SenderQueue {
  readonly address: Uint8Array
  /** The address, as a key. */
  readonly key: string
  #account: SenderAccount
  readonly #entries: Entry[] = []
  #executable = 0
  #spent = 0n
  #reserved = 0n
  #queuedBytes = 0
  /** Lowest tip up to each executable entry at a base fee, as far as it was asked for. */
  #lowest: { readonly baseFee: number; readonly tips: number[] } | undefined
  /** When the account last sent something, on the pool's clock. */
  beat = 0
  /** Changes with every change of the queue. */
  version = 0

  constructor(address: Uint8Array, account: SenderAccount) {
    this.address = address
    this.key = bytesKey(address)
    this.#account = account
  }

  get nonce(): bigint {
    return this.#account.nonce
  }

  get balance(): bigint {
    return this.#account.balance
  }

  get length(): number {
    return this.#entries.length
  }

  get executableCount(): number {
    return this.#executable
  }

  get queuedCount(): number {
    return this.#entries.length - this.#executable
  }

  /** Memory that the queued ones take. */
  get queuedBytes(): number {
    return this.#queuedBytes
  }

  /** Sum of the costs of the executable transactions. */
  get spent(): bigint {
    return this.#spent
  }

  /** Sum of the costs of all transactions. */
  get reserved(): bigint {
    return this.#reserved
  }

  /** First nonce that no executable transaction uses. */
  get nextNonce(): bigint {
    return this.nonce + BigInt(this.#executable)
  }

  /** The executable entry with the lowest nonce. */
  get firstExecutable(): Entry | undefined {
    return this.#executable === 0 ? undefined : this.#entries[0]
  }

  /** The executable entry with the highest nonce. */
  get lastExecutable(): Entry | undefined {
    return this.#entries[this.#executable - 1]
  }

  /** The queued entry with the highest nonce. */
  get lastQueued(): Entry | undefined {
    return this.queuedCount === 0 ? undefined : this.#entries.at(-1)
  }

  executable(): readonly Entry[] {
    return this.#entries.slice(0, this.#executable)
  }

  queued(): readonly Entry[] {
    return this.#entries.slice(this.#executable)
  }

  /** The executable entry that follows `entry`. */
  after(entry: Entry): Entry | undefined {
    // Executable nonces have no gap
    const position = Number(entry.transaction.nonce - this.nonce) + 1
    return position < this.#executable ? this.#entries[position] : undefined
  }

  find(nonce: bigint): Entry | undefined {
    const entry = this.#entries[this.#position(nonce)]
    return entry?.transaction.nonce === nonce ? entry : undefined
  }

  /** Adds an entry whose nonce is free. Returns the entries that became executable by it. */
  add(entry: Entry): readonly Entry[] {
    const position = this.#position(entry.transaction.nonce)
    if (position < this.#executable) this.#cutAt(position)
    this.#entries.splice(position, 0, entry)
    this.#reserved += entry.cost
    this.#queuedBytes += entry.bytes
    this.#extend()
    return this.#announce(position)
  }

  remove(entry: Entry): void {
    const position = this.#position(entry.transaction.nonce)
    if (this.#entries[position] !== entry) return
    if (position < this.#executable) this.#cutAt(position)
    this.#entries.splice(position, 1)
    this.#reserved -= entry.cost
    this.#queuedBytes -= entry.bytes
    this.version++
  }

  /**
   * Takes the account as a block left it. `dropped` are the entries that fell out, because the chain has
   * passed them or one alone costs more than the account has; `promoted` became executable.
   */
  update(account: SenderAccount): {
    readonly dropped: readonly Entry[]
    readonly promoted: readonly Entry[]
  } {
    const isBack = account.nonce < this.nonce
    this.#account = account
    const dropped = this.#dropPassed()
    // As a rule a block takes the first and leaves the others payable: then it costs what it took.
    if (isBack || this.#reserved > account.balance) {
      this.#cutAt(0)
      dropped.push(...this.#dropUnpayable())
    }
    const kept = this.#executable
    this.#extend()
    return { dropped, promoted: this.#announce(kept) }
  }

  /** Drops those whose nonce is used. */
  #dropPassed(): Entry[] {
    const dropped = this.#entries.splice(0, this.#position(this.nonce))
    if (dropped.length === 0) return dropped
    for (const [position, { cost, bytes }] of dropped.entries()) {
      this.#reserved -= cost
      if (position < this.#executable) this.#spent -= cost
      else this.#queuedBytes -= bytes
    }
    this.#executable = Math.max(0, this.#executable - dropped.length)
    this.#lowest = undefined
    return dropped
  }

  /** Drops those that alone cost more than the account has; all count as queued. */
  #dropUnpayable(): Entry[] {
    const dropped = this.#entries.filter(({ cost }) => cost > this.balance)
    if (dropped.length === 0) return dropped
    let kept = 0
    for (const entry of this.#entries) if (entry.cost <= this.balance) this.#entries[kept++] = entry
    this.#entries.length = kept
    for (const { cost, bytes } of dropped) {
      this.#reserved -= cost
      this.#queuedBytes -= bytes
    }
    return dropped
  }

  /** The lowest tip among the executable entries: what the last of them is worth to a block. */
  lowestTip(baseFee: number): number | undefined {
    if (this.#lowest?.baseFee !== baseFee) this.#lowest = { baseFee, tips: [] }
    const { tips } = this.#lowest
    for (let i = tips.length; i < this.#executable; i++) {
      const tip = tipAt(this.#entries[i] as Entry, baseFee)
      const before = tips[i - 1]
      tips.push(before !== undefined && before < tip ? before : tip)
    }
    return tips[this.#executable - 1]
  }

  /** Index of the first entry whose nonce is not below `nonce`. */
  #position(nonce: bigint): number {
    let low = 0
    let high = this.#entries.length
    // As a rule it comes behind all others
    if (high > 0 && (this.#entries[high - 1] as Entry).transaction.nonce < nonce) return high
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#entries[middle] as Entry).transaction.nonce < nonce) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Takes the entries from `position` on for queued ones. */
  #cutAt(position: number): void {
    while (this.#executable > position) {
      const { cost, bytes } = this.#entries[--this.#executable] as Entry
      this.#spent -= cost
      this.#queuedBytes += bytes
    }
    if (this.#lowest !== undefined && this.#lowest.tips.length > position) {
      this.#lowest.tips.length = position
    }
  }

  /** Takes queued entries for executable ones as far as nonces and funds go. */
  #extend(): void {
    this.version++
    for (;;) {
      const entry = this.#entries[this.#executable]
      if (entry?.transaction.nonce !== this.nextNonce) return
      if (this.#spent + entry.cost > this.balance) return
      this.#spent += entry.cost
      this.#queuedBytes -= entry.bytes
      this.#executable++
    }
  }

  #announce(from: number): Entry[] {
    const fresh: Entry[] = []
    for (let i = from; i < this.#executable; i++) {
      const entry = this.#entries[i] as Entry
      if (entry.announced) continue
      entry.announced = true
      fresh.push(entry)
    }
    return fresh
  }
}
