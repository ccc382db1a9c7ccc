import { encodeBundle } from '../bundle/bundle.ts'
import { recordPlan } from '../bundle/record-plan.ts'
import { planRunOf, type TraceContext } from './trace-context.ts'
import type { AccessRequest, TraceJob } from './trace-job.ts'
import { traceCallBundles, traceCalls, writeCallTrace } from './traced-call.ts'
import { traceLines } from './traced-lines.ts'
import { traceList, traceReplays } from './traced-list.ts'
import { profileLast, traceLast, writeBlockTrace } from './traced-plan.ts'

/**
 * Runs a job and writes its result.
 * @throws errors of the tracer and the state; REQUEST_TIMEOUT or the abort reason; ENGINE_FAULT; TRACE_DIFFERS if a
 * transaction differs from its receipt; TRANSACTION_REJECTED if the protocol rejects a call.
 */
export function runTraceJob(job: TraceJob, context: TraceContext): Promise<void> {
  const { target } = job
  switch (target.kind) {
    case 'transaction':
      return target.profile === undefined
        ? traceLast(job, context)
        : profileLast(job, context, target.profile)
    case 'block':
      return writeBlockTrace(job, context)
    case 'replays':
      return traceReplays(job, context)
    case 'list':
      return traceList(job, context, target.list)
    case 'calls':
      return traceCalls(job, context, target.calls)
    case 'bundles':
      return traceCallBundles(job, context, target)
    case 'lines':
      return traceLines(job, context, target.from)
    case 'call':
      return writeCallTrace(job, context, target.call)
    case 'stateAccess':
      return writeAccess(job, context, target.access)
  }
}

async function writeAccess(
  job: TraceJob,
  context: TraceContext,
  access: AccessRequest,
): Promise<void> {
  const { scope, engineHash, receipts, chain } = access
  const { engine, view, onReplayed, writer } = context
  const recorded = await recordPlan({ ...planRunOf(job, context), engine, view, onReplayed }, scope)
  const { transactions } = recorded.plan
  const outcomes = receipts
    .slice(-transactions.length)
    .map((receipt) => ({ receipt, digests: undefined }))
  writer.value(encodeBundle({ engineHash, scope, ...recorded, outcomes }, chain))
}
