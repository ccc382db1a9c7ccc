import { useComputed } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { ShowMore, useShown } from '../../list/show-more.tsx'
import type { OpenedRun } from '../../state/opened-run.ts'
import { LogItem } from './log-item.tsx'
import { logsOf } from './logs-of.ts'

/** The decoded logs of the transaction. */
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
