import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { compareRuns } from '../../../browser/compare/compare.ts'
import type { Comparison } from '../../../browser/compare/comparison.ts'
import type { DebuggedRun } from '../../state/debug/debugged-run.ts'

/** Returns the differences between two runs; undefined until they are known. */
export function useComparison(one: DebuggedRun, other: DebuggedRun): Comparison | undefined {
  const found = useSignal<Comparison | undefined>(undefined)
  useEffect(() => {
    const ended = new AbortController()
    const { signal } = ended
    found.value = undefined
    compareRuns(one.stepper, other.stepper, { signal }).then(
      (comparison) => {
        if (!signal.aborted) found.value = comparison
      },
      (thrown) => {
        if (!signal.aborted) one.fail(thrown)
      },
    )
    return () => ended.abort()
  }, [one, other, found])
  return found.value
}
