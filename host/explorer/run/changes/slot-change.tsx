import type { Hex } from '../../../base/hex.ts'
import type { AccountChange } from '../../../browser/stepper.ts'
import type { OpenedRun } from '../opened-run.ts'
import { shortWord } from './short-word.ts'

interface Props {
  readonly run: OpenedRun
  readonly address: Hex
  readonly change: AccountChange['slots'][number]
}

/** A slot before and after, and the way to the step that wrote it last. */
export function SlotChange({ run, address, change }: Props) {
  const { slot, before, after } = change
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
        Slot <code title={slot}>{shortWord(slot)}</code>
      </th>
      <td class="mono number" title={before}>
        {shortWord(before)}
      </td>
      <td class="mono number" title={after}>
        {shortWord(after)}
      </td>
      <td>
        <button type="button" class="text-button" onClick={() => void goToWriter()}>
          Who wrote it?
        </button>
      </td>
    </tr>
  )
}
