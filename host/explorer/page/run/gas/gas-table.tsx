import { useComputed } from '@preact/signals'
import { type Flame, share } from '../../decode/flame/flame.ts'
import { countText } from '../../decode/format/amount.ts'
import { ShowMore, useShown } from '../../list/show-more.tsx'
import type { OpenedRun } from '../../state/opened-run.ts'
import { TableFrame } from '../../text/table-frame.tsx'

interface Props {
  readonly run: OpenedRun
  readonly root: Flame
  readonly nameOf: (flame: Flame) => string
  /** The kind of row: "Call". */
  readonly what: string
}

/** The boxes of a flame graph as rows, in descending order of their own gas. */
export function GasTable({ run, root, nameOf, what }: Props) {
  const shown = useShown(25)
  const rows = useComputed(() => byOwnGas(root))
  const percent = (gas: bigint) => `${(100 * share(gas, root.total)).toFixed(1)} %`
  return (
    <>
      <TableFrame label="Gas">
        <table aria-label="Gas">
          <thead>
            <tr>
              <th scope="col">{what}</th>
              <th scope="col" class="number">
                Its own gas
              </th>
              <th scope="col" class="number">
                Share
              </th>
              <th scope="col" class="number">
                Including nested
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.value.slice(0, shown.value).map((flame) => (
              <tr key={flame.key}>
                <th scope="row">
                  {flame.call === undefined ? (
                    <code>{nameOf(flame)}</code>
                  ) : (
                    <button
                      type="button"
                      class="text-button mono"
                      onClick={() => run.location.set({ tab: 'calls', call: flame.call }, 'push')}
                    >
                      {nameOf(flame)}
                    </button>
                  )}
                </th>
                <td class="number">{countText(flame.self)}</td>
                <td class="number">{percent(flame.self)}</td>
                <td class="number">{countText(flame.total)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
      <ShowMore shown={shown} count={rows.value.length} what="rows" />
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
