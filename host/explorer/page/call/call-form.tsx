import { useSignal } from '@preact/signals'
import type { TargetedSubmitEvent } from 'preact'
import { useMemo, useRef } from 'preact/hooks'
import { toPlainError } from '../../../base/plain-error.ts'
import { argumentText } from '../debug/what-if/argument.ts'
import type { AbiItem } from '../decode/abi/abi-item.ts'
import { AbiRegistry } from '../decode/abi/abi-registry.ts'
import { decodeBySelector } from '../decode/abi/decode-item.ts'
import { middleCut } from '../decode/format/middle-cut.ts'
import { safeText } from '../decode/format/safe-text.ts'
import { NoNode } from '../node/no-node.tsx'
import { formatChanges } from '../state/debug/change-text.ts'
import { useExplorer } from '../state/explorer-context.ts'
import { CREATION } from '../view/page.ts'
import { type CallDraft, draftChanges, linkedCall, readDraft } from './call-draft.ts'
import { CallField } from './call-field.tsx'
import { FunctionChoice } from './function-choice.tsx'
import { OverrideForm } from './override-form.tsx'
import { SendFieldset } from './send-fieldset.tsx'
import { useOfferedFunctions } from './use-offered-functions.ts'

interface Props {
  /** An address, or `new`. */
  readonly to: string
  /** The call of the link, and its block. */
  readonly call: string
  readonly at: number | undefined
}

const PROBLEM = 'call-problem'
const LONGEST_NAME = 80

/** A call to simulate or to send, by a function of an ABI or by raw calldata. */
export function CallForm({ to, call, at }: Props) {
  const { location, node } = useExplorer()
  const linked = useMemo(() => linkedCall(call), [call])
  const form = useRef<HTMLFormElement>(null)
  const target = useSignal(to === CREATION ? '' : to)
  const chosen = useSignal<string | undefined>(undefined)
  const overrides = useSignal(linked.overrides)
  const problem = useSignal('')
  const groups = useOfferedFunctions(target.value.trim().toLowerCase())
  const item = functionOf(
    groups.flatMap(({ functions }) => functions),
    chosen.value,
    linked.data,
  )
  const asked = node.value
  const draft = (): CallDraft | undefined => {
    const { elements } = form.current as HTMLFormElement
    const textOf = (name: string) =>
      (elements.namedItem(name) as HTMLInputElement | null)?.value ?? ''
    const texts = {
      to: textOf('call-to'),
      from: textOf('call-from'),
      data: textOf('call-data'),
      value: textOf('call-value'),
      gas: textOf('call-gas'),
      at: textOf('call-at'),
      arguments: (item?.inputs ?? []).map((_, i) => textOf(`call-argument-${i}`)),
    }
    try {
      problem.value = ''
      return readDraft(texts, item, overrides.value)
    } catch (thrown) {
      problem.value = safeText(toPlainError(thrown).message)
      return undefined
    }
  }
  const run = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const read = draft()
    if (read === undefined || asked === undefined) return
    try {
      // The link names the block, so that it shows the same later.
      const height = read.at ?? (await asked.reader.height())
      location.go({
        page: { kind: 'call', to: read.to },
        with: formatChanges(draftChanges(read)),
        at: height,
      })
      document.getElementById('content')?.focus()
    } catch (thrown) {
      problem.value = safeText(toPlainError(thrown).message)
    }
  }
  if (asked === undefined) return <NoNode />
  return (
    <div class="edit-forms">
      <form ref={form} onSubmit={run} aria-label="The call">
        <fieldset>
          <legend>Call</legend>
          <CallField
            id="call-to"
            label="To"
            note="empty for a creation"
            start={target.peek()}
            example="0x…"
            describedBy={PROBLEM}
            onInput={(text) => {
              target.value = text
            }}
          />
          <FunctionChoice
            groups={groups}
            chosen={item}
            onChoose={(signature) => {
              chosen.value = signature
            }}
          />
          {item === undefined ? (
            <CallField
              key="data"
              id="call-data"
              label="Calldata"
              start={linked.data}
              isLong
              describedBy={PROBLEM}
            />
          ) : (
            item.inputs.map((input, i) => (
              <CallField
                key={`${item.signature} ${i}`}
                id={`call-argument-${i}`}
                label={middleCut(safeText(input.name ?? `argument ${i}`), LONGEST_NAME)}
                note={middleCut(safeText(input.type), LONGEST_NAME)}
                start={startOf(item, linked.data, i)}
                describedBy={PROBLEM}
              />
            ))
          )}
          <CallField
            id="call-value"
            label="Value"
            note="wei"
            start={linked.value}
            example="0"
            describedBy={PROBLEM}
          />
          <CallField
            id="call-from"
            label="From"
            start={linked.from}
            example="0x0…0"
            describedBy={PROBLEM}
          />
          <CallField
            id="call-gas"
            label="Gas limit"
            start={linked.gas}
            example="at most 30,000,000"
            describedBy={PROBLEM}
          />
          <CallField
            id="call-at"
            label="After block"
            start={at === undefined ? '' : `${at}`}
            example="latest"
            describedBy={PROBLEM}
          />
          <button type="submit" class="button">
            Simulate
          </button>
          <p id={PROBLEM} class="problem wrap" role="alert">
            {problem.value}
          </p>
        </fieldset>
      </form>
      <div>
        <OverrideForm overrides={overrides} address={to === CREATION ? '' : to} />
        <SendFieldset node={asked} draft={draft} />
      </div>
    </div>
  )
}

/** Returns the chosen function; before a choice the one of the link's calldata. Undefined for raw calldata. */
function functionOf(
  functions: readonly AbiItem[],
  chosen: string | undefined,
  data: string,
): AbiItem | undefined {
  if (chosen !== undefined) return functions.find(({ signature }) => signature === chosen)
  return functions.find((item) => decoded(item, data) !== undefined)
}

/** Returns the values of calldata by a function; undefined if they do not fit it exactly. */
function decoded(item: AbiItem, data: string) {
  if (!data.startsWith(item.selector)) return undefined
  const found = decodeBySelector('function', data as `0x${string}`, [new AbiRegistry([item])])
  return found.kind === 'decoded' && found.isExact ? found.values : undefined
}

function startOf(item: AbiItem, data: string, at: number): string {
  const value = decoded(item, data)?.[at]
  return value === undefined ? '' : argumentText(value)
}
