import { concatBytes, equalBytes } from '../../../../../host/base/bytes.ts'
import { hexDigits } from '../../../../../host/base/hex.ts'
import { TransactionGossip } from '../../../../../host/chain/consensus/gossip/transaction-gossip.ts'
import { Mempool } from '../../../../../host/chain/consensus/mempool/mempool.ts'
import type { PoolLimits } from '../../../../../host/chain/consensus/mempool/pool-options.ts'
import { nobleRecovery } from '../../../../../host/evm/chain-types/noble-recovery.ts'
import type { Transaction } from '../../../../../host/evm/chain-types/transaction.ts'
import { EMPTY_CODE_HASH, encodeAccount } from '../../../../../host/evm/state/account.ts'
import { senderInR } from '../../../../support/engine/unsigned-sender.ts'
import { drain, POOL_LIMITS, POOL_RULES } from '../../../../support/node/test-pool.ts'
import { CometPool } from './comet-pool.ts'

const BALANCE = 10n ** 18n
const BASE_FEE = 10n

/** Accounts and blocks of a chain that all nodes of a test agree on. */
export class AgreedChain {
  height = 0
  readonly nonces = new Map<string, bigint>()

  account(who: Uint8Array): Uint8Array {
    const nonce = this.nonces.get(hexDigits(who)) ?? 0n
    return encodeAccount({ nonce, balance: BALANCE, codeHash: EMPTY_CODE_HASH })
  }
}

export interface GossipNodeOptions {
  readonly limits?: Partial<PoolLimits>
  readonly cometSize?: number
  readonly gasLimit?: bigint
}

/** A pool next to CometBFT's pool. */
export class GossipNode {
  readonly pool: Mempool
  readonly comet: CometPool
  readonly gossip: TransactionGossip
  readonly refused: string[] = []
  readonly unsent: string[] = []
  readonly #chain: AgreedChain
  readonly #gasLimit: bigint

  constructor(chain: AgreedChain, { limits, cometSize, gasLimit }: GossipNodeOptions = {}) {
    this.#chain = chain
    this.#gasLimit = gasLimit ?? POOL_RULES.maxGas
    this.pool = new Mempool({
      rules: POOL_RULES,
      limits: { ...POOL_LIMITS, ...limits },
      recovery: senderInR,
      journal: undefined,
      clock: () => 0,
    })
    this.pool.advance(this.#head(), new Uint8Array())
    this.comet = new CometPool(cometSize)
    this.gossip = new TransactionGossip({
      pool: this.pool,
      keccak256: nobleRecovery.keccak256,
      broadcast: this.comet.broadcast,
      height: chain.height,
      onRefused: (hash, reason) => this.refused.push(`${hash}: ${reason}`),
      onUnsent: (_, reason) => this.unsent.push(reason),
    })
    this.comet.gate = this.gossip
  }

  /** Returns the transactions of the block that it would propose. */
  propose(): Transaction[] {
    return drain(this.pool, BASE_FEE).slice(0, Number(this.#gasLimit / 21_000n))
  }

  /** Applies the block of the chain's height, first to the pool and then to CometBFT, which rechecks. */
  async follow(block: readonly Transaction[]): Promise<void> {
    await this.comet.settle()
    const senders = block.map(({ from }) => from)
    const rows = concatBytes(
      senders
        .filter((who, i) => senders.findIndex((other) => equalBytes(who, other)) === i)
        .map((who) => concatBytes([who, this.#chain.account(who)])),
    )
    this.pool.advance(this.#head(), rows)
    this.gossip.onBlock({
      number: this.#chain.height,
      gasLimit: this.#gasLimit,
      gasUsed: 21_000n * BigInt(block.length),
      baseFeePerGas: BASE_FEE,
    })
    await this.comet.update(block.map(({ raw }) => raw))
  }

  #head() {
    const { height } = this.#chain
    return {
      height,
      baseFee: BASE_FEE,
      view: { account: (who: Uint8Array) => this.#chain.account(who) },
    }
  }
}

/** Connects each node with every other node. */
export function connectAll(nodes: readonly GossipNode[]): void {
  for (const one of nodes) {
    for (const other of nodes) if (one !== other) one.comet.peers.push(other.comet)
  }
}

/** Number of idle event loop turns after which nothing is in flight. A request and its answer take two. */
const QUIET_TURNS = 4

/** Resolves when no transaction is in flight between the nodes, except those that wait for a retry pause. */
export async function settleAll(nodes: readonly GossipNode[]): Promise<void> {
  const stand = () => nodes.map(({ gossip }) => gossip.waiting).join()
  let before = ''
  for (let quiet = 0; quiet < QUIET_TURNS; quiet++) {
    await new Promise((resolve) => setImmediate(resolve))
    if (nodes.some(({ comet }) => comet.isBusy) || stand() !== before) quiet = 0
    await Promise.all(nodes.map(({ comet }) => comet.settle()))
    before = stand()
  }
}

/** Makes a block of `proposer` and applies it on all nodes. */
export async function makeBlock(
  chain: AgreedChain,
  proposer: GossipNode,
  nodes: readonly GossipNode[],
): Promise<Transaction[]> {
  const block = proposer.propose()
  chain.height++
  for (const { from, nonce } of block) chain.nonces.set(hexDigits(from), nonce + 1n)
  for (const node of nodes) await node.follow(block)
  return block
}
