import type { OpenedRun } from '../opened-run.ts'
import { CallDetails } from './call-details.tsx'
import { CallTree } from './call-tree.tsx'

/** The tree of calls, and the call that is selected in it. */
export function CallsPanel({ run }: { readonly run: OpenedRun }) {
  const call = run.call.value
  return (
    <div class="calls-panel">
      <CallTree run={run} />
      {call !== undefined && <CallDetails key={call.index} run={run} call={call} />}
    </div>
  )
}
