import type { EthereumBlock } from '../../chain-types/ethereum-block.ts'
import type { StateFork } from '../../state/state-fork.ts'
import { type ProcessedBlock, type ProcessorContext, processBlock } from './block-processor.ts'
import { type BlockPosition, rulesAt } from './forks.ts'
import { checkHeader, invalidBlock } from './header-rules.ts'
import { type Ancestor, checkOmmers } from './ommers.ts'

/** Generations among which a block's ommers are looked for. */
export const OMMER_GENERATIONS = 7

/**
 * Checks a block against its ancestors, executes it on `state`, its parent's, and compares what came of it
 * with its header. Leaves the block's state there.
 * @param ancestors the parent and its own, OMMER_GENERATIONS of them where there are as many.
 * @throws BLOCK_INVALID, INVALID_RLP or TRANSACTION_REJECTED where it breaks a rule.
 */
export function verifyBlock(
  context: ProcessorContext,
  block: EthereumBlock,
  ancestors: readonly Ancestor[],
  state: StateFork,
): ProcessedBlock {
  const { header, ommers } = block
  const [parent] = ancestors
  if (parent === undefined) throw invalidBlock('the parent is not known')
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
