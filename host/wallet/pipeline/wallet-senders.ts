import type { Hex } from '../../base/hex.ts'
import { TransactionSender } from '../../client/transaction-sender/transaction-sender.ts'
import { WalletError } from '../protocol/wallet-error.ts'
import { accountTransactions } from './account-transactions.ts'
import type { EvmNode, IncludedTransaction } from './evm-node.ts'
import type { PipelineTimes } from './pipeline-options.ts'
import type { TransactionProgress } from './transaction-progress.ts'
import type { TransactionStore } from './transaction-store.ts'

export type WalletSender = TransactionSender<IncludedTransaction>

export interface WalletSendersOptions {
  readonly nodes: ReadonlyMap<string, EvmNode>
  readonly store: TransactionStore
  readonly progress: TransactionProgress
  readonly times: PipelineTimes
  readonly now: () => number
  /** Resolves after the store reflects a rolled back development chain. */
  readonly followRemovals: (caip2: string) => Promise<unknown>
}

interface HeldSender {
  readonly caip2: string
  readonly sender: WalletSender
  /** Calls of `use` that have not ended. */
  users: number
}

/** Maximum number of queued sends of one account. */
const MAX_WAITING = 1_000

/** The senders by chain and address. Idle ones are dropped. */
export class WalletSenders {
  readonly #options: WalletSendersOptions
  readonly #held = new Map<string, HeldSender>()

  constructor(options: WalletSendersOptions) {
    this.#options = options
  }

  /** Runs `work` with the sender of an account. */
  async use<T>(
    caip2: string,
    address: Hex,
    work: (sender: WalletSender) => Promise<T>,
  ): Promise<T> {
    const key = accountKey(caip2, address)
    const held = this.#held.get(key) ?? { caip2, sender: this.#open(caip2, address), users: 0 }
    this.#held.set(key, held)
    held.users++
    try {
      return await work(held.sender)
    } finally {
      held.users--
      this.#dropIdle(key)
    }
  }

  /** Runs `work`, which takes a nonce, after all earlier work with the account. @throws WalletError rate_limited */
  runExclusive<T>(
    caip2: string,
    address: Hex,
    work: (sender: WalletSender) => Promise<T>,
  ): Promise<T> {
    return this.use(caip2, address, (sender) => {
      if (sender.queued < MAX_WAITING) return sender.runExclusive(() => work(sender))
      throw new WalletError(
        'rate_limited',
        `${MAX_WAITING} transactions of ${address} are already queued`,
      )
    })
  }

  /** Reports that a nonce is still used (`isUsed`) or free again. */
  settle(caip2: string, address: string, nonce: number, isUsed: boolean): void {
    const key = accountKey(caip2, address)
    const sender = this.#held.get(key)?.sender
    if (isUsed) sender?.use(nonce)
    else sender?.release(nonce)
    this.#dropIdle(key)
  }

  /** Discards the cached nonces of a chain. */
  dropCachedNonces(caip2: string): void {
    for (const held of this.#held.values()) {
      if (held.caip2 === caip2) held.sender.dropCachedNonces()
    }
  }

  /** One account has one sender at a time, so one in use stays. */
  #dropIdle(key: string): void {
    const held = this.#held.get(key)
    if (held?.users === 0 && held.sender.nonces.size === 0) this.#held.delete(key)
  }

  #open(caip2: string, address: Hex): WalletSender {
    const { nodes, store, progress, times, now, followRemovals } = this.#options
    return new TransactionSender({
      address,
      node: nodes.get(caip2) as EvmNode,
      store: accountTransactions(caip2, address, store, progress),
      policy: {
        trustMs: times.trustMs,
        trustsWhenIdle: false,
        giveUpMs: times.giveUpMs,
        endsIfFull: false,
        now,
        followRemovals: () => followRemovals(caip2),
      },
      used: store.waitingNonces(caip2, address),
    })
  }
}

/**
 * Checks a nonce that the caller chose: the next one, or that of a waiting transaction to replace.
 * @throws WalletError invalid_data
 */
export async function checkChosenNonce(sender: WalletSender, nonce: number): Promise<void> {
  await sender.refreshNonces()
  const { nonces } = sender
  if (nonces.has(nonce)) return
  const next = nonces.next()
  if (nonce < nonces.lowest) {
    throw new WalletError('invalid_data', `nonce too low: next nonce ${next}, tx nonce ${nonce}`)
  }
  if (nonce > next) {
    throw new WalletError(
      'invalid_data',
      `nonce too high: next nonce ${next}, tx nonce ${nonce}; it would wait for those between: leave nonce out`,
    )
  }
}

function accountKey(caip2: string, address: string): string {
  return `${caip2} ${address}`
}
