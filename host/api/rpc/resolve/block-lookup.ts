import { LockstepError } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import type { StateView } from '../../../evm/state/view.ts'
import type { BlockArgument } from '../argument/block-argument.ts'
import type { ReadContext } from '../call/context.ts'

/** A height below what is kept. The earliest one served stands in the data. */
export function pruned(requested: number, earliest: number, latest: number): LockstepError {
  return new LockstepError(
    'STATE_PRUNED',
    `requested height ${requested} has been pruned; earliest available is ${earliest}`,
    { data: { requested, earliest, latest } },
  )
}

/**
 * Height of an existing block; undefined when there is no such block, for the methods that then answer
 * null.
 * @throws STATE_PRUNED when the block existed but is no longer kept.
 */
export function findHeight(context: ReadContext, block: BlockArgument): number | undefined {
  const { chain } = context
  switch (block.kind) {
    case 'latest':
    case 'pending':
      return chain.latest
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
 * Height of an existing block, for the methods that need it; `unknown` makes geth's text for a missing block.
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

/** geth's text where a state is asked for. */
function headerNotFound({ kind }: BlockArgument): string {
  return kind === 'hash' ? 'header for hash not found' : 'header not found'
}

/** geth's text where a block is asked for. */
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

/** Height of a block whose state is kept. @throws NOT_FOUND, STATE_PRUNED */
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
 * Reads the state that a block names: at once, but for the pending one, which has to run first. Throws as
 * `stateAt`.
 */
export function readState<Result>(
  context: ReadContext,
  block: BlockArgument,
  read: (view: StateView) => Result,
): Result | Promise<Result> {
  if (block.kind !== 'pending') return read(stateAt(context, block))
  return context.pendingBlocks.latest().then(({ view }) => read(view))
}

/** State after a block. @throws NOT_FOUND, STATE_PRUNED */
export function stateAt(context: ReadContext, block: BlockArgument): StateView {
  return context.state.view(requireStateHeight(context, block))
}
