import type { OpenedRun } from '../../state/opened-run.ts'
import { PARAMETERS } from '../../view/parameters.ts'
import { GasByCall } from './gas-by-call.tsx'
import { GasByFunction } from './gas-by-function.tsx'
import { GasByLine } from './gas-by-line.tsx'
import { GasFacts } from './gas-facts.tsx'

const NAMES = { call: 'By call', function: 'By function', line: 'By source line' } as const

const PANELS = { call: GasByCall, function: GasByFunction, line: GasByLine } as const

/** The gas used, as a flame graph and as a table. */
export function GasPanel({ run }: { readonly run: OpenedRun }) {
  const { location } = run
  const { gasBy } = location.view.value
  const Panel = PANELS[gasBy]
  return (
    <section aria-labelledby="gas-title">
      <h2 id="gas-title">Gas</h2>
      <fieldset class="buttons plain">
        <legend class="visually-hidden">How gas is grouped</legend>
        {(['call', 'function', 'line'] as const).map((by) => (
          <button
            key={by}
            type="button"
            class="button"
            aria-pressed={gasBy === by}
            onClick={() => location.set({ gasBy: by, zoom: PARAMETERS.zoom.fallback }, 'push')}
          >
            {NAMES[by]}
          </button>
        ))}
      </fieldset>
      <GasFacts run={run} />
      <Panel run={run} />
    </section>
  )
}
