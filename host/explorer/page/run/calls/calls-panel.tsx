import type { OpenedRun } from '../../state/opened-run.ts'
import { CallDetails } from './call-details.tsx'
import { CallTree } from './call-tree.tsx'

/** The call tree, and the selected call. */
export function CallsPanel({ run }: { readonly run: OpenedRun }) {
  const call = run.call.value
  return (
    <div class="calls-panel">
      <CallTree run={run} />
      {call !== undefined && <CallDetails key={call.index} run={run} call={call} />}
    </div>
  )
}
