import { bytesKey } from '../../../base/bytes.ts'
import { decodeBlock, type EthereumBlock } from '../../chain-types/ethereum-block.ts'
import { encodeHeader } from '../../chain-types/ethereum-header.ts'
import type { StateFork } from '../../state/state-fork.ts'
import { BLOCK_HASHES } from '../../state/view.ts'
import type { ProcessorContext } from './block-processor.ts'
import { type Network, rulesAt } from './forks.ts'
import { invalidBlock } from './header-rules.ts'
import type { Ancestor } from './ommers.ts'
import { OMMER_GENERATIONS, verifyBlock } from './verify-block.ts'

/** A state in memory that branches of a chain can be grown from. */
export interface ReplayState extends StateFork {
  /** A copy of the state, to be changed apart from this one. */
  fork(blockHash: (number: number) => Uint8Array | undefined): ReplayState
}

/** A block of the tree, and the state after it. */
interface Link extends Ancestor {
  readonly parent: Link | undefined
  readonly state: ReplayState
}

/**
 * Ethereum's blocks under Ethereum's own rules: each is checked against its parent, executed on its
 * state and compared with its header. Holds every block with its state, so that branches can grow
 * anywhere.
 */
export class EthereumChain {
  readonly #context: ProcessorContext
  readonly #links = new Map<string, Link>()
  #head: Link

  /** @param genesis its body is empty, and `state` is what its state root stands for. */
  constructor(
    context: Omit<ProcessorContext, 'network'>,
    network: Network,
    genesis: EthereumBlock,
    state: ReplayState,
  ) {
    this.#context = { ...context, network }
    this.#head = this.#link(genesis, undefined, state)
  }

  /** Hash of the last block of the heaviest branch; of those without work, the last that came. */
  get head(): Uint8Array {
    return this.#head.hash
  }

  /** The state after the head. */
  get state(): ReplayState {
    return this.#head.state
  }

  /**
   * Takes in one block in RLP.
   * @throws BLOCK_INVALID, INVALID_RLP or TRANSACTION_REJECTED where it breaks a rule.
   */
  importBlock(raw: Uint8Array): void {
    const block = decodeBlock(raw)
    const { header } = block
    const parent = this.#links.get(bytesKey(header.parentHash))
    if (parent === undefined) throw invalidBlock('the parent is not known')
    const state = parent.state.fork((number) => hashOf(parent, BigInt(number)))
    verifyBlock(this.#context, block, [...ancestorsOf(parent, OMMER_GENERATIONS)], state)
    const link = this.#link(block, parent, state)
    const isHeavier = link.totalDifficulty > this.#head.totalDifficulty
    if (isHeavier || header.difficulty === 0n) this.#head = link
  }

  #link(block: EthereumBlock, parent: Link | undefined, state: ReplayState): Link {
    const { header, ommers } = block
    const parentTotalDifficulty = parent?.totalDifficulty ?? 0n
    const link: Link = {
      header,
      ommers,
      parent,
      state,
      rules: rulesAt(this.#context.network, { ...header, parentTotalDifficulty }),
      hash: this.#context.hasher.keccak256(encodeHeader(header)),
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
  for (const link of ancestorsOf(parent, BLOCK_HASHES)) {
    if (link.header.number === number) return link.hash
  }
  return undefined
}
