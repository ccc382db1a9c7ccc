import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { SourcePosition } from '../../sources/run-sources.ts'
import { stepPosition } from '../../sources/step-position.ts'
import type { OpenedRun } from '../../state/opened-run.ts'
import { SourceExcerpt } from './source-excerpt.tsx'

interface Props {
  readonly run: OpenedRun
  /** The failing step. */
  readonly step: number
}

/** The failing source line, if known. */
export function FailureSource({ run, step }: Props) {
  const position = useSignal<SourcePosition | undefined>(undefined)
  const sources = run.sources.value
  const calls = run.calls.value
  useEffect(() => {
    let isWanted = true
    const find = async () =>
      sources &&
      stepPosition({ stepper: run.stepper, calls, sources }, await run.stepper.step(step))
    find().then(
      (found) => {
        if (isWanted) position.value = found
      },
      (thrown) => run.fail(thrown),
    )
    return () => {
      isWanted = false
    }
  }, [run, step, calls, sources, position])
  if (sources === undefined || position.value === undefined) return null
  return <SourceExcerpt sources={sources} position={position.value} />
}
