import { messageOf } from '../../base/error.ts'
import { formatQuantity, type Hex, parseQuantity } from '../../base/hex.ts'
import { RemovalWatch } from '../../client/chain-client/removal-watch.ts'
import { NodeRefusal, RpcConnection } from '../../client/chain-client/rpc-connection.ts'
import {
  type BroadcastAnswer,
  classifyBroadcastError,
} from '../../client/transaction-sender/broadcast-answer.ts'
import type { SenderNode } from '../../client/transaction-sender/sender-ports.ts'
import type { SimulatedOutflow } from '../policy/decision.ts'
import { readSimulation } from '../policy/simulation.ts'
import { WalletError } from '../protocol/wallet-error.ts'

export interface IncludedTransaction {
  readonly succeeded: boolean
  readonly block: { readonly number: number; readonly hash: string }
}

export interface ChainFees {
  /** Undefined before EIP-1559. */
  readonly baseFee: bigint | undefined
  readonly tip: bigint
}

export interface CallFields {
  readonly from: Hex
  readonly to: Hex | undefined
  readonly value: bigint
  readonly data: Hex
  readonly accessList:
    | readonly { readonly address: Hex; readonly storageKeys: readonly Hex[] }[]
    | undefined
  readonly authorizationList: readonly Readonly<Record<string, Hex>>[] | undefined
}

/** EIP-2681 allows nonces below 2^64, but no account reaches more than a double holds exactly. */
const NONCE_BITS = 52

const HASH = /^0x[0-9a-f]{64}$/i

/** The JSON-RPC methods of a node that the pipeline uses. Malformed results count as no answer. */
export class EvmNode implements SenderNode<IncludedTransaction> {
  readonly #connection: RpcConnection
  readonly #removals: RemovalWatch
  #finalizedIsKnown = true

  constructor(url: string) {
    this.#connection = new RpcConnection(url)
    this.#removals = new RemovalWatch(this.#connection)
  }

  chainId(): Promise<bigint> {
    return this.#quantity('eth_chainId')
  }

  async height(): Promise<number> {
    return Number(await this.#quantity('eth_blockNumber', [], NONCE_BITS))
  }

  /**
   * Returns how often a development chain was rolled back; undefined for any other chain.
   * @throws WalletError chain_unreachable
   */
  async removals(): Promise<number | undefined> {
    try {
      return await this.#removals.removals()
    } catch (error) {
      throw unreachable('eth_getBlockByNumber', error)
    }
  }

  /** Returns undefined if the chain has no block with this number. */
  async blockHash(number: number): Promise<string | undefined> {
    const block = await this.#call('eth_getBlockByNumber', formatQuantity(number), false)
    return block === null ? undefined : String((block as { hash?: unknown }).hash)
  }

  /** Returns the next nonce of an account: by the latest state, or with the pool's transactions. */
  async nonce(address: Hex, at: 'latest' | 'pending'): Promise<number> {
    return Number(await this.#quantity('eth_getTransactionCount', [address, at], NONCE_BITS))
  }

  balance(address: Hex): Promise<bigint> {
    return this.#quantity('eth_getBalance', [address, 'latest'])
  }

  /** Returns the output of a contract call, or undefined if the node refuses it, as for a revert. */
  async read(to: Hex, data: string): Promise<Hex | undefined> {
    try {
      const output = await this.#call('eth_call', { to, data }, 'latest')
      if (typeof output !== 'string') throw this.#garbage('eth_call')
      return output as Hex
    } catch (error) {
      if (isRefusal(error)) return undefined
      throw error
    }
  }

  async fees(): Promise<ChainFees> {
    const [block, tip] = await Promise.all([
      this.#call('eth_getBlockByNumber', 'latest', false),
      this.#quantity('eth_maxPriorityFeePerGas').catch((error: unknown) => {
        if (isRefusal(error)) return undefined
        throw error
      }),
    ])
    const base = (block as { baseFeePerGas?: unknown } | null)?.baseFeePerGas
    if (base === undefined || tip === undefined) {
      return { baseFee: undefined, tip: await this.#quantity('eth_gasPrice') }
    }
    return { baseFee: this.#readQuantity('eth_getBlockByNumber', base), tip }
  }

  /**
   * Returns the gas estimate.
   * @throws WalletError insufficient_funds, transaction_broadcast_failure if the transaction cannot be executed
   */
  async estimate({
    from,
    to,
    value,
    data,
    accessList,
    authorizationList,
  }: CallFields): Promise<bigint> {
    const call = { from, to, value: formatQuantity(value), data, accessList, authorizationList }
    try {
      return await this.#quantity('eth_estimateGas', [call])
    } catch (error) {
      const refusal = refusalOf(error)
      if (refusal === undefined) throw error
      const isUnfunded = classifyBroadcastError(refusal.message).kind === 'unfunded'
      const code = isUnfunded ? 'insufficient_funds' : 'transaction_broadcast_failure'
      throw new WalletError(code, `the transaction cannot be executed: ${refusal.message}`)
    }
  }

  /** Simulates a call on the latest state and returns what leaves the sender. Undefined if the node cannot simulate. */
  async simulate(
    { from, to, value, data }: CallFields,
    gas: bigint,
  ): Promise<SimulatedOutflow | undefined> {
    const call = { from, to, value: formatQuantity(value), data, gas: formatQuantity(gas) }
    const asked = { blockStateCalls: [{ calls: [call] }], traceTransfers: true }
    try {
      return readSimulation(await this.#call('eth_simulateV1', asked, 'latest'), from)
    } catch {
      return undefined
    }
  }

  async send(raw: Hex): Promise<BroadcastAnswer> {
    try {
      const hash = await this.#call('eth_sendRawTransaction', raw)
      if (typeof hash === 'string' && HASH.test(hash)) return { kind: 'accepted', reason: '' }
      return { kind: 'no answer', reason: 'its answer is not a hash' }
    } catch (error) {
      const refusal = refusalOf(error)
      if (refusal === undefined) return { kind: 'no answer', reason: messageOf(error) }
      return classifyBroadcastError(refusal.message, refusal.code)
    }
  }

  /**
   * Returns the result of a transaction; undefined until it is in a block. @throws WalletError if the answer is
   * malformed
   */
  async includedTransaction(hash: Hex): Promise<IncludedTransaction | undefined> {
    const receipt = (await this.#call('eth_getTransactionReceipt', hash)) as Record<
      string,
      unknown
    > | null
    if (receipt === null) return undefined
    const { transactionHash, status, blockNumber, blockHash } = receipt
    if (String(transactionHash).toLowerCase() !== hash || !HASH.test(String(blockHash))) {
      throw this.#garbage('eth_getTransactionReceipt')
    }
    const number = Number(this.#readQuantity('eth_getTransactionReceipt', blockNumber))
    const block = { number, hash: String(blockHash) }
    this.#removals.note({ ...block, number: formatQuantity(number) })
    return {
      succeeded: this.#readQuantity('eth_getTransactionReceipt', status) === 1n,
      block,
    }
  }

  /** True if the node has the transaction, in its pool or in a block. */
  async knows(hash: Hex): Promise<boolean> {
    return (await this.#call('eth_getTransactionByHash', hash)) !== null
  }

  /**
   * Returns the finalized height as the node reports it. If the node has no such tag, assumes `DEPTH` blocks below
   * `height`.
   */
  async finalized(height: number): Promise<number> {
    const assumed = Math.max(0, height - DEPTH)
    if (!this.#finalizedIsKnown) return assumed
    try {
      const block = (await this.#call('eth_getBlockByNumber', 'finalized', false)) as {
        number?: unknown
      } | null
      if (block === null) return 0
      return Number(this.#readQuantity('eth_getBlockByNumber', block.number))
    } catch (error) {
      if (!isRefusal(error)) throw error
      this.#finalizedIsKnown = false
      return assumed
    }
  }

  async #quantity(method: string, params: readonly unknown[] = [], bits?: number): Promise<bigint> {
    return this.#readQuantity(method, await this.#call(method, ...params), bits)
  }

  #readQuantity(method: string, value: unknown, bits?: number): bigint {
    if (typeof value !== 'string') throw this.#garbage(method)
    try {
      return parseQuantity(value, bits)
    } catch {
      throw this.#garbage(method)
    }
  }

  #garbage(method: string): WalletError {
    return new WalletError(
      'chain_unreachable',
      `the chain's node gave a malformed answer to ${method}`,
    )
  }

  /** @throws WalletError chain_unreachable, with a NodeRefusal as its cause if the node answered with an error */
  async #call(method: string, ...params: readonly unknown[]): Promise<unknown> {
    let result: unknown
    try {
      result = await this.#connection.call(method, ...params)
    } catch (error) {
      throw unreachable(method, error)
    }
    // The response has neither result nor error.
    if (result === undefined) throw this.#garbage(method)
    return result
  }
}

/** Confirmations that count as final on a chain without the tag `finalized`. */
const DEPTH = 64

function unreachable(method: string, cause: unknown): WalletError {
  const failure = new WalletError('chain_unreachable', `${method}: ${messageOf(cause)}`)
  failure.cause = cause
  return failure
}

function refusalOf(error: unknown): NodeRefusal | undefined {
  const cause = (error as { cause?: unknown }).cause
  return cause instanceof NodeRefusal ? cause : undefined
}

function isRefusal(error: unknown): boolean {
  return refusalOf(error) !== undefined
}
