import type { StateDiff } from '../engine/state-diff.ts'

/** Changes of the state after a block that no transaction has made: reads of that height see them. */
export interface Amendments {
  /** Those of a height, in their order; each applies to the state that those before it have left. */
  diffs(height: number): readonly StateDiff[]
}
