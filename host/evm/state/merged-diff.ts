import { EMPTY_BYTES } from '../../base/bytes.ts'
import type { StateDiff } from '../engine/state-diff.ts'
import { OverlayState } from './overlay-state.ts'
import type { StateView } from './view.ts'

const NOTHING: StateView = {
  account: () => undefined,
  storage: () => undefined,
  code: () => EMPTY_BYTES,
  blockHash: () => undefined,
}

/** Merges consecutive diffs into one. What an earlier one wrote and a later one cleared is absent. */
export function mergeDiffs(diffs: readonly StateDiff[]): StateDiff {
  const state = new OverlayState(NOTHING)
  for (const diff of diffs) state.apply(diff)
  return state.diff()
}
