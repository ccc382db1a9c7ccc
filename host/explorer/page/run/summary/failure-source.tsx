import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { StepView } from '../../../browser/step/stepper.ts'
import type { OpenedRun } from '../../state/opened-run.ts'
import { SourceExcerpt } from './source-excerpt.tsx'

interface Props {
  readonly run: OpenedRun
  /** The failing step. */
  readonly step: number
}

/** The failing source line, if known. */
export function FailureSource({ run, step }: Props) {
  const view = useSignal<StepView | undefined>(undefined)
  const sources = run.sources.value
  const isKnown = sources !== undefined
  useEffect(() => {
    if (!isKnown) return
    run.stepper.step(step).then(
      (found) => {
        view.value = found
      },
      (thrown) => run.fail(thrown),
    )
  }, [run, step, isKnown, view])
  const position = view.value === undefined ? undefined : sources?.positionOf(view.value)
  if (sources === undefined || position === undefined) return null
  return <SourceExcerpt sources={sources} position={position} />
}
