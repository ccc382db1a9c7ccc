import { DebugView } from '../debug/debug-view.tsx'
import { ErrorNotice } from '../frame/error-notice.tsx'
import { Tabs } from '../frame/tabs.tsx'
import type { OpenedRun } from '../state/opened-run.ts'
import { TABS, type Tab } from '../view/parameters.ts'
import { CallsPanel } from './calls/calls-panel.tsx'
import { ChangesPanel } from './changes/changes-panel.tsx'
import { GasPanel } from './gas/gas-panel.tsx'
import { LogsPanel } from './logs/logs-panel.tsx'
import { RunHeader } from './run-header.tsx'
import { SummaryPanel } from './summary/summary-panel.tsx'

const PANELS: Readonly<
  Record<Tab, (props: { readonly run: OpenedRun }) => preact.JSX.Element | null>
> = {
  summary: SummaryPanel,
  calls: CallsPanel,
  logs: LogsPanel,
  changes: ChangesPanel,
  gas: GasPanel,
  debug: DebugView,
}

/** An open transaction: its headline and a tab. */
export function RunView({ run }: { readonly run: OpenedRun }) {
  const { tab } = run.location.view.value
  const summary = run.summary.value
  const error = run.error.value
  const Panel = PANELS[tab]
  const names = tabNames(run)
  return (
    <>
      <RunHeader run={run} />
      {error !== undefined && <ErrorNotice error={error} />}
      <Tabs
        label="Parts of the transaction"
        tabs={TABS.map((key) => ({ key, name: names[key] }))}
        selected={tab}
        onSelect={(key) => run.location.set({ tab: key }, 'push')}
      />
      <div role="tabpanel" id={`panel-${tab}`} aria-labelledby={`tab-${tab}`} tabIndex={-1}>
        {summary === undefined ? (
          error === undefined && <p role="status">Running the transaction…</p>
        ) : (
          <Panel run={run} />
        )}
      </div>
    </>
  )
}

function tabNames(run: OpenedRun): Readonly<Record<Tab, string>> {
  const calls = run.calls.value
  const logs = calls.reduce((sum, call) => sum + call.logs.length, 0)
  return {
    summary: 'Summary',
    calls: `Calls ${calls.length}`,
    logs: `Logs ${logs}`,
    changes: `Changes ${run.summary.value?.changes.length ?? 0}`,
    gas: 'Gas',
    debug: 'Debugger',
  }
}
