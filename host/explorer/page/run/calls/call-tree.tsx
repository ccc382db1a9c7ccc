import { useComputed } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { failingCall } from '../../decode/words/failure-path.ts'
import { useVirtualRows } from '../../list/use-virtual-rows.ts'
import type { OpenedRun } from '../../state/opened-run.ts'
import { CallRow, callRowId } from './call-row.tsx'
import { keyInTree, opensItself, reveal, toggle, treeRows } from './tree-rows.ts'

const ROW_REM = 1.75

/** The calls of a transaction as a tree of any size, initially open at the failure. */
export function CallTree({ run }: { readonly run: OpenedRun }) {
  const { location } = run
  const scroller = useRef<HTMLDivElement>(null)
  const opens = useComputed(() => opensItself(run.calls.value, failingCall(run.calls.value)))
  const toggled = useComputed(() => location.view.value.toggled)
  const rows = useComputed(() => treeRows(run.calls.value, opens.value, toggled.value))
  const list = useVirtualRows(scroller, rows.value.length, pixelsOf(ROW_REM))
  const selected = run.call.value?.index ?? 0
  const at = rows.value.findIndex(({ call }) => call.index === selected)

  // Scrolls to a call that is selected elsewhere.
  useEffect(() => {
    if (run.calls.value.length === 0) return
    const shown = reveal(run.calls.value, opens.value, toggled.value, selected)
    if (shown !== toggled.value) location.set({ toggled: shown })
    const place = rows.value.findIndex(({ call }) => call.index === selected)
    if (place >= 0) list.scrollTo(place)
  }, [selected, run.calls.value.length])

  const toggleCall = (index: number) => location.set({ toggled: toggle(toggled.value, index) })
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const done = keyInTree(rows.value, at, event.key)
    if (done === undefined) return
    event.preventDefault()
    if ('toggle' in done) toggleCall(done.toggle)
    else location.set({ call: done.select })
  }
  return (
    <div
      ref={scroller}
      class="call-tree"
      role="tree"
      aria-label="Calls"
      tabIndex={0}
      aria-activedescendant={at < 0 ? undefined : callRowId(selected)}
      onKeyDown={onKeyDown}
    >
      <div class="rows" role="presentation" style={{ height: `${list.height}px` }}>
        {list.rows.map(({ index, start }) => {
          const row = rows.value[index]
          return (
            row !== undefined && (
              <CallRow
                key={row.call.index}
                row={row}
                start={start}
                isSelected={row.call.index === selected}
                onSelect={() => location.set({ call: row.call.index })}
                onToggle={() => toggleCall(row.call.index)}
              />
            )
          )
        })}
      </div>
    </div>
  )
}

/** Returns the pixels of a length in rem: lists count in pixels, and scale with the browser's text size. */
function pixelsOf(rem: number): number {
  return Math.round(rem * Number.parseFloat(getComputedStyle(document.documentElement).fontSize))
}
