import { useSignal } from '@preact/signals'
import type { TargetedSubmitEvent } from 'preact'
import type { Hex } from '../../../base/hex.ts'
import { parseData } from '../../../base/hex.ts'
import { type PlainError, toPlainError } from '../../../base/plain-error.ts'
import type { NodeClient } from '../../../client/remote-node/node-client.ts'
import { type ContractAnswer, callContract } from '../../browser/source/contract-call.ts'
import { encodeTypedCall } from '../debug/what-if/argument.ts'
import type { AbiItem } from '../decode/abi/abi-item.ts'
import { abisFor, decodeBySelector } from '../decode/abi/decode-item.ts'
import { decodeValues } from '../decode/abi/decode-values.ts'
import { middleCut } from '../decode/format/middle-cut.ts'
import { safeText } from '../decode/format/safe-text.ts'
import { ErrorNotice } from '../frame/error-notice.tsx'
import { useExplorer } from '../state/explorer-context.ts'
import { LongText } from '../text/long-text.tsx'
import { ValueTable } from '../text/value-table.tsx'
import { CallField } from './call-field.tsx'

interface Props {
  readonly id: string
  readonly item: AbiItem
  readonly address: Hex
  readonly client: NodeClient
}

const LONGEST_NAME = 80

/** A function that only reads: its arguments, and what the node returns. */
export function ReadFunction({ id, item, address, client }: Props) {
  const outcome = useSignal<ContractAnswer | undefined>(undefined)
  const error = useSignal<PlainError | undefined>(undefined)
  const name = middleCut(safeText(item.name), LONGEST_NAME)
  const read = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const { elements } = event.currentTarget
    const texts = item.inputs.map(
      (_, at) => (elements.namedItem(`${id}-${at}`) as HTMLInputElement).value,
    )
    error.value = undefined
    try {
      outcome.value = await callContract(client, address, encodeTypedCall(item, texts))
    } catch (thrown) {
      outcome.value = undefined
      error.value = toPlainError(thrown)
    }
  }
  return (
    <form class="read-function" onSubmit={read} aria-label={`Read ${name}`}>
      <div class="buttons">
        <code class="wrap">{middleCut(safeText(item.signature), 300)}</code>
        <button type="submit" class="button" aria-label={`Read ${name}`}>
          Read
        </button>
      </div>
      {item.inputs.map((input, at) => (
        <CallField
          key={`${id} ${at}`}
          id={`${id}-${at}`}
          label={middleCut(safeText(input.name ?? `argument ${at}`), LONGEST_NAME)}
          note={middleCut(safeText(input.type), LONGEST_NAME)}
          start=""
          describedBy={`${id}-answer`}
        />
      ))}
      <div id={`${id}-answer`} role="status">
        {outcome.value !== undefined && (
          <Outcome item={item} outcome={outcome.value} address={address} />
        )}
        {error.value !== undefined && <ErrorNotice error={error.value} />}
      </div>
    </form>
  )
}

interface OutcomeProps {
  readonly item: AbiItem
  readonly outcome: ContractAnswer
  readonly address: Hex
}

function Outcome({ item, outcome, address }: OutcomeProps) {
  const lens = useExplorer().uploads.lens.value
  const { output } = outcome
  if (outcome.kind === 'failed') {
    const error = decodeBySelector('error', output, abisFor(lens, address))
    const said = error.kind === 'decoded' ? error.text : outcome.message
    return <p class="bad wrap">It failed: {middleCut(safeText(said), 2_000)}</p>
  }
  const found = item.outputs && decodeValues(item.outputs, parseData(output))
  if (found !== undefined && found.problem === undefined) {
    return <ValueTable caption="It returned" values={found.values} />
  }
  return (
    <p>
      {output === '0x' ? (
        'It returned nothing: the address may have no code with this function.'
      ) : (
        <LongText text={output} name="the output" />
      )}
    </p>
  )
}
