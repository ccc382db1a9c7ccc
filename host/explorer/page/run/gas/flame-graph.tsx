import { useComputed, useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { type Flame, share } from '../../decode/flame/flame.ts'
import { countText } from '../../decode/format/amount.ts'
import type { OpenedRun } from '../../state/opened-run.ts'
import { boxBeside, flameBoxes, wayTo } from './flame-boxes.ts'

interface Props {
  readonly run: OpenedRun
  readonly root: Flame
  readonly nameOf: (flame: Flame) => string
}

/** Shades that distinguish neighbours. */
const SHADES = 5

/** Boxes, each as wide as its gas. One is a tab stop; arrow keys lead to the others. */
export function FlameGraph({ run, root, nameOf }: Props) {
  const { location } = run
  const frame = useRef<HTMLDivElement>(null)
  const boxes = useComputed(() => flameBoxes(root, location.view.value.zoom))
  const focused = useSignal(root.key)
  const at = Math.max(
    0,
    boxes.value.findIndex(({ flame }) => flame.key === focused.value),
  )
  const rows = Math.max(...boxes.value.map(({ row }) => row)) + 1
  const zoomTo = (key: string) => location.set({ zoom: key === root.key ? '' : key }, 'push')
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      event.preventDefault()
      const way = wayTo(root, location.view.value.zoom)
      zoomTo(way.at(-2)?.key ?? root.key)
      return
    }
    const target = boxes.value[boxBeside(boxes.value, at, event.key) ?? -1]
    if (target === undefined) return
    event.preventDefault()
    focused.value = target.flame.key
    frame.current
      ?.querySelector<HTMLElement>(`[data-key="${CSS.escape(target.flame.key)}"]`)
      ?.focus()
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is of a form
    <div
      ref={frame}
      class="flame-graph"
      role="group"
      aria-label="Flame graph of gas"
      style={{ '--rows': rows }}
      onKeyDown={onKeyDown}
    >
      {boxes.value.map(({ flame, left, width, row }, place) => {
        const name = nameOf(flame)
        const part = `${(100 * share(flame.total, root.total)).toFixed(1)} %`
        return (
          <button
            key={flame.key}
            type="button"
            data-key={flame.key}
            class={`flame shade-${shadeOf(name)}${flame.isFailed ? ' is-failed' : ''}`}
            tabIndex={place === at ? 0 : -1}
            title={`${name}: ${countText(flame.total)} gas, ${countText(flame.self)} its own, ${part}`}
            aria-label={`${name}: ${countText(flame.total)} gas, ${part}`}
            style={{ '--row': row, '--left': left, '--width': width }}
            onFocus={() => {
              focused.value = flame.key
            }}
            onClick={() => zoomTo(flame.key)}
          >
            {name}
          </button>
        )
      })}
    </div>
  )
}

/** A name has the same shade everywhere. */
function shadeOf(name: string): number {
  let hash = 0
  for (let i = 0; i < name.length; i++) hash = (hash * 31 + name.charCodeAt(i)) >>> 0
  return hash % SHADES
}
