import type { CallNode } from '../../browser/stepper.ts'
import { failurePaths } from '../decode/words/failure-path.ts'

/** The innermost call that the transaction's failure comes from; undefined where it succeeded. */
export function failingCall(calls: readonly CallNode[]): CallNode | undefined {
  return failurePaths(calls).find(({ caughtBy }) => caughtBy === undefined)?.failed[0]
}
