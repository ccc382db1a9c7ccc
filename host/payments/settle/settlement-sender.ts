import { LockstepError, messageOf } from '../../base/error.ts'
import { formatData, type Hex, parseData } from '../../base/hex.ts'
import { whenAborted } from '../../base/signal.ts'
import { startTimer, stopTimer } from '../../base/timer.ts'
import {
  type BroadcastAnswer,
  classifyBroadcastError,
} from '../../client/transaction-sender/broadcast-answer.ts'
import type { SenderNode } from '../../client/transaction-sender/sender-ports.ts'
import { TransactionSender } from '../../client/transaction-sender/transaction-sender.ts'
import { type AccountKey, signWithKey } from '../../evm/chain-types/account-key.ts'
import type { Keccak256 } from '../../evm/chain-types/signature-recovery.ts'
import type { PaymentChain, PaymentReceipt } from '../chain/payment-chain.ts'
import {
  type PendingCall,
  PendingCalls,
  type SettlementAttempt,
  type SettlementCall,
  type SettlementOutcome,
} from './pending-calls.ts'
import {
  type SettlementFee,
  SettlementFees,
  type SettlementFeesOptions,
} from './settlement-fees.ts'

export interface SettlementSenderOptions extends SettlementFeesOptions {
  readonly chain: PaymentChain
  readonly key: AccountKey
  readonly keccak256: Keccak256
  /** Checks without progress after which the next nonce's fee is raised. */
  readonly patience: number
  /** Maximum time between checks, which otherwise follow each block, ms. */
  readonly patienceMs: number
}

/** Gas of an empty transfer to self. */
const TRANSFER_GAS = 21_000n

/** Gaps filled after one block. */
const MAX_FILLED = 64

/** How long the chain's nonces are cached, ms. */
const TRUST_MS = 1_000

/** Age at which a call fails if the node answers with errors of its own, ms. */
const GIVE_UP_MS = 30_000

const nothing = () => {}

/** An empty transfer, which only uses its nonce up. */
const FILLER = {
  call: undefined,
  isForeign: false,
  announce: async () => {},
  settle: nothing,
  fail: nothing,
}

const DYNAMIC_FEE = {
  type: 2,
  value: 0n,
  accessList: [],
  authorizations: [],
  maxFeePerBlobGas: 0n,
  blobHashes: [],
} as const

/**
 * Sends the calls of a settler's key concurrently. A freed nonce goes to the next call, or an empty transfer uses it up,
 * since it would block later ones. Slow transactions are replaced at a higher fee.
 */
export class SettlementSender {
  readonly #options: SettlementSenderOptions
  readonly #fees: SettlementFees
  readonly #calls: PendingCalls
  readonly #sender: TransactionSender<PaymentReceipt>
  readonly #ended = new AbortController()
  /** Last processed value of `chain.removals()`. */
  #removals: number
  #watch: Promise<void> | undefined
  #sent = 0

  /** @throws if the chain cannot be reached */
  static async open(options: SettlementSenderOptions): Promise<SettlementSender> {
    const sender = new SettlementSender(options, await options.chain.removals())
    await sender.pendingNonce()
    return sender
  }

  private constructor(options: SettlementSenderOptions, removals: number) {
    this.#options = options
    this.#removals = removals
    this.#fees = new SettlementFees(options)
    this.#calls = new PendingCalls((nonce) => this.#sender.release(nonce))
    this.#sender = new TransactionSender({
      address: formatData(options.key.address),
      node: nodeOf(options.chain),
      store: this.#calls,
      policy: {
        trustMs: TRUST_MS,
        trustsWhenIdle: true,
        giveUpMs: GIVE_UP_MS,
        endsIfFull: true,
        now: () => performance.now(),
        followRemovals: () => this.#followRemovals(),
      },
      used: [],
    })
  }

  /** Number of transactions in flight, with those of other processes. */
  get size(): number {
    return this.#sender.size
  }

  /** Returns the nonce after the last pending one. */
  async pendingNonce(): Promise<number> {
    await this.#sender.refreshNonces()
    if (this.size > 0) this.#keepWatch()
    return this.#sender.nonces.pending
  }

  /** Number of pending transactions of other processes, such as one before a crash; their content is unknown. */
  countForeign(below = Number.POSITIVE_INFINITY): number {
    return this.#sender.nonces.countForeign(below) + this.#calls.countForeign(below)
  }

  /**
   * Sends a call; resolves when its outcome is final.
   * @param announce awaited with the hash of each transaction before it is sent
   * @throws errors of `announce`; TRANSACTION_REJECTED if the pool refuses it, LIMIT_EXCEEDED if gas costs too much:
   * then nothing was sent
   */
  async send(
    call: SettlementCall,
    announce: (txHash: Hex) => Promise<void>,
  ): Promise<SettlementOutcome> {
    const fees = await this.#fees.current()
    this.#ended.signal.throwIfAborted()
    return new Promise((settle, fail) => {
      this.#submit({ call, isForeign: false, announce, settle, fail }, fees).catch(fail)
    })
  }

  /** Stops watching; pool transactions stay there. Pending calls are rejected. */
  async close(): Promise<void> {
    this.#ended.abort(new LockstepError('INTERRUPTED', 'the settler was closed'))
    await this.#watch
    this.#calls.failAll(this.#ended.signal.reason)
  }

  async #submit(
    made: Omit<PendingCall, 'id' | 'nonce' | 'signedAt' | 'attempts'>,
    fees: SettlementFee,
    nonce?: number,
  ): Promise<BroadcastAnswer> {
    const id = String(this.#sent++)
    const make = async (assigned: number) => {
      this.#keepWatch()
      const attempt = await this.#sign(made, assigned, fees)
      const signedAt = performance.now()
      this.#calls.add({ ...made, id, nonce: assigned, signedAt, attempts: [attempt] })
      return attempt
    }
    return (await this.#sender.submit(id, make, nonce)).answer
  }

  async #sign(
    { call, announce }: Pick<PendingCall, 'call' | 'announce'>,
    nonce: number,
    fees: SettlementFee,
  ): Promise<SettlementAttempt> {
    const { key, chain, keccak256 } = this.#options
    const made = call ?? { to: key.address, data: new Uint8Array(), gas: TRANSFER_GAS }
    const fields = { ...DYNAMIC_FEE, ...made, ...fees, chainId: chain.chainId }
    const raw = signWithKey({ ...fields, nonce: BigInt(nonce) }, key)
    const hash = formatData(keccak256(raw))
    await announce(hash)
    this.#ended.signal.throwIfAborted()
    return { ...fees, hash, raw: formatData(raw) }
  }

  async #followRemovals(): Promise<void> {
    const removals = await this.#options.chain.removals()
    if (removals === this.#removals) return
    this.#fees.forget()
    this.#calls.forgetExecuted()
    await this.#sender.followRollback()
    this.#removals = removals
  }

  #keepWatch(): void {
    this.#watch ??= this.#watchBlocks().finally(() => {
      this.#watch = undefined
      this.#fees.forget()
      // Sent after the last check.
      if (this.size > 0 && !this.#ended.signal.aborted) this.#keepWatch()
    })
  }

  async #watchBlocks(): Promise<void> {
    const { signal } = this.#ended
    // Subscribe before each check, so that a block arriving during it is not missed.
    let block = this.#nextBlock()
    while (this.size > 0 && !signal.aborted) {
      await block
      if (signal.aborted) return
      block = this.#nextBlock()
      this.#fees.forget()
      // An unreachable node is checked again with the next block.
      await this.#check().catch(nothing)
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

  async #check(): Promise<void> {
    await this.#followRemovals()
    await this.#sender.check()
    await this.#fillGaps()
    if (this.#sender.looks % this.#options.patience === 0) await this.#raise()
  }

  /** Uses up freed nonces that later ones wait for. */
  async #fillGaps(): Promise<void> {
    const { nonces } = this.#sender
    for (const nonce of nonces.gaps(MAX_FILLED)) {
      const fees = await this.#fees.current()
      if (!nonces.has(nonce)) await this.#submit(FILLER, fees, nonce)
    }
  }

  /** Raises the fee of the nonce that others wait for, also if it is another process's. */
  async #raise(): Promise<void> {
    const { nonces } = this.#sender
    const nonce = nonces.lowest
    const pending = this.#calls.at(nonce)
    const isBeingSigned =
      pending === undefined ? nonces.has(nonce) : this.#sender.isSending(pending.id)
    if (isBeingSigned || this.size === 0) return
    if (pending !== undefined) {
      const answer = await this.#sender.rebroadcast(pending.id, nonce)
      // A block has it that is not confirmed yet.
      if (answer?.kind === 'nonce used') return
    }
    const last = pending?.attempts.at(-1)
    let fees = last === undefined ? await this.#fees.current() : await this.#fees.replace(last)
    // The fee offered by another process is unknown, so raise until the pool accepts.
    while (this.#fees.isAffordable(fees)) {
      const { kind } =
        pending === undefined
          ? await this.#submit({ ...FILLER, isForeign: true }, fees, nonce)
          : await this.#replace(pending, fees)
      if (kind !== 'underpriced') return
      fees = this.#fees.raise(fees)
    }
  }

  #replace(pending: PendingCall, fees: SettlementFee): Promise<BroadcastAnswer> {
    const { id, nonce, attempts } = pending
    const make = async () => {
      const attempt = await this.#sign(pending, nonce, fees)
      // It may have ended meanwhile, as on a chain that was rolled back. Its caller sends the call again.
      if (!this.#calls.has(id)) throw new LockstepError('INTERRUPTED', `nonce ${nonce} has ended`)
      attempts.push(attempt)
      return attempt
    }
    return this.#sender.replace(id, make, async () => attempts.pop())
  }
}

function nodeOf(chain: PaymentChain): SenderNode<PaymentReceipt> {
  return {
    nonce: async (address, at) => Number(await chain.nonce(address, at)),
    async send(raw) {
      try {
        await chain.send(parseData(raw))
        return { kind: 'accepted', reason: '' }
      } catch (error) {
        if (!(error instanceof LockstepError) || error.code !== 'TRANSACTION_REJECTED') {
          return { kind: 'no answer', reason: messageOf(error) }
        }
        const { code } = (error.cause ?? {}) as { readonly code?: unknown }
        return classifyBroadcastError(error.message, typeof code === 'number' ? code : undefined)
      }
    },
    includedTransaction: (hash) => chain.receipt(hash),
    knows: (hash) => chain.has(hash),
  }
}
