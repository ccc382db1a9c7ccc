import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { Debugger } from '../../state/debug/debugger.ts'
import { OpcodeRow } from './opcode-row.tsx'
import { RowWindows } from './row-windows.ts'
import { VirtualGrid } from './virtual-grid.tsx'

interface Props {
  readonly debug: Debugger
  /** The opcode under the pointer; undefined after it left. */
  readonly onHover: (opcode: number | undefined) => void
}

/** All steps of the transaction, with the current one marked. */
export function OpcodeList({ debug, onHover }: Props) {
  const { run } = debug
  const arrivals = useSignal(0)
  const windows = useMemo(
    () =>
      new RowWindows(
        (from, count) => run.stepper.rows(from, count),
        () => arrivals.value++,
        (error) => run.fail(error),
      ),
    [run, arrivals],
  )
  // Redraws when rows have arrived.
  arrivals.value
  const active = run.stepIndex.value
  const stops = debug.breakpoints.value
  return (
    <VirtualGrid
      id="steps"
      label="Steps"
      class="opcode-list"
      rows={debug.steps}
      active={active}
      onActive={(row) => debug.goTo(row)}
      onSeen={(first, end) => windows.want(first, end)}
      head={
        <>
          <span role="columnheader" class="number">
            Step
          </span>
          <span role="columnheader" class="number">
            pc
          </span>
          <span role="columnheader">Opcode</span>
          <span role="columnheader" class="number">
            Gas left
          </span>
          <span role="columnheader" class="number">
            Cost
          </span>
          <span role="columnheader" class="number">
            Depth
          </span>
        </>
      }
      row={(index) => (
        <OpcodeRow
          key={index}
          index={index}
          row={windows.get(index)}
          call={run.calls.value[windows.get(index)?.call ?? -1]}
          isCurrent={index === active}
          stops={stops}
          onGo={() => debug.goTo(index)}
          onHover={onHover}
        />
      )}
    />
  )
}
