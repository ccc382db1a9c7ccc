import type { ViewLocation } from '../../view/view-location.ts'

interface Props {
  readonly location: ViewLocation
  readonly side: 'original' | 'edited'
  readonly step: number
}

/** Links to a step of one of the runs. */
export function StepLink({ location, side, step }: Props) {
  return (
    <button
      type="button"
      class="text-button"
      onClick={() => location.set({ side, step, call: undefined }, 'push')}
    >
      step {step} of the {side === 'original' ? 'original' : 'changed run'}
    </button>
  )
}
