import { LockstepError } from '../../../base/error.ts'
import type { ConsensusRpcContext } from './context.ts'

const DEFAULT_PER_PAGE = 30
const MAX_PER_PAGE = 100
const MAX_BLOCK_METAS = 20

function refuse(text: string): never {
  throw new LockstepError('INVALID_REQUEST', text)
}

/**
 * Returns a height between the base and `latest`, which is also the default.
 * @throws INVALID_REQUEST with the messages that clients parse.
 */
export function resolveHeight(
  { blockStore }: ConsensusRpcContext,
  height: number | undefined,
  latest: number,
): number {
  if (height === undefined) return latest
  if (height <= 0) refuse(`height must be greater than zero (requested height: ${height})`)
  if (height > latest) {
    refuse(
      "height must be less than or equal to the head of the node's blockchain " +
        `(requested height: ${height}, blockchain height: ${latest})`,
    )
  }
  const { base } = blockStore
  if (height < base) {
    refuse(`height is not available (requested height: ${height}, base height: ${base})`)
  }
  return height
}

/** Returns the items per page: 1 to 100, and 30 if unset or below 1. */
export function pageSize(perPage = DEFAULT_PER_PAGE): number {
  return perPage < 1 ? DEFAULT_PER_PAGE : Math.min(perPage, MAX_PER_PAGE)
}

/** Returns the indices [start, end) of a page of `total` items. Pages count from 1. */
export function resolvePage(
  page = 1,
  perPage: number | undefined,
  total: number,
): readonly [start: number, end: number] {
  const size = pageSize(perPage)
  const pages = Math.max(1, Math.ceil(total / size))
  if (page < 1 || page > pages) {
    refuse(`page should be within [1, ${pages}] range, given ${page}`)
  }
  return [(page - 1) * size, Math.min(page * size, total)]
}

/** Returns the existing heights in low..high, at most the highest 20. 0 or undefined means no bound. */
export function resolveRange(
  { blockStore, engine }: ConsensusRpcContext,
  min = 0,
  max = 0,
): readonly [low: number, high: number] {
  if (min < 0 || max < 0) refuse('heights must be non-negative')
  const high = Math.min(max === 0 ? engine.height : max, engine.height)
  const low = Math.max(min, blockStore.base, high - MAX_BLOCK_METAS + 1)
  if (min > high) refuse(`min height ${min} can't be greater than max height ${high}`)
  return [low, high]
}
