import { callError } from '../../api/rpc/call/error.ts'
import { searchLogs } from '../../api/rpc/resolve/log-search.ts'
import { formatData, type Hex, parseData, parseFixedData } from '../../base/hex.ts'
import { neverAborted } from '../../base/signal.ts'
import { decodeSigned } from '../../evm/chain-types/transaction-codec.ts'
import { Simulator } from '../../evm/execute/simulate/simulator.ts'
import { decodeAccount } from '../../evm/state/account.ts'
import type {
  CallOptions,
  LogQuery,
  PaymentChain,
  PaymentReceipt,
  PlacedLog,
} from '../../payments/chain/payment-chain.ts'
import type { ServedChain } from '../open/served-chain.ts'

const NOBODY = new Uint8Array(20)
const GWEI = 1_000_000_000n

/** Gas of a call that names none: checks of tokens take some ten thousand. */
const CALL_GAS = 10_000_000n

/** Searches go as far back as authorizations count, and no further. */
const UNLIMITED = { logBlocks: 0, logs: 0 }

export interface OwnPaymentChainOptions {
  readonly chain: ServedChain
  /** Wei per unit of gas below which the mempool takes nothing. */
  readonly minGasPrice: bigint
  /**
   * The next turn on the chain's thread, undefined while the present one lasts: between two blocks that are searched,
   * which anybody may cause who shows an authorization that was used.
   */
  readonly turn: () => Promise<void> | undefined
  /** Hears of a transaction that was handed in. */
  readonly onSubmit: (hash: Hex) => void
}

/** The chain of this process, as payments see it. */
export class OwnPaymentChain implements PaymentChain {
  readonly chainId: bigint
  readonly #options: OwnPaymentChainOptions
  readonly #simulator: Simulator
  #lastCall: Promise<unknown> = Promise.resolve()
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
    if (head === undefined) throw new TypeError('a chain that is served has a newest block')
    return head
  }

  /** A chain without empty blocks may have an old head. */
  now(): bigint {
    return BigInt(Math.max(Math.floor(Date.now() / 1000), this.#head().timestamp))
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
      // Looked at by one of the bindings alone.
      get input() {
        const raw = store.transaction(height, index)
        return raw === undefined ? '0x' : formatData(decodeSigned(raw, keccak256).data)
      },
    }
  }

  async height(): Promise<bigint> {
    return BigInt(this.#chain.latest)
  }

  async logs({ address, topics, fromHeight }: LogQuery): Promise<readonly PlacedLog[]> {
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
      // What is found is the logs of one authorization.
      { turn, hold: () => {} },
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
   * One call at a time: so many payments arrive at once that they would fill the queue for engines, which refuses what
   * is beyond it. It runs as in a block of now, which the next one is, however old the newest is.
   */
  call(to: Hex, data: Hex, options: CallOptions = {}): Promise<Hex> {
    const answer = this.#lastCall.then(() => this.#run(to, data, options))
    this.#lastCall = answer.catch(() => undefined)
    return answer
  }

  async #run(to: Hex, data: Hex, { from, gas = CALL_GAS }: CallOptions): Promise<Hex> {
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
    // A base fee may rise by an eighth a block: twice as much lasts for six of them.
    return chain.rules.nextBaseFee(this.#head()) * 2n + tip
  }

  async send(raw: Uint8Array): Promise<Hex> {
    const hash = formatData(await this.#options.chain.pool.add(raw))
    this.#options.onSubmit(hash)
    return hash
  }
}
