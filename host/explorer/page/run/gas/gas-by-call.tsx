import { useComputed } from '@preact/signals'
import type { CallNode } from '../../../browser/step/stepper.ts'
import type { ContractRegistry } from '../../decode/abi/contract-registry.ts'
import { type Flame, flameByCall } from '../../decode/flame/flame.ts'
import { shortAddress } from '../../decode/format/address-text.ts'
import { calledFunctionName } from '../../decode/words/call-words.ts'
import { useExplorer } from '../../state/explorer-context.ts'
import type { OpenedRun } from '../../state/opened-run.ts'
import { FlameGraph } from './flame-graph.tsx'
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

/** Returns a function that names call boxes: function and contract. */
function callFlameName(
  calls: readonly CallNode[],
  lens: ContractRegistry,
): (flame: Flame) => string {
  return (flame) => {
    const call = calls[flame.call ?? -1]
    if (call === undefined) return flame.key
    return `${lens.labelOf(call.to) ?? shortAddress(call.to)}.${calledFunctionName(call, lens)}`
  }
}
