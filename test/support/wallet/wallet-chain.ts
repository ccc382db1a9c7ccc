import {
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
  type TransactionSerialized,
} from 'viem'
import type { Hex } from '../../../host/base/hex.ts'
import { type FakeCall, type FakeNode, FakeRefusal, startFakeNode } from '../rpc/fake-node.ts'

export interface ChainTransaction {
  readonly hash: Hex
  readonly raw: Hex
  readonly from: Hex
  readonly nonce: number
  readonly to: Hex
  readonly maxFeePerGas: bigint
}

export interface ChainBlock {
  readonly hash: Hex
  readonly transactions: readonly ChainTransaction[]
}

const quantity = (value: number | bigint): Hex => `0x${value.toString(16)}`

/**
 * A chain with the rules of nonces and of a pool, behind a node's JSON-RPC. Blocks are made on request, or at once
 * with `mines`. `before` and `after` can falsify or refuse responses or end a connection.
 */
export class WalletChain {
  readonly blocks: ChainBlock[] = [{ hash: blockHash(0, 0), transactions: [] }]
  readonly pool = new Map<string, ChainTransaction>()
  /** All transactions accepted by the pool, each time. */
  readonly taken: ChainTransaction[] = []
  readonly calls: FakeCall[] = []
  mines = true
  finalizedBehind = 0
  reverts = false
  /** True for a development chain. */
  isDevelopment = false
  /** Its result, if any, is the response in place of the chain's. */
  before: (call: FakeCall) => unknown = () => undefined
  /** Its result is the response, after the chain has processed the call. */
  after: (call: FakeCall, result: unknown) => unknown = (_, result) => result
  /** True while the node closes connections. */
  isAway = false
  /** Body of each response, in place of JSON-RPC. */
  garbage: string | undefined
  readonly #chainId: number
  #branch = 0
  #node: FakeNode | undefined

  static async start(chainId = 31337): Promise<WalletChain> {
    const chain = new WalletChain(chainId)
    chain.#node = await startFakeNode({
      isAway: () => chain.isAway,
      raw: (response) => {
        if (chain.garbage !== undefined) response.end(chain.garbage)
        return chain.garbage !== undefined
      },
      answer: (call) => chain.#answer(call),
    })
    return chain
  }

  private constructor(chainId: number) {
    this.#chainId = chainId
  }

  get caip2(): string {
    return `eip155:${this.#chainId}`
  }

  get url(): string {
    return this.#node?.url ?? ''
  }

  get height(): number {
    return this.blocks.length - 1
  }

  get executed(): ChainTransaction[] {
    return this.blocks.flatMap(({ transactions }) => transactions)
  }

  async stop(): Promise<void> {
    await this.#node?.stop()
  }

  nonce(address: string): number {
    return this.executed.filter(({ from }) => from === address).length
  }

  /** Makes a block of all executable transactions. */
  mine(): void {
    const transactions: ChainTransaction[] = []
    const next = new Map<string, number>()
    for (;;) {
      const found = [...this.pool.values()].find(
        ({ from, nonce }) => (next.get(from) ?? this.nonce(from)) === nonce,
      )
      if (found === undefined) break
      this.pool.delete(`${found.from} ${found.nonce}`)
      next.set(found.from, found.nonce + 1)
      transactions.push(found)
    }
    this.blocks.push({ hash: blockHash(this.blocks.length, this.#branch), transactions })
  }

  /** Removes the latest blocks. Their transactions do not return to the pool. */
  reorganize(depth: number): void {
    this.blocks.splice(-depth)
    this.#branch++
  }

  async #answer(call: FakeCall): Promise<unknown> {
    this.calls.push(call)
    const early = await this.before(call)
    if (early !== undefined) return early
    return this.after(call, await this.#result(call))
  }

  async #result({ method, params }: FakeCall): Promise<unknown> {
    const [first, second] = params as [string, string]
    switch (method) {
      case 'eth_chainId':
        return quantity(this.#chainId)
      case 'hardhat_metadata':
        if (this.isDevelopment) return { instanceId: blockHash(1, 1) }
        return new FakeRefusal(-32601, `the method ${method} does not exist/is not available`)
      case 'eth_blockNumber':
        return quantity(this.height)
      case 'eth_maxPriorityFeePerGas':
        return quantity(1_000_000_000n)
      case 'eth_gasPrice':
        return quantity(2_000_000_000n)
      case 'eth_estimateGas':
        return quantity(21_000)
      case 'eth_getBalance':
        return quantity(1_500_000_000_000_000_000n)
      case 'eth_getBlockByNumber':
        return this.#block(first)
      case 'eth_getTransactionCount':
        return quantity(this.#nonceAt(first, second))
      case 'eth_getTransactionReceipt':
        return this.#receipt(first)
      case 'eth_getTransactionByHash':
        return this.#find(first) === undefined ? null : { hash: first }
      case 'eth_sendRawTransaction':
        return this.take(first as Hex)
      default:
        return new FakeRefusal(-32601, `the method ${method} does not exist/is not available`)
    }
  }

  #block(tag: string): unknown {
    const named = tag.startsWith('0x') ? Number(tag) : this.height
    const number = tag === 'finalized' ? Math.max(0, this.height - this.finalizedBehind) : named
    if (this.blocks[number] === undefined) return null
    return {
      number: quantity(number),
      hash: this.blocks[number]?.hash,
      baseFeePerGas: quantity(1_000_000_000),
    }
  }

  #nonceAt(address: string, at: string): number {
    let nonce = this.nonce(address)
    if (at === 'pending') while (this.pool.has(`${address} ${nonce}`)) nonce++
    return nonce
  }

  #find(hash: string): ChainTransaction | undefined {
    return [...this.executed, ...this.pool.values()].find((one) => one.hash === hash)
  }

  #receipt(hash: string): unknown {
    const number = this.blocks.findIndex(({ transactions }) =>
      transactions.some((one) => one.hash === hash),
    )
    if (number < 0) return null
    return {
      transactionHash: hash,
      status: this.reverts ? '0x0' : '0x1',
      blockNumber: quantity(number),
      blockHash: this.blocks[number]?.hash,
    }
  }

  /** Accepts or refuses a transaction as a pool does. */
  async take(raw: Hex): Promise<unknown> {
    const hash = keccak256(raw)
    const serialized = raw as TransactionSerialized
    const { nonce = 0, to, maxFeePerGas, gasPrice } = parseTransaction(serialized)
    const from = (
      await recoverTransactionAddress({ serializedTransaction: serialized })
    ).toLowerCase() as Hex
    const offered = maxFeePerGas ?? gasPrice ?? 0n
    const one = { hash, raw, from, nonce, to: (to ?? '0x') as Hex, maxFeePerGas: offered }
    const key = `${from} ${nonce}`
    if (this.pool.get(key)?.hash === hash) return new FakeRefusal(-32000, 'already known')
    if (nonce < this.nonce(from)) {
      return new FakeRefusal(
        -32000,
        `nonce too low: next nonce ${this.nonce(from)}, tx nonce ${nonce}`,
      )
    }
    const before = this.pool.get(key)
    if (before !== undefined && offered * 10n < before.maxFeePerGas * 11n) {
      return new FakeRefusal(-32000, 'replacement transaction underpriced')
    }
    this.pool.set(key, one)
    this.taken.push(one)
    if (this.mines) this.mine()
    return hash
  }
}

function blockHash(number: number, branch: number): Hex {
  return `0x${branch.toString(16).padStart(32, '0')}${number.toString(16).padStart(32, '0')}`
}
