import type { Hex } from '../../../../base/hex.ts'
import { middleCut, shortWord } from '../../decode/format/middle-cut.ts'
import { safeText } from '../../decode/format/safe-text.ts'
import type { VariableChange } from '../../decode/storage/variable-changes.ts'
import type { OpenedRun } from '../../state/opened-run.ts'
import { LongText } from '../../text/long-text.tsx'

/** Names in a layout may have any length. */
const LONGEST = 160

interface Props {
  readonly run: OpenedRun
  readonly address: Hex
  readonly change: VariableChange
}

/** A variable, or a slot without a name, before and after, with a button for its last writer. */
export function VariableRow({ run, address, change }: Props) {
  const { path, type, before, after, slots } = change
  const slot = slots[0] ?? '0x'
  const goToWriter = async () => {
    const last = (run.summary.value?.steps ?? 0) - 1
    try {
      const step = await run.stepper.lastWriter({ kind: 'slot', address, slot }, last)
      if (step !== undefined) run.location.set({ tab: 'debug', step, call: undefined }, 'push')
    } catch (thrown) {
      run.fail(thrown)
    }
  }
  return (
    <tr>
      <th scope="row">
        <VariableName path={path} type={type} slots={slots} />
      </th>
      <td class="mono" data-label="before">
        <SlotValueText path={path} text={before} />
      </td>
      <td class="mono" data-label="after">
        <SlotValueText path={path} text={after} />
      </td>
      <td>
        <button
          type="button"
          class="text-button nowrap"
          aria-label={`Find the step that wrote ${(path && middleCut(safeText(path), LONGEST)) ?? `slot ${shortWord(slot)}`}`}
          onClick={() => void goToWriter()}
        >
          Find writer
        </button>
      </td>
    </tr>
  )
}

/** The name of a variable, or the number of a slot without one. A cut name can be shown whole: only its middle may differ. */
export function VariableName({
  path,
  type,
  slots,
}: Pick<VariableChange, 'path' | 'type' | 'slots'>) {
  const slot = slots[0] ?? '0x'
  if (path === undefined) {
    return (
      <>
        Slot <code title={slot}>{shortWord(slot)}</code>
      </>
    )
  }
  return (
    <>
      <span title={`slot ${slots.join(', ')}`}>
        <LongText text={safeText(path)} most={LONGEST} name="the name" />
      </span>{' '}
      <span class="muted mono">{middleCut(safeText(type ?? ''), LONGEST)}</span>
    </>
  )
}

/** The value of a variable, or the word of a slot without a name. */
export function SlotValueText({
  path,
  text,
}: Pick<VariableChange, 'path'> & { readonly text: string }) {
  return path === undefined ? (
    <span title={text}>{shortWord(text as Hex)}</span>
  ) : (
    <LongText text={text} most={80} name="the value" />
  )
}
