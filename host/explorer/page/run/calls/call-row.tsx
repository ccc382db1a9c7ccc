import { useMemo } from 'preact/hooks'
import { addressText, shortAddress } from '../../decode/format/address-text.ts'
import { countText } from '../../decode/format/amount.ts'
import { middleCut } from '../../decode/format/middle-cut.ts'
import { useExplorer } from '../../state/explorer-context.ts'
import { callLine } from './call-words.ts'
import type { TreeRow } from './tree-rows.ts'

interface Props {
  readonly row: TreeRow
  /** Pixels from the start of the tree. */
  readonly start: number
  readonly isSelected: boolean
  readonly onSelect: () => void
  readonly onToggle: () => void
}

/** Maximum indentation: deeper calls only show their level. */
const DEEPEST_INDENT = 24
const LONGEST = 300

export function callRowId(index: number): string {
  return `call-${index}`
}

/** A call: type, target, function, outcome, gas. */
export function CallRow({ row, start, isSelected, onSelect, onToggle }: Props) {
  const { call, level, isOpen, place, siblings } = row
  const { uploads: knowledge } = useExplorer()
  const lens = knowledge.lens.value
  const line = useMemo(() => callLine(call, lens), [call, lens])
  const name = lens.labelOf(call.to) ?? shortAddress(call.to)
  return (
    // The tree itself has the focus and its keys.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    // biome-ignore lint/a11y/useFocusableInteractive: see above
    <div
      id={callRowId(call.index)}
      class={`call-row${call.fault === undefined ? '' : ' is-failed'}`}
      role="treeitem"
      aria-level={level}
      aria-posinset={place}
      aria-setsize={siblings}
      aria-expanded={isOpen}
      aria-selected={isSelected}
      style={{
        transform: `translateY(${start}px)`,
        '--indent': Math.min(level - 1, DEEPEST_INDENT),
      }}
      onClick={onSelect}
    >
      <span
        class={isOpen === undefined ? 'twist' : isOpen ? 'twist is-open' : 'twist is-closed'}
        aria-hidden="true"
        onClick={(event) => {
          if (isOpen === undefined) return
          event.stopPropagation()
          onToggle()
        }}
      />
      <span class="call-type">{call.type}</span>{' '}
      <span class="mono" title={addressText(call.to)}>
        {name}
      </span>
      <span class="call-what mono">.{middleCut(line.what, LONGEST)}</span>{' '}
      {line.value !== '' && <span class="call-value">{line.value}</span>}{' '}
      {line.fault !== undefined && (
        <span class="call-fault">✗ {middleCut(line.fault, LONGEST)}</span>
      )}{' '}
      <span class="call-gas">{countText(call.gasUsed)} gas</span>
    </div>
  )
}
