import { useComputed } from '@preact/signals'
import { flameByCall } from '../../decode/flame/flame.ts'
import { useExplorer } from '../../state/explorer-context.ts'
import type { OpenedRun } from '../../state/opened-run.ts'
import { FlameGraph } from './flame-graph.tsx'
import { callFlameName } from './flame-name.ts'
import { GasTable } from './gas-table.tsx'

/** Gas by call. */
export function GasByCall({ run }: { readonly run: OpenedRun }) {
  const lens = useExplorer().uploads.lens.value
  const root = useComputed(() => flameByCall(run.calls.value))
  if (root.value === undefined) return null
  const name = callFlameName(run.calls.value, lens)
  return (
    <>
      <p class="muted">
        A call is as wide as the gas that it and its nested calls used. Enter, or a click, zooms to
        it; Esc zooms out.
      </p>
      <FlameGraph run={run} root={root.value} nameOf={name} />
      <GasTable run={run} root={root.value} nameOf={name} what="Call" />
    </>
  )
}
