import type { AbiItem } from '../decode/abi/abi-item.ts'
import { middleCut } from '../decode/format/middle-cut.ts'
import { safeText } from '../decode/format/safe-text.ts'
import type { FunctionGroup } from '../sources/offered-functions.ts'

interface Props {
  readonly groups: readonly FunctionGroup[]
  /** Undefined for raw calldata. */
  readonly chosen: AbiItem | undefined
  /** Called with the signature; an empty one for raw calldata. */
  readonly onChoose: (signature: string) => void
}

const LONGEST_SIGNATURE = 100

/** Chooses a function of the known ABIs, or raw calldata. */
export function FunctionChoice({ groups, chosen, onChoose }: Props) {
  if (groups.length === 0) {
    return (
      <p class="muted">
        Drop the contract’s ABI or the compiler output on this page to choose a function.
      </p>
    )
  }
  return (
    <div class="change-field">
      <label for="call-function">Function</label>
      <select
        id="call-function"
        value={chosen?.signature ?? ''}
        onChange={(event) => onChoose(event.currentTarget.value)}
      >
        <option value="">raw calldata</option>
        {groups.map(({ name, isOwn, functions }, at) => (
          <optgroup key={`${at} ${name}`} label={isOwn ? name : `${name}, of another code`}>
            {functions.map(({ signature }) => (
              <option key={signature} value={signature}>
                {middleCut(safeText(signature), LONGEST_SIGNATURE)}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </div>
  )
}
