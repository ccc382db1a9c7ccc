import { replayFirst, runPlanned } from '../../execute/replay/plan-run.ts'
import { LineLogger, readLineOptions } from '../tracers/line-logger.ts'
import { planRunOf, type TraceContext } from './trace-context.ts'
import type { TraceJob } from './trace-job.ts'

/** Follows the lines of each transaction and cannot occur in JSON (RFC 7464's record separator). */
export const RECORD_END = 0x1e

/** Writes the steps of the plan's transactions, starting with `from`, as JSON lines. */
export async function traceLines(
  job: TraceJob,
  context: TraceContext,
  from: number,
): Promise<void> {
  const { writer } = context
  const run = planRunOf(job, context)
  await replayFirst(run, from)
  context.onReplayed()
  const options = readLineOptions(job.config)
  for (let index = from; index < run.plan.transactions.length; index++) {
    const logger = new LineLogger(options, job.limits.structLogBytes, (bytes) => writer.part(bytes))
    await runPlanned(run, index, logger.sink)
    writer.part(Uint8Array.of(RECORD_END))
    await context.pause()
  }
}
