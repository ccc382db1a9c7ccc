import type { CallNode, LogNode } from '../../../browser/step/stepper.ts'

/** A log, and the call that emitted it. */
export interface EmittedLog {
  readonly log: LogNode
  readonly call: CallNode
}

/** Returns the logs in order of emission, including reverted ones. */
export function logsOf(calls: readonly CallNode[]): readonly EmittedLog[] {
  const logs = calls.flatMap((call) => call.logs.map((log) => ({ log, call })))
  return logs.sort((a, b) => (a.log.step ?? a.call.firstStep) - (b.log.step ?? b.call.firstStep))
}
