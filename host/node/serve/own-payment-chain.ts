import { callError } from '../../api/rpc/call/error.ts'
import { searchLogs } from '../../api/rpc/resolve/log-search.ts'
import { formatData, type Hex, parseData, parseFixedData } from '../../base/hex.ts'
import { Mutex } from '../../base/mutex.ts'
import { neverAborted } from '../../base/signal.ts'
import { decodeSigned } from '../../evm/chain-types/transaction-codec.ts'
import { Simulator } from '../../evm/execute/simulate/simulator.ts'
import { decodeAccount } from '../../evm/state/account.ts'
import type {
  PaymentCallOptions,
  PaymentChain,
  PaymentLogQuery,
  PaymentReceipt,
  PaymentTransactionLog,
} from '../../payments/chain/payment-chain.ts'
import type { ServedChain } from '../open/served-chain.ts'

const NOBODY = new Uint8Array(20)
const GWEI = 1_000_000_000n

/** Default gas of a call: token checks take some ten thousand. */
const CALL_GAS = 10_000_000n

/** Searches are bounded by the age of authorizations instead. */
const UNLIMITED = { logBlocks: 0, logs: 0 }

export interface OwnPaymentChainOptions {
  readonly chain: ServedChain
  /** Minimum gas price of the mempool, wei. */
  readonly minGasPrice: bigint
  /**
   * Yields the main thread between two searched blocks; undefined while the current slice may continue. Anyone can
   * cause a search with a used authorization.
   */
  readonly turn: () => Promise<void> | undefined
  /** Called with the hash of each submitted transaction. */
  readonly onSubmit: (hash: Hex) => void
}

/** The payment chain of this process. */
export class OwnPaymentChain implements PaymentChain {
  readonly chainId: bigint
  readonly #options: OwnPaymentChainOptions
  readonly #simulator: Simulator
  readonly #calls = new Mutex()
  #removals = 0

  constructor(options: OwnPaymentChainOptions) {
    const { history, rules, keccak256, engines, dev } = options.chain
    this.chainId = rules.chainId
    this.#options = options
    this.#simulator = new Simulator({ history, rules, keccak256, engines, gasCap: 0n })
    dev?.onAmend(() => {
      this.#removals++
    })
  }

  get #chain() {
    return this.#options.chain.storage.chain
  }

  #head() {
    const head = this.#chain.header(this.#chain.latest)
    if (head === undefined) throw new TypeError('a served chain has a latest block')
    return head
  }

  /** The head may be old on a chain without empty blocks. */
  now(): bigint {
    return BigInt(Math.max(Math.floor(Date.now() / 1000), this.#head().timestamp))
  }

  async has(txHash: Hex): Promise<boolean> {
    const hash = parseFixedData(txHash, 32)
    return (
      this.#options.chain.pool.get(hash) !== undefined || this.#chain.locate(hash) !== undefined
    )
  }

  async receipt(txHash: Hex): Promise<PaymentReceipt | undefined> {
    const place = this.#chain.locate(parseFixedData(txHash, 32))
    if (place === undefined) return undefined
    const { height, index } = place
    const header = this.#chain.header(height)
    const placed = this.#chain.receipt(height, index)
    if (header === undefined || placed === undefined) return undefined
    const store = this.#chain
    const { keccak256 } = this.#options.chain
    return {
      succeeded: placed.receipt.status === 1,
      height: BigInt(height),
      blockTime: BigInt(header.timestamp),
      logs: placed.receipt.logs.map(({ address, topics, data }) => ({
        address: formatData(address),
        topics: topics.map(formatData),
        data: formatData(data),
      })),
      // Lazy: only one binding needs it.
      get input() {
        const raw = store.transaction(height, index)
        return raw === undefined ? '0x' : formatData(decodeSigned(raw, keccak256).data)
      },
    }
  }

  async height(): Promise<bigint> {
    return BigInt(this.#chain.latest)
  }

  async logs({
    address,
    topics,
    fromHeight,
  }: PaymentLogQuery): Promise<readonly PaymentTransactionLog[]> {
    const filter = {
      addresses: [parseFixedData(address, 20)],
      topics: topics.map((topic) => (topic === null ? [] : [parseFixedData(topic, 32)])),
    }
    const from = Math.max(Number(fromHeight), this.#chain.earliest)
    const { chain, turn } = this.#options
    const found = await searchLogs(
      { chain: this.#chain, limits: UNLIMITED, keccak256: chain.keccak256 },
      filter,
      from,
      this.#chain.latest,
      // Results need no reserve: they are the logs of one authorization.
      { yield: turn, reserve: () => {} },
    )
    return found.map(({ log, place }) => ({
      address: formatData(log.address),
      topics: log.topics.map(formatData),
      data: formatData(log.data),
      txHash: formatData(place.transactionHash),
      height: BigInt(place.header.number),
    }))
  }

  nextBlock(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        stop()
        stopAmends?.()
        signal.removeEventListener('abort', end)
        resolve()
      }
      const { heads, dev } = this.#options.chain
      const stop = heads.onBlock(end)
      const stopAmends = dev?.onAmend(end)
      signal.addEventListener('abort', end)
      if (signal.aborted) end()
    })
  }

  async removals(): Promise<number> {
    return this.#removals
  }

  /**
   * Runs one call at a time: a burst of payments would overflow the engine queue, which rejects the excess. The call
   * runs as in a block of the current time, however old the latest block is.
   */
  call(to: Hex, data: Hex, options: PaymentCallOptions = {}): Promise<Hex> {
    return this.#calls.runExclusive(() => this.#run(to, data, options))
  }

  async #run(to: Hex, data: Hex, { from, gas = CALL_GAS }: PaymentCallOptions): Promise<Hex> {
    const outcome = await this.#simulator.call({
      request: {
        from: from === undefined ? NOBODY : parseFixedData(from, 20),
        to: parseFixedData(to, 20),
        data: parseData(data),
        gas,
        maxFeePerGas: undefined,
        maxPriorityFeePerGas: undefined,
        value: 0n,
        nonce: undefined,
        accessList: undefined,
        authorizations: undefined,
        maxFeePerBlobGas: undefined,
        blobHashes: undefined,
      },
      height: this.#chain.latest,
      stateOverrides: [],
      blockOverrides: {
        number: undefined,
        timestamp: this.now(),
        gasLimit: undefined,
        coinbase: undefined,
        prevRandao: undefined,
        baseFee: undefined,
        blobBaseFee: undefined,
      },
      signal: neverAborted(),
      turn: () => undefined,
    })
    if (!outcome.success) throw callError(outcome)
    return formatData(outcome.output)
  }

  async nonce(address: Hex, at: 'latest' | 'pending'): Promise<bigint> {
    return at === 'pending'
      ? this.#options.chain.pool.nextNonce(parseFixedData(address, 20))
      : this.#account(address).nonce
  }

  async balance(address: Hex): Promise<bigint> {
    return this.balanceOf(address)
  }

  balanceOf(address: Hex): bigint {
    return this.#account(address).balance
  }

  #account(address: Hex) {
    const view = this.#options.chain.history.view(this.#chain.latest)
    return decodeAccount(view.account(parseFixedData(address, 20)))
  }

  async maxFeePerGas(): Promise<bigint> {
    const { minGasPrice, chain } = this.#options
    const tip = minGasPrice > GWEI ? minGasPrice : GWEI
    // The base fee rises by at most an eighth per block, so twice the fee lasts for six.
    return chain.rules.nextBaseFee(this.#head()) * 2n + tip
  }

  async send(raw: Uint8Array): Promise<Hex> {
    const hash = formatData(await this.#options.chain.pool.add(raw))
    this.#options.onSubmit(hash)
    return hash
  }
}
