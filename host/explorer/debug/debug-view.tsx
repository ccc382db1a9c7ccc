import type { OpenedRun } from '../run/opened-run.ts'
import { DebugPanes } from './pane/debug-panes.tsx'
import { Announcer } from './toolbar/announcer.tsx'
import { DebugToolbar } from './toolbar/debug-toolbar.tsx'
import { WorkNotice } from './toolbar/work-notice.tsx'

/** The debugger of a run. */
export function DebugView({ run }: { readonly run: OpenedRun }) {
  const { debug } = run
  const summary = run.summary.value
  if (summary === undefined) return <p role="status">Running the transaction…</p>
  if (summary.steps === 0) {
    return <p>The transaction runs no code: there is nothing to step through.</p>
  }
  return (
    <section class="debugger" aria-label="Debugger">
      <DebugToolbar debug={debug} />
      <p class="debug-answer" role="status" aria-label="Answer">
        {debug.answer}
      </p>
      <WorkNotice debug={debug} />
      <Announcer debug={debug} />
      <DebugPanes debug={debug} />
    </section>
  )
}
