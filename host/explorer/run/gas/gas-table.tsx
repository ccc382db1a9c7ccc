import { useComputed } from '@preact/signals'
import { type Flame, share } from '../../decode/flame/flame.ts'
import { countText } from '../../decode/format/amount.ts'
import { ShowMore, useShown } from '../../list/show-more.tsx'
import { TableFrame } from '../../text/table-frame.tsx'
import type { OpenedRun } from '../opened-run.ts'

interface Props {
  readonly run: OpenedRun
  readonly root: Flame
  readonly nameOf: (flame: Flame) => string
}

/** The boxes of a flame graph as rows, those first that used the most themselves. */
export function GasTable({ run, root, nameOf }: Props) {
  const shown = useShown(25)
  const rows = useComputed(() => byOwnGas(root))
  const percent = (gas: bigint) => `${(100 * share(gas, root.total)).toFixed(1)} %`
  return (
    <>
      <TableFrame label="Gas by call">
        <table aria-label="Gas by call">
          <thead>
            <tr>
              <th scope="col">Call</th>
              <th scope="col" class="number">
                Its own gas
              </th>
              <th scope="col" class="number">
                Part
              </th>
              <th scope="col" class="number">
                With its calls
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.value.slice(0, shown.value).map((flame) => (
              <tr key={flame.key}>
                <th scope="row">
                  <button
                    type="button"
                    class="text-button mono"
                    onClick={() => run.location.set({ tab: 'calls', call: flame.call }, 'push')}
                  >
                    {nameOf(flame)}
                  </button>
                </th>
                <td class="number">{countText(flame.self)}</td>
                <td class="number">{percent(flame.self)}</td>
                <td class="number">{countText(flame.total)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
      <ShowMore shown={shown} count={rows.value.length} what="calls" />
    </>
  )
}

function byOwnGas(root: Flame): readonly Flame[] {
  const all: Flame[] = []
  const left = [root]
  for (let flame = left.pop(); flame !== undefined; flame = left.pop()) {
    all.push(flame)
    left.push(...flame.children)
  }
  return all.sort((a, b) => (a.self === b.self ? 0 : a.self < b.self ? 1 : -1))
}
