import { LockstepError } from '../../base/error.ts'
import { formatData, formatQuantity, type Hex } from '../../base/hex.ts'
import { RecentCache } from '../../base/recent-cache.ts'
import { pause } from '../../base/timer.ts'
import { RemovalWatch } from '../../client/chain-client/removal-watch.ts'
import { NodeRefusal, RpcConnection } from '../../client/chain-client/rpc-connection.ts'
import type {
  PaymentCallOptions,
  PaymentChain,
  PaymentLog,
  PaymentLogQuery,
  PaymentReceipt,
  PaymentTransactionLog,
} from './payment-chain.ts'

/** Interval of height polls while a caller waits for a block, ms. */
const POLL_MS = 100

/** Size of the block time cache. */
const MAX_TIMES = 4_096

const MS = 1_000

/** JSON-RPC code of a reverted call, as in geth. */
const REVERTED = 3

export interface RpcChainOptions {
  /** Confirmations required, including the transaction's own block. Default: 1, for chains with instant finality. */
  readonly confirmations?: number
  readonly pollMs?: number
}

interface RpcLog {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
}

interface RpcPlacedLog extends RpcLog {
  readonly transactionHash: string
  readonly blockNumber: Hex
}

interface RpcReceipt {
  readonly status: Hex
  readonly blockNumber: Hex
  readonly blockHash: Hex
  readonly logs: readonly RpcLog[]
}

interface RpcBlock {
  readonly number: Hex
  readonly timestamp: Hex
  readonly baseFeePerGas?: Hex
}

const lower = (text: string): Hex => text.toLowerCase() as Hex

function toLog({ address, topics, data }: RpcLog): PaymentLog {
  return { address: lower(address), topics: topics.map(lower), data: lower(data) }
}

/** Payment chain over any node's JSON-RPC. */
class RpcChain implements PaymentChain {
  readonly chainId: bigint
  readonly #connection: RpcConnection
  readonly #confirmations: bigint
  readonly #pollMs: number
  readonly #removals: RemovalWatch
  /** Block times by hash, seconds since 1970. */
  readonly #times = new RecentCache<Hex, bigint>(MAX_TIMES)
  /** Seconds by which block times are ahead of this machine's clock, as on development chains. */
  #ahead = 0n
  /** The height request in flight, shared by all waiters. */
  #height: Promise<bigint> | undefined

  constructor(connection: RpcConnection, chainId: bigint, options: RpcChainOptions) {
    this.#connection = connection
    this.#removals = new RemovalWatch(connection)
    this.chainId = chainId
    this.#confirmations = BigInt(options.confirmations ?? 1)
    this.#pollMs = options.pollMs ?? POLL_MS
  }

  now(): bigint {
    return BigInt(Math.floor(Date.now() / MS)) + this.#ahead
  }

  /** Fetches the time of the latest block. */
  async synchronise(): Promise<void> {
    this.#noteTime(BigInt((await this.#block('latest')).timestamp))
  }

  async has(txHash: Hex): Promise<boolean> {
    return (await this.#connection.call('eth_getTransactionByHash', txHash)) !== null
  }

  async receipt(txHash: Hex): Promise<PaymentReceipt | undefined> {
    const [receipt, transaction] = (await Promise.all([
      this.#connection.call('eth_getTransactionReceipt', txHash),
      this.#connection.call('eth_getTransactionByHash', txHash),
    ])) as [RpcReceipt | null, { input: string } | null]
    if (receipt === null || transaction === null) return undefined
    const height = BigInt(receipt.blockNumber)
    this.#removals.note({ number: receipt.blockNumber, hash: receipt.blockHash })
    if (!(await this.#isConfirmed(height))) return undefined
    const blockTime = await this.#timeOf(receipt.blockHash)
    if (blockTime === undefined) return undefined
    return {
      succeeded: BigInt(receipt.status) === 1n,
      height,
      blockTime,
      logs: receipt.logs.map(toLog),
      input: lower(transaction.input),
    }
  }

  async nextBlock(signal: AbortSignal): Promise<void> {
    let before = await this.height()
    while (!signal.aborted) {
      const height = await this.height()
      if (height > before) return
      // A reverted development chain: its next block is lower.
      before = height
      await pause(this.#pollMs, signal)
    }
  }

  async removals(): Promise<number> {
    return (await this.#removals.removals()) ?? 0
  }

  height(): Promise<bigint> {
    this.#height ??= this.#quantity('eth_blockNumber').finally(() => {
      this.#height = undefined
    })
    return this.#height
  }

  async logs({
    address,
    topics,
    fromHeight,
  }: PaymentLogQuery): Promise<readonly PaymentTransactionLog[]> {
    const filter = { address, topics, fromBlock: formatQuantity(fromHeight), toBlock: 'latest' }
    const logs = (await this.#connection.call('eth_getLogs', filter)) as readonly RpcPlacedLog[]
    return logs.map((log) => ({
      ...toLog(log),
      txHash: lower(log.transactionHash),
      height: BigInt(log.blockNumber),
    }))
  }

  async call(to: Hex, data: Hex, { from, gas }: PaymentCallOptions = {}): Promise<Hex> {
    const call = { to, data, from, gas: gas === undefined ? undefined : formatQuantity(gas) }
    try {
      return lower((await this.#connection.call('eth_call', call, 'latest')) as string)
    } catch (error) {
      if (!(error instanceof NodeRefusal)) throw error
      const code = error.code === REVERTED ? 'EXECUTION_REVERTED' : 'EXECUTION_FAILED'
      throw new LockstepError(code, error.message, { cause: error })
    }
  }

  async nonce(address: Hex, at: 'latest' | 'pending'): Promise<bigint> {
    const block = at === 'latest' ? await this.#latestConfirmed() : at
    return this.#quantity('eth_getTransactionCount', address, block)
  }

  balance(address: Hex): Promise<bigint> {
    return this.#quantity('eth_getBalance', address, 'latest')
  }

  async maxFeePerGas(): Promise<bigint> {
    const [block, tip] = await Promise.all([
      this.#block('latest'),
      this.#quantity('eth_maxPriorityFeePerGas'),
    ])
    return 2n * BigInt(block.baseFeePerGas ?? '0x0') + tip
  }

  async send(raw: Uint8Array): Promise<Hex> {
    try {
      return lower(
        (await this.#connection.call('eth_sendRawTransaction', formatData(raw))) as string,
      )
    } catch (error) {
      if (!(error instanceof NodeRefusal)) throw error
      throw new LockstepError('TRANSACTION_REJECTED', error.message, { cause: error })
    }
  }

  async #quantity(method: string, ...params: readonly unknown[]): Promise<bigint> {
    return BigInt((await this.#connection.call(method, ...params)) as string)
  }

  async #block(number: Hex | 'latest'): Promise<RpcBlock> {
    return (await this.#connection.call('eth_getBlockByNumber', number, false)) as RpcBlock
  }

  async #latestConfirmed(): Promise<Hex | 'latest'> {
    if (this.#confirmations <= 1n) return 'latest'
    const height = (await this.height()) - this.#confirmations + 1n
    return formatQuantity(height > 0n ? height : 0n)
  }

  async #isConfirmed(height: bigint): Promise<boolean> {
    if (this.#confirmations <= 1n) return true
    return (await this.height()) - height + 1n >= this.#confirmations
  }

  /** Returns undefined if the node no longer has the block after a reorg. */
  async #timeOf(blockHash: Hex): Promise<bigint | undefined> {
    const known = this.#times.get(blockHash)
    if (known !== undefined) return known
    const block = await this.#connection.call('eth_getBlockByHash', blockHash, false)
    if (block === null) return undefined
    const time = BigInt((block as RpcBlock).timestamp)
    this.#times.set(blockHash, time)
    this.#noteTime(time)
    return time
  }

  #noteTime(blockTime: bigint): void {
    const behind = blockTime - this.now()
    if (behind > 0n) this.#ahead += behind
  }
}

/**
 * Opens a chain over a node's JSON-RPC (HTTP). Responses are trusted, so use a node of your own.
 * @throws NODE_UNREACHABLE
 */
export async function openRpcChain(
  url: string,
  options: RpcChainOptions = {},
): Promise<PaymentChain> {
  const connection = new RpcConnection(url)
  const chainId = BigInt((await connection.call('eth_chainId')) as string)
  const chain = new RpcChain(connection, chainId, options)
  await chain.synchronise()
  return chain
}
