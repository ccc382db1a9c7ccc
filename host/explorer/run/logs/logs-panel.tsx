import { useComputed } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { CallNode, LogNode } from '../../../browser/stepper.ts'
import { ShowMore, useShown } from '../../list/show-more.tsx'
import type { OpenedRun } from '../opened-run.ts'
import { LogItem } from './log-item.tsx'

export interface PlacedLog {
  readonly log: LogNode
  readonly call: CallNode
}

/** Logs in the order in which they were emitted, those that were undone among them. */
export function logsOf(calls: readonly CallNode[]): readonly PlacedLog[] {
  const logs = calls.flatMap((call) => call.logs.map((log) => ({ log, call })))
  return logs.sort((a, b) => (a.log.step ?? a.call.firstStep) - (b.log.step ?? b.call.firstStep))
}

/** What the transaction logged, decoded. */
export function LogsPanel({ run }: { readonly run: OpenedRun }) {
  const logs = useComputed(() => logsOf(run.calls.value))
  const list = useRef<HTMLOListElement>(null)
  const shown = useShown(50)
  if (logs.value.length === 0) {
    return <p class="muted">No log was emitted: contracts emit them by the opcodes LOG0 to LOG4.</p>
  }
  return (
    <>
      <ol ref={list} class="log-list" aria-label="Logs">
        {logs.value.slice(0, shown.value).map(({ log, call }, place) => (
          <LogItem
            key={`${call.index} ${log.step} ${place}`}
            run={run}
            log={log}
            call={call}
            place={place}
          />
        ))}
      </ol>
      <ShowMore shown={shown} count={logs.value.length} what="logs" />
    </>
  )
}
