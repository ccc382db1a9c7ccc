import type { StateDiff } from '../engine/state-diff.ts'

/** State changes after a block that no transaction made. Reads at that height see them. */
export interface Amendments {
  /** Returns the changes at a height, in order; each applies on top of those before. */
  diffs(height: number): readonly StateDiff[]
}
