import { shownRun } from '../state/debug/what-if-run.ts'
import type { OpenedRun } from '../state/opened-run.ts'
import { DebugPanes } from './pane/debug-panes.tsx'
import { Announcer } from './toolbar/announcer.tsx'
import { DebugToolbar } from './toolbar/debug-toolbar.tsx'
import { WorkNotice } from './toolbar/work-notice.tsx'
import { SideSwitch } from './what-if/side-switch.tsx'
import { WhatIfPanel } from './what-if/what-if-panel.tsx'

/** The debugger of a run. */
export function DebugView({ run }: { readonly run: OpenedRun }) {
  const { whatIf } = run
  const shown = shownRun(run)
  const { debug } = shown
  const summary = shown.summary.value
  if (summary === undefined) return <p role="status">Running the transaction…</p>
  if (summary.steps === 0) {
    return (
      <section class="debugger" aria-label="Debugger">
        {whatIf !== undefined && <SideSwitch run={run} whatIf={whatIf} />}
        <p>The transaction runs no code: there is nothing to step through.</p>
        {whatIf !== undefined && <WhatIfPanel run={run} whatIf={whatIf} />}
      </section>
    )
  }
  return (
    <section
      class="debugger"
      aria-label="Debugger"
      data-side={shown === run ? 'original' : 'edited'}
    >
      {whatIf !== undefined && <SideSwitch run={run} whatIf={whatIf} />}
      <DebugToolbar debug={debug} />
      <p class="debug-answer" role="status" aria-label="Search result">
        {debug.answer}
      </p>
      <WorkNotice debug={debug} />
      <Announcer debug={debug} />
      <DebugPanes key={shown === run ? 'original' : 'edited'} debug={debug} />
      {whatIf !== undefined && <WhatIfPanel run={run} whatIf={whatIf} />}
    </section>
  )
}
