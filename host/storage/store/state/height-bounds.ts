import { LockstepError } from '../../../base/error.ts'

/** The heights that a store serves. */
export interface VersionBounds {
  readonly earliest: number
  readonly latest: number
  /** @throws STATE_PRUNED, NOT_FOUND unless `height` is between the two. */
  check(height: number): void
}

/** @throws STATE_PRUNED, NOT_FOUND unless `height` is between the two. */
export function checkHeight(height: number, earliest: number, latest: number): void {
  const bounds = { requested: height, earliest, latest }
  if (height > latest) {
    throw new LockstepError(
      'NOT_FOUND',
      `requested height ${height} is not yet available; safe latest is ${latest}`,
      { data: bounds },
    )
  }
  if (height < earliest) {
    throw new LockstepError(
      'STATE_PRUNED',
      `requested height ${height} has been pruned; earliest available is ${earliest}`,
      { data: bounds },
    )
  }
}
