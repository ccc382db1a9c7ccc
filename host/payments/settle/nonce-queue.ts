import { LockstepError } from '../../base/error.ts'
import { formatData, type Hex } from '../../base/hex.ts'
import { whenAborted } from '../../base/signal.ts'
import { startTimer, stopTimer } from '../../base/timer.ts'
import { type AccountKey, signWithKey } from '../../evm/chain-types/account-key.ts'
import type { Keccak256 } from '../../evm/chain-types/signature-recovery.ts'
import type { PaymentChain, PaymentReceipt } from '../chain/payment-chain.ts'

/** A contract call to make in a transaction of the account. */
export interface QueuedCall {
  /** 20 bytes. */
  readonly to: Uint8Array
  readonly data: Uint8Array
  /** Gas limit. */
  readonly gas: bigint
}

/**
 * included: a canonical block has a transaction with the call. displaced: a transaction of another sender took its
 * nonce, so the call was not made.
 */
export type QueueOutcome =
  | { readonly kind: 'included'; readonly txHash: Hex; readonly receipt: PaymentReceipt }
  | { readonly kind: 'displaced' }

export interface NonceQueueOptions {
  readonly chain: PaymentChain
  readonly key: AccountKey
  readonly keccak256: Keccak256
  /** Maximum wei per gas. */
  readonly maxGasPrice: bigint
  /** Priority fee, wei per gas. */
  readonly tip: bigint
  /** Checks without progress after which the next nonce's fee is raised. */
  readonly patience: number
  /** Maximum time between checks, which otherwise follow each block, ms. */
  readonly patienceMs: number
}

interface Fees {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

interface Attempt extends Fees {
  readonly txHash: Hex
  readonly raw: Uint8Array
}

/** An assigned nonce. */
interface Slot {
  readonly nonce: bigint
  /** Undefined if the nonce only has to be used up. */
  readonly call: QueuedCall | undefined
  /** True if another process has a transaction with it in the pool. */
  readonly isForeign: boolean
  /** True while a transaction that uses it up is being sent. */
  isFilling: boolean
  readonly attempts: Attempt[]
  readonly announce: (txHash: Hex) => Promise<void>
  readonly settle: (outcome: QueueOutcome) => void
  readonly fail: (reason: unknown) => void
  /** Checks during which this was the lowest open nonce. */
  waited: number
  /** Checks that found the nonce used but none of the attempts in a block. */
  missed: number
}

/** Gas of an empty transfer to self. */
const TRANSFER_GAS = 21_000n

/** A replacement offers an eighth more; pools require a tenth. */
const BUMP_DIVISOR = 8n

/** Checks of a used nonce before its attempts are given up: nodes behind one URL may be a block apart. */
const LOOKS = 3

const UNDERPRICED_REPLACEMENT = 'replacement transaction underpriced'
const NONCE_TOO_LOW = 'nonce too low'
const ALREADY_KNOWN = /already known|already exists in cache/

function isRefusal(error: unknown): error is LockstepError {
  return error instanceof LockstepError && error.code === 'TRANSACTION_REJECTED'
}

const nothing = () => {}

/**
 * Sends transactions of one account concurrently; each gets the next nonce on submission. Gaps are closed, since they
 * would block later nonces: a nonce that the pool refused goes to the next call, or an empty transfer uses it up.
 * Lost transactions are resent, and slow ones are resent with a higher fee. Pool nonces of an earlier process are
 * awaited first.
 */
export class NonceQueue {
  readonly #options: NonceQueueOptions
  readonly #account: Hex
  readonly #slots = new Map<bigint, Slot>()
  readonly #ended = new AbortController()
  #next: bigint
  /** Last seen value of `chain.removals()`. */
  #removals: number
  #fees: Promise<Fees> | undefined
  #watch: Promise<void> | undefined
  /** Resolves after the previous transaction was submitted. */
  #order: Promise<unknown> = Promise.resolve()

  /** @throws if the chain cannot be reached */
  static async open(options: NonceQueueOptions): Promise<NonceQueue> {
    const account = formatData(options.key.address)
    const removals = await options.chain.removals()
    const taken = await options.chain.nonce(account, 'latest')
    const waiting = await options.chain.nonce(account, 'pending')
    return new NonceQueue(options, account, { taken, waiting, removals })
  }

  private constructor(
    options: NonceQueueOptions,
    account: Hex,
    { taken, waiting, removals }: { taken: bigint; waiting: bigint; removals: number },
  ) {
    this.#options = options
    this.#account = account
    this.#next = taken
    this.#removals = removals
    this.#leaveTo(waiting)
    if (this.#slots.size > 0) this.#keepWatch()
  }

  /** Number of transactions in flight. */
  get size(): number {
    return this.#slots.size
  }

  /** Number of pending transactions of other processes, such as one before a crash; their content is unknown. */
  get foreign(): number {
    let count = 0
    for (const { isForeign } of this.#slots.values()) if (isForeign) count++
    return count
  }

  /**
   * Sends a call; resolves when its outcome is final.
   * @param announce awaited with the hash of each transaction before it is sent
   * @throws errors of `announce`; TRANSACTION_REJECTED if the pool refuses it, LIMIT_EXCEEDED if gas costs too much:
   * then nothing was sent
   */
  async send(call: QueuedCall, announce: (txHash: Hex) => Promise<void>): Promise<QueueOutcome> {
    const fees = await this.#currentFees()
    await this.#followRemovals()
    this.#ended.signal.throwIfAborted()
    return new Promise((settle, fail) => {
      const slot = this.#take(call, announce, settle, fail)
      this.#keepWatch()
      this.#offer(slot, fees).catch(fail)
    })
  }

  /** Stops watching; pool transactions stay there. Pending calls are rejected. */
  async close(): Promise<void> {
    this.#ended.abort(new LockstepError('INTERRUPTED', 'the settler was closed'))
    await this.#watch
    for (const slot of this.#slots.values()) slot.fail(this.#ended.signal.reason)
    this.#slots.clear()
  }

  /** Leaves the nonces below this one to the other process that used them. */
  #leaveTo(nonce: bigint): void {
    while (this.#next < nonce) this.#slots.set(this.#next, emptySlot(this.#next++, true))
  }

  /**
   * Follows a reverted development chain. Calls at or after its next nonce are displaced: their transactions would
   * have to wait for it.
   */
  async #followRemovals(): Promise<void> {
    const { chain } = this.#options
    const removals = await chain.removals()
    if (removals === this.#removals) return
    const taken = await chain.nonce(this.#account, 'latest')
    const waiting = await chain.nonce(this.#account, 'pending')
    // Another caller has handled it meanwhile.
    if (removals === this.#removals) return
    this.#removals = removals
    this.#forgetFees()
    let free = taken
    while (this.#slots.has(free)) free++
    if (free < this.#next) {
      for (const slot of [...this.#slots.values()]) {
        if (slot.nonce < free) continue
        this.#slots.delete(slot.nonce)
        slot.settle({ kind: 'displaced' })
      }
      this.#next = free
      this.#leaveTo(waiting)
    }
    // A reset has emptied the pool as well.
    for (const slot of this.#slots.values()) await this.#wasLost(slot)
  }

  /** Takes the lowest free nonce: a returned one, or the next. */
  #take(
    call: QueuedCall,
    announce: Slot['announce'],
    settle: Slot['settle'],
    fail: Slot['fail'],
  ): Slot {
    let nonce = this.#next
    for (const slot of this.#slots.values()) {
      if (isVacant(slot) && slot.nonce < nonce) nonce = slot.nonce
    }
    if (nonce === this.#next) this.#next++
    const slot: Slot = { ...emptySlot(nonce), call, announce, settle, fail }
    this.#slots.set(nonce, slot)
    return slot
  }

  /** Makes the first attempt at a nonce. Submits in nonce order: pools hold few transactions with gaps before them. */
  async #offer(slot: Slot, fees: Fees): Promise<void> {
    const before = this.#order
    const { promise, resolve: isHandedIn } = Promise.withResolvers<void>()
    this.#order = promise
    try {
      await this.#attempt(slot, fees, async (send) => {
        await before
        const sent = send()
        isHandedIn()
        return sent
      })
    } catch (error) {
      if (isRefusal(error) && (await this.#isTakenByOther(slot, error.message))) return
      if (slot.attempts.length === 0) this.#vacate(slot)
      throw error
    } finally {
      isHandedIn()
    }
  }

  /** Returns whether another process with this key has used the nonce, or has it pending; the watch sees it pass. */
  async #isTakenByOther({ nonce }: Slot, refusal: string): Promise<boolean> {
    if (refusal.includes(NONCE_TOO_LOW)) return true
    if (!refusal.includes(UNDERPRICED_REPLACEMENT)) return false
    const waiting = await this.#options.chain.nonce(this.#account, 'pending')
    this.#leaveTo(waiting)
    return waiting > nonce
  }

  /** Signs, announces and sends. The attempt counts from submission on. */
  async #attempt(
    slot: Slot,
    fees: Fees,
    inTurn: (send: () => Promise<Hex>) => Promise<Hex> = (send) => send(),
  ): Promise<void> {
    const { key, chain, keccak256 } = this.#options
    const { to, data, gas } = slot.call ?? {
      to: key.address,
      data: new Uint8Array(),
      gas: TRANSFER_GAS,
    }
    const fields = { to, data, gas, value: 0n, chainId: chain.chainId, nonce: slot.nonce, ...fees }
    const raw = signWithKey({ ...fields, ...DYNAMIC_FEE }, key)
    const txHash = formatData(keccak256(raw))
    await slot.announce(txHash)
    this.#ended.signal.throwIfAborted()
    const attempt = { ...fees, txHash, raw }
    slot.attempts.push(attempt)
    try {
      await inTurn(() => chain.send(raw))
    } catch (error) {
      // The node may or may not have it: the watch finds out, and resends.
      if (!isRefusal(error)) return
      if (ALREADY_KNOWN.test(error.message)) return
      slot.attempts.splice(slot.attempts.indexOf(attempt), 1)
      throw error
    }
  }

  /** Frees a nonce for which the pool has no transaction. */
  #vacate(slot: Slot): void {
    // The chain was reverted to before it.
    if (this.#slots.get(slot.nonce) !== slot) return
    this.#slots.set(slot.nonce, emptySlot(slot.nonce))
    for (;;) {
      const last = this.#slots.get(this.#next - 1n)
      if (last === undefined || !isVacant(last)) return
      this.#slots.delete(last.nonce)
      this.#next = last.nonce
    }
  }

  /** Returns the fees to offer until the next block. @throws LIMIT_EXCEEDED if the chain's price exceeds the limit */
  #currentFees(): Promise<Fees> {
    if (this.#fees === undefined) {
      const asked = this.#askFees()
      this.#fees = asked
      asked.catch(() => this.#forgetFees())
    }
    return this.#fees
  }

  async #askFees(): Promise<Fees> {
    const { chain, maxGasPrice, tip } = this.#options
    const asked = await chain.maxFeePerGas()
    // The suggested fee allows the current price to double: cap it at the limit.
    if (asked > 2n * maxGasPrice) {
      throw new LockstepError(
        'LIMIT_EXCEEDED',
        `gas costs ${asked / 2n} wei, more than the limit of ${maxGasPrice}`,
        { hint: 'wait, or raise max-settle-gas-price' },
      )
    }
    const offered = smaller(asked, maxGasPrice)
    return { maxFeePerGas: offered, maxPriorityFeePerGas: smaller(tip, offered) }
  }

  #forgetFees(): void {
    this.#fees = undefined
  }

  #keepWatch(): void {
    this.#watch ??= this.#watchBlocks().finally(() => {
      this.#watch = undefined
      this.#forgetFees()
    })
  }

  async #watchBlocks(): Promise<void> {
    const { signal } = this.#ended
    // Subscribe before each check, so that a block arriving during it is not missed.
    let block = this.#nextBlock()
    while (this.#slots.size > 0 && !signal.aborted) {
      await block
      if (signal.aborted) return
      block = this.#nextBlock()
      this.#forgetFees()
      // An unreachable node is checked again with the next block.
      await this.#look().catch(nothing)
    }
  }

  /** Resolves with a block or after `patienceMs`: some chains make no empty blocks. */
  async #nextBlock(): Promise<void> {
    const waiting = new AbortController()
    const end = () => waiting.abort()
    const timer = startTimer(end, this.#options.patienceMs)
    this.#ended.signal.addEventListener('abort', end, { once: true })
    try {
      await this.#options.chain.nextBlock(waiting.signal)
    } catch {
      // An unreachable node reports no blocks; the timer triggers the next check.
      await whenAborted(waiting.signal)
    } finally {
      stopTimer(timer)
      this.#ended.signal.removeEventListener('abort', end)
    }
  }

  async #look(): Promise<void> {
    await this.#followRemovals()
    const taken = await this.#options.chain.nonce(this.#account, 'latest')
    const passed = [...this.#slots.values()].filter(({ nonce }) => nonce < taken)
    await Promise.all(passed.map((slot) => this.#conclude(slot)))
    if (taken > this.#next) this.#next = taken
    const lowest = this.#slots.get(taken)
    if (lowest === undefined) return
    await this.#fillGaps()
    lowest.waited++
    if (lowest.waited > 1 && (await this.#wasLost(lowest))) await this.#sendAll(lowest)
    if (lowest.waited % this.#options.patience === 0) await this.#raise(lowest).catch(nothing)
  }

  /** Resolves a nonce that the chain has passed. */
  async #conclude(slot: Slot): Promise<void> {
    for (const { txHash } of slot.attempts) {
      const receipt = await this.#options.chain.receipt(txHash)
      if (receipt === undefined) continue
      this.#slots.delete(slot.nonce)
      slot.settle({ kind: 'included', txHash, receipt })
      return
    }
    if (slot.attempts.length > 0 && ++slot.missed < LOOKS) return
    this.#slots.delete(slot.nonce)
    slot.settle({ kind: 'displaced' })
  }

  /** Uses up freed nonces that later ones wait for. */
  async #fillGaps(): Promise<void> {
    for (const slot of this.#slots.values()) {
      if (!isVacant(slot)) continue
      slot.isFilling = true
      try {
        await this.#attempt(slot, await this.#currentFees())
      } catch {
        // Retried with the next block.
      } finally {
        slot.isFilling = false
      }
    }
  }

  /** Resends a transaction that should be in the pool. Returns whether it was missing. */
  async #wasLost({ attempts }: Slot): Promise<boolean> {
    const last = attempts.at(-1)
    if (last === undefined) return false
    try {
      await this.#options.chain.send(last.raw)
      return true
    } catch {
      return false
    }
  }

  /** A pool that lost one transaction may have lost all, for example if its node restarted. */
  async #sendAll(lowest: Slot): Promise<void> {
    for (const slot of this.#slots.values()) if (slot !== lowest) await this.#wasLost(slot)
  }

  /** Raises the fee of the nonce that others wait for. */
  async #raise(slot: Slot): Promise<void> {
    const { maxGasPrice } = this.#options
    const last = slot.attempts.at(-1)
    let fees = await this.#currentFees()
    if (last !== undefined) fees = higher(raised(last), fees)
    // The fee offered by an earlier process is unknown, so raise until the pool accepts.
    while (fees.maxFeePerGas <= maxGasPrice) {
      try {
        await this.#attempt(slot, fees)
        return
      } catch (error) {
        if (!isRefusal(error) || !error.message.includes(UNDERPRICED_REPLACEMENT)) return
        fees = raised(fees)
      }
    }
  }
}

const DYNAMIC_FEE = {
  type: 2,
  accessList: [],
  authorizations: [],
  maxFeePerBlobGas: 0n,
  blobHashes: [],
} as const

function emptySlot(nonce: bigint, isForeign = false): Slot {
  return {
    nonce,
    call: undefined,
    isForeign,
    isFilling: false,
    attempts: [],
    announce: async () => {},
    settle: nothing,
    fail: nothing,
    waited: 0,
    missed: 0,
  }
}

/** Returns whether a nonce is free. */
function isVacant({ call, isForeign, isFilling, attempts }: Slot): boolean {
  return call === undefined && !isForeign && !isFilling && attempts.length === 0
}

function raised({ maxFeePerGas, maxPriorityFeePerGas }: Fees): Fees {
  return {
    maxFeePerGas: maxFeePerGas + maxFeePerGas / BUMP_DIVISOR + 1n,
    maxPriorityFeePerGas: maxPriorityFeePerGas + maxPriorityFeePerGas / BUMP_DIVISOR + 1n,
  }
}

function larger(a: bigint, b: bigint): bigint {
  if (a > b) return a
  return b
}

function smaller(a: bigint, b: bigint): bigint {
  return larger(a, b) === a ? b : a
}

function higher(a: Fees, b: Fees): Fees {
  return {
    maxFeePerGas: larger(a.maxFeePerGas, b.maxFeePerGas),
    maxPriorityFeePerGas: larger(a.maxPriorityFeePerGas, b.maxPriorityFeePerGas),
  }
}
