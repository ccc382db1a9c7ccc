import { useMemo } from 'preact/hooks'
import type { Hex } from '../../../../base/hex.ts'
import type { StepView } from '../../../browser/step/stepper.ts'
import type { DebuggedRun } from '../../state/debug/debugged-run.ts'
import { useHashed } from '../../state/use-hashed.ts'
import { type SlotMeaning, SlotNaming } from './slot-naming.ts'

/** Returns the names of a step's slots, if the storage layout of their contract is known. */
export function useSlotMeanings(
  run: DebuggedRun,
  step: StepView | undefined,
  kind: 'storage' | 'transient',
): ReadonlyMap<Hex, SlotMeaning> {
  const naming = useSlotNaming(run, step?.address, kind)
  return useMemo(() => naming.meanings(step?.[kind] ?? []), [naming, step, kind])
}

/** Returns names for the slots of an account. */
export function useSlotNaming(
  run: DebuggedRun,
  address: Hex | undefined,
  kind: 'storage' | 'transient',
): SlotNaming {
  const hashed = useHashed(run, run.sources.value !== undefined)
  const sources = run.sources.value
  const calls = run.calls.value
  return useMemo(() => {
    const contracts = address === undefined ? undefined : sources?.contractsOf(address)
    const layouts = (contracts ?? []).flatMap(({ layout, transientLayout }) => {
      const chosen = kind === 'storage' ? layout : transientLayout
      return chosen === undefined ? [] : [chosen]
    })
    return new SlotNaming(layouts, hashed, calls)
  }, [address, sources, hashed, calls, kind])
}
