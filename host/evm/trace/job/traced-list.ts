import type { Executed } from '../../engine/outcome.ts'
import { type PlanRun, replayFirst, runPlanned } from '../../execute/replay/plan-run.ts'
import { PagedList } from '../joined-list.ts'
import { matchesFilter, type RewardTrace, readAddressFilter } from '../tracers/parity-trace.ts'
import { MessageTracer } from './message-tracer.ts'
import { planRunOf, type TraceContext } from './trace-context.ts'
import type { ListTarget, TraceJob } from './trace-job.ts'
import { watchedAt } from './traced-plan.ts'

/** Executes transaction `index` of the plan under the tracer, which writes its result. */
async function runWatched(
  tracer: MessageTracer,
  { view }: TraceContext,
  run: PlanRun,
  index: number,
  firstLogIndex: number,
): Promise<Executed> {
  let executed: Executed | undefined
  await tracer.watch(watchedAt(run, index, firstLogIndex, view), async (opened) => {
    executed = await runPlanned(run, index, opened.sink)
    opened.finish(executed)
  })
  return executed as Executed
}

/** Writes an array of the tracer's results, one per transaction. A tracer that fails ends the trace. */
export async function traceReplays(job: TraceJob, context: TraceContext): Promise<void> {
  const { writer } = context
  const run = planRunOf(job, context)
  const tracer = new MessageTracer(job, context)
  let logs = await replayFirst(run, 0)
  context.onReplayed()
  writer.beginArray()
  for (const index of run.plan.transactions.keys()) {
    logs += (await runWatched(tracer, context, run, index, logs)).logs.length
    await context.pause()
  }
  writer.end()
}

/** Writes the tracer's items from the watched transactions, then the tail, as one list. */
export async function traceList(
  job: TraceJob,
  context: TraceContext,
  { watched, tail, part }: ListTarget,
): Promise<void> {
  const { writer } = context
  const run = planRunOf(job, context)
  const list = new PagedList(part?.after ?? 0, part?.count ?? Number.POSITIVE_INFINITY)
  const tracer = new MessageTracer(job, context, list)
  const isWatched = new Set(watched ?? run.plan.transactions.keys())
  let logs = await replayFirst(run, 0)
  context.onReplayed()
  if (part !== undefined) {
    writer.beginObject()
    writer.name('traces')
  }
  writer.beginArray()
  for (const index of run.plan.transactions.keys()) {
    if (list.isFull) break
    const { logs: emitted } = isWatched.has(index)
      ? await runWatched(tracer, context, run, index, logs)
      : await runPlanned(run, index)
    logs += emitted.length
    await context.pause()
  }
  writeTail(job, context, tail, list)
  writer.end()
  if (part === undefined) return
  writer.member('found', list.found)
  writer.end()
}

function writeTail(
  { config }: TraceJob,
  { writer }: TraceContext,
  tail: readonly RewardTrace[],
  list: PagedList,
): void {
  const filter = readAddressFilter(config.filter)
  for (const item of tail) {
    if (filter !== undefined && !matchesFilter(filter, item)) continue
    if (list.takes()) writer.value(item)
  }
}
