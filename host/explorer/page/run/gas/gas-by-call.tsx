import { useComputed } from '@preact/signals'
import { lookup } from '../../../../base/lookup.ts'
import type { CallNode } from '../../../browser/step/stepper.ts'
import type { ContractRegistry } from '../../decode/abi/contract-registry.ts'
import {
  type Flame,
  flameByCall,
  INTRINSIC_BOX,
  TRANSACTION_BOX,
} from '../../decode/flame/flame.ts'
import { shortAddress } from '../../decode/format/address-text.ts'
import { countText } from '../../decode/format/amount.ts'
import { calledFunctionName, isCreation } from '../../decode/words/call-words.ts'
import { useExplorer } from '../../state/explorer-context.ts'
import type { OpenedRun } from '../../state/opened-run.ts'
import { FlameGraph } from './flame-graph.tsx'
import { GasTable } from './gas-table.tsx'

/** Gas by call. */
export function GasByCall({ run }: { readonly run: OpenedRun }) {
  const lens = useExplorer().uploads.lens.value
  const root = useComputed(() => {
    const [first] = run.calls.value
    const limit = run.summary.value?.gasLimit ?? 0n
    return first && flameByCall(run.calls.value, limit > first.gas ? limit - first.gas : 0n)
  })
  if (root.value === undefined) return null
  const name = callFlameName(run.calls.value, lens)
  return (
    <>
      <p class="muted">
        A call is as wide as the gas that it and its nested calls used. Calls of one function by the
        same caller are one box. Enter, or a click, zooms to it; Esc zooms out.
      </p>
      <FlameGraph run={run} root={root.value} nameOf={name} />
      <GasTable run={run} root={root.value} nameOf={name} what="Call" />
    </>
  )
}

const BOXES: Readonly<Record<string, string>> = {
  [TRANSACTION_BOX]: 'transaction',
  [INTRINSIC_BOX]: 'intrinsic gas',
}

/** Returns a function that names call boxes: function and contract. */
export function callFlameName(
  calls: readonly CallNode[],
  lens: ContractRegistry,
): (flame: Flame) => string {
  return (flame) => {
    const call = calls[flame.call ?? -1]
    if (call === undefined) return lookup(BOXES, flame.key) ?? flame.key
    const contract = lens.labelOf(call.to) ?? shortAddress(call.to)
    if (flame.count === 1) return `${contract}.${calledFunctionName(call, lens)}`
    const times = `× ${countText(flame.count)}`
    // Merged creations have several addresses, and merged calls without code several inputs.
    if (isCreation(call)) return `creation ${times}`
    if (call.firstStep === call.endStep) return `${contract} ${times}`
    return `${contract}.${calledFunctionName(call, lens)} ${times}`
  }
}
