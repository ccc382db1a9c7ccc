import type { OpenedRun } from './opened-run.ts'

/** The calls of a transaction. */
export function CallList({ run }: { readonly run: OpenedRun }) {
  return (
    <ol aria-label="Calls">
      {run.calls.value.map((call) => (
        <li key={call.index}>
          {call.type} {call.to} {call.fault?.error ?? 'succeeded'}
        </li>
      ))}
    </ol>
  )
}
