import type { EthereumBlock } from '../../chain-types/ethereum-block.ts'
import type { StateFork } from '../../state/state-fork.ts'
import { type ProcessedBlock, type ProcessorContext, processBlock } from './block-processor.ts'
import { type BlockPosition, rulesAt } from './forks.ts'
import { checkHeader, invalidBlock } from './header-rules.ts'
import { type Ancestor, checkOmmers } from './ommers.ts'

/** Generations of ancestors that may have a block's ommers as children. */
export const OMMER_GENERATIONS = 7

/**
 * Checks a block against its ancestors, executes it, and compares the results with its header. `state` is the
 * parent's and becomes the block's.
 * @param ancestors the parent first, then its ancestors: OMMER_GENERATIONS in all, or as many as exist
 * @throws BLOCK_INVALID, INVALID_RLP or TRANSACTION_REJECTED if the block breaks a rule.
 */
export function verifyBlock(
  context: ProcessorContext,
  block: EthereumBlock,
  ancestors: readonly Ancestor[],
  state: StateFork,
): ProcessedBlock {
  const { header, ommers } = block
  const [parent] = ancestors
  if (parent === undefined) throw invalidBlock('the parent block is unknown')
  const rulesOf = (position: BlockPosition) => rulesAt(context.network, position)
  const rules = rulesOf({ ...header, parentTotalDifficulty: parent.totalDifficulty })
  checkHeader(header, parent, rules)
  checkOmmers(ommers, {
    keccak256: (bytes) => context.hasher.keccak256(bytes),
    ancestors,
    rulesAt: rulesOf,
  })
  return processBlock(context, state, block, rules)
}
