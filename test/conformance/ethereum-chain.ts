import { bytesKey } from '../../host/base/bytes.ts'
import {
  decodeEthereumBlock,
  type EthereumBlock,
} from '../../host/evm/chain-types/ethereum-block.ts'
import { encodeRlpHeader } from '../../host/evm/chain-types/ethereum-header.ts'
import type { ProcessorContext } from '../../host/evm/execute/ethereum/block-processor.ts'
import { type EthereumNetwork, rulesAt } from '../../host/evm/execute/ethereum/forks.ts'
import { invalidBlock } from '../../host/evm/execute/ethereum/header-rules.ts'
import type { Ancestor } from '../../host/evm/execute/ethereum/ommers.ts'
import { OMMER_GENERATIONS, verifyBlock } from '../../host/evm/execute/ethereum/verify-block.ts'
import { BLOCK_HASH_COUNT } from '../../host/evm/state/view.ts'
import type { MerkleState } from '../support/chain/merkle-state.ts'

/** A block of the tree, with its post-state. */
interface Link extends Ancestor {
  readonly parent: Link | undefined
  readonly state: MerkleState
}

/**
 * A tree of Ethereum blocks under Ethereum's rules. Each block is checked against its parent, executed, and compared
 * with its header. Every block keeps its state, so a branch can start anywhere.
 */
export class EthereumChain {
  readonly #context: ProcessorContext
  readonly #links = new Map<string, Link>()
  #head: Link

  /** @param genesis block 0, with an empty body. `state` must have its state root. */
  constructor(
    context: Omit<ProcessorContext, 'network'>,
    network: EthereumNetwork,
    genesis: EthereumBlock,
    state: MerkleState,
  ) {
    this.#context = { ...context, network }
    this.#head = this.#link(genesis, undefined, state)
  }

  /** Hash of the head: the last block of the heaviest branch, or the last imported one if no block has work. */
  get head(): Uint8Array {
    return this.#head.hash
  }

  /** State after the head. */
  get state(): MerkleState {
    return this.#head.state
  }

  /**
   * Imports one RLP-encoded block.
   * @throws BLOCK_INVALID, INVALID_RLP or TRANSACTION_REJECTED if it breaks a rule.
   */
  importBlock(raw: Uint8Array): void {
    const block = decodeEthereumBlock(raw)
    const { header } = block
    const parent = this.#links.get(bytesKey(header.parentHash))
    if (parent === undefined) throw invalidBlock('the parent block is unknown')
    const state = parent.state.fork((number) => hashOf(parent, BigInt(number)))
    verifyBlock(this.#context, block, [...ancestorsOf(parent, OMMER_GENERATIONS)], state)
    const link = this.#link(block, parent, state)
    const isHeavier = link.totalDifficulty > this.#head.totalDifficulty
    if (isHeavier || header.difficulty === 0n) this.#head = link
  }

  #link(block: EthereumBlock, parent: Link | undefined, state: MerkleState): Link {
    const { header, ommers } = block
    const parentTotalDifficulty = parent?.totalDifficulty ?? 0n
    const link: Link = {
      header,
      ommers,
      parent,
      state,
      rules: rulesAt(this.#context.network, { ...header, parentTotalDifficulty }),
      hash: this.#context.hasher.keccak256(encodeRlpHeader(header)),
      totalDifficulty: parentTotalDifficulty + header.difficulty,
    }
    this.#links.set(bytesKey(link.hash), link)
    return link
  }
}

function* ancestorsOf(link: Link, count: number): Generator<Link> {
  let at: Link | undefined = link
  for (let i = 0; i < count && at !== undefined; i++, at = at.parent) yield at
}

function hashOf(parent: Link, number: bigint): Uint8Array | undefined {
  for (const link of ancestorsOf(parent, BLOCK_HASH_COUNT)) {
    if (link.header.number === number) return link.hash
  }
  return undefined
}
