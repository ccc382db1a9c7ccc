import { useComputed, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { CodeGas } from '../../../browser/step/stepper.ts'
import { safeText } from '../../decode/format/safe-text.ts'
import type { OpenedRun } from '../../state/opened-run.ts'
import { flameByLine } from './flame-by-line.ts'
import { FlameGraph } from './flame-graph.tsx'
import { GasTable } from './gas-table.tsx'

/** Gas by source line, if sources are known. */
export function GasByLine({ run }: { readonly run: OpenedRun }) {
  const gas = useSignal<readonly CodeGas[] | undefined>(undefined)
  const sources = run.sources.value
  useEffect(() => {
    if (sources === undefined) return
    let isWanted = true
    run.stepper.gasByCode(sources.marks()).then(
      (found) => {
        if (isWanted) gas.value = found
      },
      (thrown) => run.fail(thrown),
    )
    return () => {
      isWanted = false
    }
  }, [run, sources, gas])
  const flame = useComputed(() => {
    const known = run.sources.value
    return gas.value && known && flameByLine(gas.value, known)
  })
  if (sources === undefined) {
    return <NoSources />
  }
  if (flame.value === undefined) return <p role="status">Adding up…</p>
  const { root, names } = flame.value
  const name = ({ key }: { readonly key: string }) => safeText(names.get(key) ?? key)
  return (
    <>
      <p class="muted">
        A function is as wide as the gas of its own lines, without that of their calls. Code that
        the compiler inserts counts for the line that needs it.
      </p>
      <FlameGraph run={run} root={root} nameOf={name} />
      <GasTable run={run} root={root} nameOf={name} what="Function or line" />
    </>
  )
}

/** Says what to drop for views by source. */
export function NoSources() {
  return (
    <p class="notice">
      The sources of this transaction’s contracts are not known. Drop the compiler output on this
      page: output of solc, a build info of Hardhat, or artifacts of Foundry and their sources.
    </p>
  )
}
