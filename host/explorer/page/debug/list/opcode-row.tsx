import { useMemo } from 'preact/hooks'
import type { CallNode, StepRow } from '../../../browser/step/stepper.ts'
import { countText } from '../../decode/format/amount.ts'
import { middleCut } from '../../decode/format/middle-cut.ts'
import type { Breakpoint } from '../../state/debug/breakpoint.ts'

interface Props {
  readonly index: number
  /** Undefined until it is fetched. */
  readonly row: StepRow | undefined
  readonly call: CallNode | undefined
  readonly isCurrent: boolean
  readonly stops: readonly Breakpoint[]
  readonly onGo: () => void
  readonly onHover: (opcode: number | undefined) => void
}

/** Maximum indentation in frames. */
const MOST_INDENTED = 12

/** Rerendered only on change: with a step, two of about forty rows change. */
export function OpcodeRow(props: Props) {
  const { index, row, call, isCurrent, stops } = props
  return useMemo(() => drawRow(props), [index, row, call, isCurrent, stops])
}

function drawRow({ index, row, call, isCurrent, stops, onGo, onHover }: Props) {
  const isFirst = call !== undefined && call.firstStep === index
  const classes = ['grid-row']
  if (isCurrent) classes.push('is-current')
  if (row?.fault !== undefined) classes.push('is-fault')
  if (isFirst) classes.push('is-frame-start')
  if (row !== undefined && hasStop(row, call, stops)) classes.push('has-stop')
  return (
    <div
      id={`steps-${index}`}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isCurrent}
      aria-current={isCurrent ? 'step' : undefined}
      class={classes.join(' ')}
      style={{ '--depth': Math.min((row?.depth ?? 1) - 1, MOST_INDENTED) }}
      onClick={onGo}
      onPointerEnter={() => onHover(row?.opcode)}
      onPointerLeave={() => onHover(undefined)}
    >
      <span role="gridcell" class="number">
        {index}
      </span>
      <span role="gridcell" class="number">
        {row?.pc ?? ''}
      </span>
      <span role="gridcell" class="opcode-name" title={row?.fault?.error}>
        {row?.name ?? '…'}
        {isFirst && <span class="frame-name"> {frameName(call)}</span>}
        {row?.fault !== undefined && <span class="fault-name"> {row.fault.error}</span>}
      </span>
      <span role="gridcell" class="number">
        {row && countText(row.gas)}
      </span>
      <span role="gridcell" class="number">
        {row && countText(row.cost)}
      </span>
      <span role="gridcell" class="number">
        {row?.depth ?? ''}
      </span>
    </div>
  )
}

function frameName(call: CallNode): string {
  return `${call.type} ${middleCut(call.to, 13)}`
}

/** Returns true if a breakpoint matches by the row's opcode or position alone. */
function hasStop(row: StepRow, call: CallNode | undefined, stops: readonly Breakpoint[]): boolean {
  return stops.some(({ stop, isEnabled }) => {
    if (!isEnabled) return false
    if (stop.kind === 'opcode') return stop.name === row.name
    if (stop.kind !== 'pc') return false
    return stop.pc === row.pc && (stop.code === undefined || stop.code === call?.codeAddress)
  })
}
