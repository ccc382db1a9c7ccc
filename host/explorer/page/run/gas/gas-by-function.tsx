import { useComputed } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { InternalCall } from '../../../browser/step/stepper.ts'
import type { Flame } from '../../decode/flame/flame.ts'
import { flameByFunction } from '../../decode/flame/flame-by-function.ts'
import { countText } from '../../decode/format/amount.ts'
import { safeText } from '../../decode/format/safe-text.ts'
import { useExplorer } from '../../state/explorer-context.ts'
import type { OpenedRun } from '../../state/opened-run.ts'
import { FlameGraph } from './flame-graph.tsx'
import { callFlameName } from './gas-by-call.tsx'
import { NoSources } from './gas-by-line.tsx'
import { GasTable } from './gas-table.tsx'
import { NestedCallTable } from './nested-call-table.tsx'

/** Gas by call and by the internal functions in each, if sources are known. */
export function GasByFunction({ run }: { readonly run: OpenedRun }) {
  const lens = useExplorer().uploads.lens.value
  const { debug } = run
  const sources = debug.sources.value
  useEffect(() => {
    void debug.readInternal()
  }, [debug, sources])
  const calls = run.calls.value
  const functionName = ({ call, pc }: InternalCall): string => {
    const frame = calls[call]
    return (frame && sources?.positionIn(frame, pc)?.functionName) ?? 'getter'
  }
  const root = useComputed(() => {
    const [first] = run.calls.value
    const all = debug.internal.value?.all
    const limit = run.summary.value?.gasLimit ?? 0n
    if (first === undefined || all === undefined) return undefined
    const intrinsic = limit > first.gas ? limit - first.gas : 0n
    return flameByFunction(run.calls.value, all, functionName, intrinsic)
  })
  if (sources === undefined) return <NoSources />
  if (root.value === undefined) return <p role="status">Adding up…</p>
  const callName = callFlameName(calls, lens)
  const name = (flame: Flame): string => {
    const inner = /^function (\d+)$/.exec(flame.key)?.[1]
    const one = inner === undefined ? undefined : debug.internal.value?.all[Number(inner)]
    if (one === undefined) return callName(flame)
    const times = flame.count === 1 ? '' : ` × ${countText(flame.count)}`
    return `${safeText(functionName(one))}${times}`
  }
  return (
    <>
      <p class="muted">
        A function is as wide as the gas of it and of everything that it called, in its own code and
        in other contracts. Calls of one function by the same caller are one box.
      </p>
      <FlameGraph run={run} root={root.value} nameOf={name} />
      <GasTable run={run} root={root.value} nameOf={name} what="Call or function" />
      <NestedCallTable run={run} nameOf={functionName} />
    </>
  )
}
