import type { CallNode } from '../../browser/stepper.ts'

/** Logs that the words of a transaction are made from: decoding a thousand would hold up the page. */
const MOST = 200

/** The calls with their first logs alone, where there are more than a page reads at once. */
export function withFewLogs(calls: readonly CallNode[]): readonly CallNode[] {
  let left = MOST - calls.reduce((sum, { logs }) => sum + logs.length, 0)
  if (left >= 0) return calls
  left = MOST
  return calls.map((call) => {
    const logs = call.logs.slice(0, left)
    left -= logs.length
    return logs.length === call.logs.length ? call : { ...call, logs }
  })
}
