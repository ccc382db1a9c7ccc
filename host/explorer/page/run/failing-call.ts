import type { CallNode } from '../../browser/step/stepper.ts'
import { failurePaths } from '../decode/words/failure-path.ts'

/** Returns the innermost call that caused the transaction's failure; undefined if it succeeded. */
export function failingCall(calls: readonly CallNode[]): CallNode | undefined {
  return failurePaths(calls).find(({ caughtBy }) => caughtBy === undefined)?.failed[0]
}
