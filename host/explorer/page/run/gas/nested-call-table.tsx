import { useComputed } from '@preact/signals'
import type { InternalCall } from '../../../browser/step/stepper.ts'
import { type NestedCall, nestedCalls } from '../../decode/flame/nested-calls.ts'
import { shortAddress } from '../../decode/format/address-text.ts'
import { countText } from '../../decode/format/amount.ts'
import { middleCut } from '../../decode/format/middle-cut.ts'
import { safeText } from '../../decode/format/safe-text.ts'
import { calledFunctionName } from '../../decode/words/call-words.ts'
import { ShowMore, useShown } from '../../list/show-more.tsx'
import { useExplorer } from '../../state/explorer-context.ts'
import type { OpenedRun } from '../../state/opened-run.ts'
import { TableFrame } from '../../text/table-frame.tsx'

interface Props {
  readonly run: OpenedRun
  readonly nameOf: (inner: InternalCall) => string
}

/** Deeper calls keep this indentation. */
const DEEPEST_INDENT = 24
const LONGEST = 100

/** Calls and internal functions in the order of entry, each with its gas. */
export function NestedCallTable({ run, nameOf }: Props) {
  const lens = useExplorer().uploads.lens.value
  const shown = useShown(50)
  const rows = useComputed(() => nestedCalls(run.calls.value, run.debug.internal.value?.all ?? []))
  const name = (row: NestedCall): string => {
    if (row.kind === 'function') return safeText(nameOf(row.inner))
    const { frame } = row
    const contract = lens.labelOf(frame.to) ?? shortAddress(frame.to)
    return `${frame.type} ${contract}.${calledFunctionName(frame, lens)}`
  }
  const lineOf = (row: NestedCall): string => {
    if (row.kind === 'frame') return ''
    const frame = run.calls.value[row.inner.call]
    const position = frame && run.debug.sources.value?.positionIn(frame, row.inner.pc)
    return position === undefined ? '' : `${safeText(position.path)}:${position.line}`
  }
  return (
    <>
      <h3>Calls and functions in their order</h3>
      <TableFrame label="Calls and functions">
        <table aria-label="Calls and functions">
          <thead>
            <tr>
              <th scope="col">Call or function</th>
              <th scope="col">Line</th>
              <th scope="col" class="number">
                Step
              </th>
              <th scope="col" class="number">
                Gas with nested
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.value.slice(0, shown.value).map((row) => (
              <tr key={row.kind === 'frame' ? `frame ${row.frame.index}` : row.inner.index}>
                <th
                  scope="row"
                  class="nested"
                  style={{ '--indent': Math.min(row.level, DEEPEST_INDENT) }}
                >
                  <code title={name(row)}>{middleCut(name(row), LONGEST)}</code>
                </th>
                <td class="mono muted">{lineOf(row)}</td>
                <td class="number">
                  <button
                    type="button"
                    class="text-button"
                    aria-label={`Debug step ${row.firstStep}`}
                    onClick={() =>
                      run.location.set(
                        { tab: 'debug', step: row.firstStep, call: undefined },
                        'push',
                      )
                    }
                  >
                    {countText(row.firstStep)}
                  </button>
                </td>
                <td class="number">{countText(row.gasUsed)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
      <ShowMore shown={shown} count={rows.value.length} what="rows" />
    </>
  )
}
