import { useComputed } from '@preact/signals'
import { useMemo, useRef } from 'preact/hooks'
import { decodeLog, hasHashedTopic, type PreimageLookup } from '../../decode/abi/decode-item.ts'
import { Preimages } from '../../decode/storage/preimages.ts'
import { ShowMore, useShown } from '../../list/show-more.tsx'
import { useExplorer } from '../../state/explorer-context.ts'
import type { OpenedRun } from '../../state/opened-run.ts'
import { useHashed } from '../../state/use-hashed.ts'
import { LogItem } from './log-item.tsx'
import { type EmittedLog, logsOf } from './logs-of.ts'

/** The decoded logs of the transaction. */
export function LogsPanel({ run }: { readonly run: OpenedRun }) {
  const logs = useComputed(() => logsOf(run.calls.value))
  const list = useRef<HTMLOListElement>(null)
  const shown = useShown(50)
  const preimageOf = usePreimages(run, logs.value.slice(0, shown.value))
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
            preimageOf={preimageOf}
          />
        ))}
      </ol>
      <ShowMore shown={shown} count={logs.value.length} what="logs" />
    </>
  )
}

/** Returns the bytes behind the hashes of indexed strings, if a log has one. */
function usePreimages(run: OpenedRun, logs: readonly EmittedLog[]): PreimageLookup {
  const lens = useExplorer().uploads.lens.value
  const isWanted = useMemo(
    () =>
      logs.some(({ log }) => {
        const decoded = log.topics.length > 1 ? decodeLog(log, lens) : undefined
        return decoded?.kind === 'decoded' && hasHashedTopic(decoded.item)
      }),
    [logs.length, run, lens],
  )
  const hashed = useHashed(run, isWanted)
  return useMemo(() => {
    const preimages = new Preimages()
    for (const bytes of hashed) preimages.add(bytes)
    return (hash) => preimages.of(hash)
  }, [hashed])
}
