import { LockstepError } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import type { StateView } from '../../../evm/state/view.ts'
import type { BlockArgument } from '../argument/block-argument.ts'
import type { ReadContext } from '../call/context.ts'

/** Returns the error for a pruned height. Its data contains the earliest available height. */
export function pruned(requested: number, earliest: number, latest: number): LockstepError {
  return new LockstepError(
    'STATE_PRUNED',
    `requested height ${requested} has been pruned; earliest available is ${earliest}`,
    { data: { requested, earliest, latest } },
  )
}

/** Returns the height that many epochs before the latest block. Only a development chain has epochs of some length. */
export function heightBefore(
  { chain, dev, forked }: Pick<ReadContext, 'chain' | 'dev' | 'forked'>,
  epochs: number,
): number {
  const first = forked === undefined ? chain.earliest : 0
  return Math.max(chain.latest - epochs * (dev?.slotsInAnEpoch ?? 0), first)
}

/**
 * Returns the height of an existing block, or undefined if there is none, for methods that then answer null.
 * @throws STATE_PRUNED if the block existed but has been pruned.
 */
export function findHeight(context: ReadContext, block: BlockArgument): number | undefined {
  const { chain } = context
  switch (block.kind) {
    case 'latest':
    case 'pending':
      return chain.latest
    case 'safe':
      return heightBefore(context, 1)
    case 'finalized':
      return heightBefore(context, 2)
    case 'earliest':
      return chain.earliest
    case 'hash':
      return chain.heightOf(block.hash)
    case 'height':
      if (block.height > chain.latest) return undefined
      if (block.height < chain.earliest) {
        throw pruned(block.height, chain.earliest, chain.latest)
      }
      return block.height
  }
}

/**
 * Returns the height of an existing block; `unknown` creates geth's message for a missing block.
 * @throws NOT_FOUND, STATE_PRUNED
 */
export function requireHeight(
  context: ReadContext,
  block: BlockArgument,
  unknown: (block: BlockArgument) => string,
): number {
  const height = findHeight(context, block)
  if (height !== undefined) return height
  const { latest } = context.chain
  throw new LockstepError('NOT_FOUND', unknown(block), { data: { latest } })
}

/** geth's message if a state is requested. */
function headerNotFound({ kind }: BlockArgument): string {
  return kind === 'hash' ? 'header for hash not found' : 'header not found'
}

/** Returns geth's message if a block is requested. */
export function blockNotFound(block: BlockArgument): string {
  switch (block.kind) {
    case 'hash':
      return `block ${formatData(block.hash)} not found`
    case 'height':
      return `block #${block.asked} not found`
    default:
      return `${block.kind} block not found`
  }
}

/** @throws UNSUPPORTED for the pending block, with what it does not have */
export function requireFinished({ kind }: BlockArgument, lacks: string): void {
  if (kind !== 'pending') return
  const text = `${lacks} of the pending block, which is not in the chain yet: ask for latest`
  throw new LockstepError('UNSUPPORTED', text)
}

/** Returns the height of a block whose state is available. @throws NOT_FOUND, STATE_PRUNED */
export function requireStateHeight(
  context: ReadContext,
  block: BlockArgument,
  unknown = headerNotFound,
): number {
  const height = requireHeight(context, block, unknown)
  const { earliest, firstWithEvm, latest } = context.state
  if (height < earliest) throw pruned(height, firstWithEvm, latest)
  return height
}

/**
 * Reads the state of a block: synchronously, except that the pending block must first be executed. Throws as
 * `stateAt`.
 */
export function readBlockState<Result>(
  context: ReadContext,
  block: BlockArgument,
  read: (view: StateView) => Result,
): Result | Promise<Result> {
  if (block.kind !== 'pending') return read(stateAt(context, block))
  return context.pendingBlocks.latest().then(({ view }) => read(view))
}

/** Returns the state after a block. @throws NOT_FOUND, STATE_PRUNED */
export function stateAt(context: ReadContext, block: BlockArgument): StateView {
  return context.state.view(requireStateHeight(context, block))
}
