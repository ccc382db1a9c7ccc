import { bytesKey } from '../../../base/bytes.ts'
import type { Transaction } from '../../../evm/chain-types/transaction.ts'

/** A transaction in the pool. */
export interface PoolEntry {
  readonly transaction: Transaction
  /** Its hash as a key. */
  readonly key: string
  /** The most that it can cost its sender, in wei. */
  readonly cost: bigint
  /** Fee caps in wei per gas, as numbers for ranking: exact up to nine million gwei. */
  readonly feeCap: number
  readonly tipCap: number
  /** Memory use (`entry-bytes.ts`). */
  readonly bytes: number
  /** Order of arrival in the pool, which decides between equal prices. */
  readonly arrival: number
  /** Milliseconds on the pool's clock at arrival, and the latest height then. */
  readonly time: number
  readonly height: number
  /** True if listeners were told that it is executable. */
  announced: boolean
  /** True if it has left the pool. */
  isGone: boolean
}

/**
 * Returns the effective tip in wei per gas of a block with `baseFee`; negative if the fee cap is below the base fee.
 */
export function tipAtBaseFee({ feeCap, tipCap }: PoolEntry, baseFee: number): number {
  return Math.min(tipCap, feeCap - baseFee)
}

/** Nonce and balance of an account in the state. */
export interface SenderAccount {
  readonly nonce: bigint
  readonly balance: bigint
}

/**
 * The transactions of one sender in nonce order. The first ones are executable: they follow the account's nonce
 * without a gap, and the account can pay for all of them together. The others are queued.
 */
export class SenderQueue {
  readonly address: Uint8Array
  /** The address as a key. */
  readonly key: string
  #account: SenderAccount
  readonly #entries: PoolEntry[] = []
  #executable = 0
  #spent = 0n
  #reserved = 0n
  #queuedBytes = 0
  /** Cached minimum of the tips up to each executable entry, at one base fee. */
  #lowest: { readonly baseFee: number; readonly tips: number[] } | undefined
  /** Time of the account's last arrival, on the pool's clock. */
  lastArrival = 0
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

  /** Memory use of queued transactions. */
  get queuedBytes(): number {
    return this.#queuedBytes
  }

  /** Total cost of the executable transactions. */
  get spent(): bigint {
    return this.#spent
  }

  /** Total cost of all transactions. */
  get reserved(): bigint {
    return this.#reserved
  }

  /** First nonce that no executable transaction uses. */
  get nextNonce(): bigint {
    return this.nonce + BigInt(this.#executable)
  }

  /** The executable entry with the lowest nonce. */
  get firstExecutable(): PoolEntry | undefined {
    return this.#executable === 0 ? undefined : this.#entries[0]
  }

  /** The executable entry with the highest nonce. */
  get lastExecutable(): PoolEntry | undefined {
    return this.#entries[this.#executable - 1]
  }

  /** The queued entry with the highest nonce. */
  get lastQueued(): PoolEntry | undefined {
    return this.queuedCount === 0 ? undefined : this.#entries.at(-1)
  }

  executable(): readonly PoolEntry[] {
    return this.#entries.slice(0, this.#executable)
  }

  queued(): readonly PoolEntry[] {
    return this.#entries.slice(this.#executable)
  }

  /** Returns the executable entry that follows `entry`. */
  after(entry: PoolEntry): PoolEntry | undefined {
    // Executable nonces have no gap
    const position = Number(entry.transaction.nonce - this.nonce) + 1
    return position < this.#executable ? this.#entries[position] : undefined
  }

  find(nonce: bigint): PoolEntry | undefined {
    const entry = this.#entries[this.#position(nonce)]
    return entry?.transaction.nonce === nonce ? entry : undefined
  }

  /** Adds an entry with a free nonce and returns the entries that became executable. */
  add(entry: PoolEntry): readonly PoolEntry[] {
    const position = this.#position(entry.transaction.nonce)
    if (position < this.#executable) this.#cutAt(position)
    this.#entries.splice(position, 0, entry)
    this.#reserved += entry.cost
    this.#queuedBytes += entry.bytes
    this.#extend()
    return this.#announce(position)
  }

  remove(entry: PoolEntry): void {
    const position = this.#position(entry.transaction.nonce)
    if (this.#entries[position] !== entry) return
    if (position < this.#executable) this.#cutAt(position)
    this.#entries.splice(position, 1)
    this.#reserved -= entry.cost
    this.#queuedBytes -= entry.bytes
    this.version++
  }

  /**
   * Applies the account's state after a block. `dropped` are the entries removed because their nonce is used or one
   * alone costs more than the balance; `promoted` became executable.
   */
  update(account: SenderAccount): {
    readonly dropped: readonly PoolEntry[]
    readonly promoted: readonly PoolEntry[]
  } {
    const isBack = account.nonce < this.nonce
    this.#account = account
    const dropped = this.#dropPassed()
    // Skipped in the usual case: a block takes the first ones and leaves the others payable.
    if (isBack || this.#reserved > account.balance) {
      this.#cutAt(0)
      dropped.push(...this.#dropUnpayable())
    }
    const kept = this.#executable
    this.#extend()
    return { dropped, promoted: this.#announce(kept) }
  }

  /** Drops entries whose nonce is used. */
  #dropPassed(): PoolEntry[] {
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

  /** Drops entries that alone cost more than the balance. All entries must be queued. */
  #dropUnpayable(): PoolEntry[] {
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

  /** Returns the lowest tip of the executable entries, which is what the last of them is worth to a block. */
  lowestTip(baseFee: number): number | undefined {
    if (this.#lowest?.baseFee !== baseFee) this.#lowest = { baseFee, tips: [] }
    const { tips } = this.#lowest
    for (let i = tips.length; i < this.#executable; i++) {
      const tip = tipAtBaseFee(this.#entries[i] as PoolEntry, baseFee)
      const before = tips[i - 1]
      tips.push(before !== undefined && before < tip ? before : tip)
    }
    return tips[this.#executable - 1]
  }

  /** Returns the index of the first entry whose nonce is not below `nonce`. */
  #position(nonce: bigint): number {
    let low = 0
    let high = this.#entries.length
    // Most arrivals have the highest nonce
    if (high > 0 && (this.#entries[high - 1] as PoolEntry).transaction.nonce < nonce) return high
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#entries[middle] as PoolEntry).transaction.nonce < nonce) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Makes the entries from `position` on queued. */
  #cutAt(position: number): void {
    while (this.#executable > position) {
      const { cost, bytes } = this.#entries[--this.#executable] as PoolEntry
      this.#spent -= cost
      this.#queuedBytes += bytes
    }
    if (this.#lowest !== undefined && this.#lowest.tips.length > position) {
      this.#lowest.tips.length = position
    }
  }

  /** Makes queued entries executable as far as nonces and balance allow. */
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

  #announce(from: number): PoolEntry[] {
    const fresh: PoolEntry[] = []
    for (let i = from; i < this.#executable; i++) {
      const entry = this.#entries[i] as PoolEntry
      if (entry.announced) continue
      entry.announced = true
      fresh.push(entry)
    }
    return fresh
  }
}
