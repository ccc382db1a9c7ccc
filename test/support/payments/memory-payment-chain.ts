import type { Hex } from '../../../host/base/hex.ts'
import type {
  PaymentChain,
  PaymentLog,
  PaymentReceipt,
  PaymentTransactionLog,
} from '../../../host/payments/chain/payment-chain.ts'
import { addressTopic, type TokenTransfer } from '../../../host/payments/chain/token-log.ts'

const TRANSFER: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** Returns the log of an ERC-20 transfer. */
export function transferLog({ asset, from, to, amount }: TokenTransfer): PaymentLog {
  return {
    address: asset,
    topics: [TRANSFER, addressTopic(from), addressTopic(to)],
    data: `0x${amount.toString(16).padStart(64, '0')}`,
  }
}

/** Time of a chain whose blocks a test makes, and the callers that wait for the next block. */
export class PaymentClock {
  /** Seconds since 1970. */
  time = 1_800_000_000n
  readonly #watchers = new Set<() => void>()

  now(): bigint {
    return this.time
  }

  /** Number of callers that wait for a block. */
  get watchers(): number {
    return this.#watchers.size
  }

  nextBlock(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#watchers.add(resolve)
      signal.addEventListener('abort', () => resolve(), { once: true })
      if (signal.aborted) resolve()
    })
  }

  protected announceBlock(): void {
    const watchers = [...this.#watchers]
    this.#watchers.clear()
    for (const watcher of watchers) watcher()
  }
}

/** A chain whose blocks a test makes. */
export class MemoryPaymentChain extends PaymentClock implements PaymentChain {
  readonly chainId: bigint
  /** Requested hashes, in order. */
  readonly asked: Hex[] = []
  readonly #receipts = new Map<Hex, PaymentReceipt>()
  #height = 0n
  #transactions = 0

  constructor(chainId = 31_337n) {
    super()
    this.chainId = chainId
  }

  async has(txHash: Hex): Promise<boolean> {
    return this.#receipts.has(txHash)
  }

  async receipt(txHash: Hex): Promise<PaymentReceipt | undefined> {
    this.asked.push(txHash)
    return this.#receipts.get(txHash)
  }

  /** Results of calls to contract accounts. */
  readonly contracts = new Map<Hex, (data: Hex) => Hex>()

  async call(to: Hex, data: Hex): Promise<Hex> {
    return this.contracts.get(to)?.(data) ?? '0x'
  }

  async height(): Promise<bigint> {
    return this.#height
  }

  async logs(): Promise<readonly PaymentTransactionLog[]> {
    return []
  }

  async removals(): Promise<number> {
    return 0
  }

  async balance(): Promise<bigint> {
    return 0n
  }

  async nonce(): Promise<bigint> {
    return 0n
  }

  async maxFeePerGas(): Promise<bigint> {
    return 1n
  }

  send(): Promise<Hex> {
    throw new Error('no transaction is expected')
  }

  /** Returns the hash of a transaction that is in no block yet. */
  nextHash(): Hex {
    this.#transactions++
    return `0x${this.#transactions.toString(16).padStart(64, '0')}`
  }

  /** Makes a block with one transaction. */
  mine(
    logs: readonly PaymentLog[],
    facts: Partial<PaymentReceipt> = {},
    txHash = this.nextHash(),
  ): Hex {
    this.#height++
    this.#receipts.set(txHash, {
      succeeded: true,
      height: this.#height,
      blockTime: this.time,
      logs,
      input: '0x',
      ...facts,
    })
    this.announceBlock()
    return txHash
  }

  /** Makes an empty block. */
  mineEmpty(): void {
    this.#height++
    this.announceBlock()
  }
}
