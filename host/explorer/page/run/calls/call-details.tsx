import type { CallNode } from '../../../browser/step/stepper.ts'
import { decodeReturn } from '../../decode/abi/decode-item.ts'
import { countText, weiText } from '../../decode/format/amount.ts'
import { calledFunctionName, decodedCallOf } from '../../decode/words/call-words.ts'
import { faultWords } from '../../decode/words/fault-words.ts'
import { useExplorer } from '../../state/explorer-context.ts'
import type { OpenedRun } from '../../state/opened-run.ts'
import { AddressLink } from '../../text/address-link.tsx'
import { LongText } from '../../text/long-text.tsx'
import { PhraseText } from '../../text/phrase-text.tsx'
import { ValueTable } from '../../text/value-table.tsx'

interface Props {
  readonly run: OpenedRun
  readonly call: CallNode
}

/** The details of a call. */
export function CallDetails({ run, call }: Props) {
  const lens = useExplorer().uploads.lens.value
  const input = decodedCallOf(call, lens)
  const output =
    input?.kind === 'decoded' && input.item.kind === 'function' && call.fault === undefined
      ? decodeReturn(call.output, input)
      : undefined
  const fault = faultWords(call, lens, run.calls.value)
  const hasSteps = call.endStep > call.firstStep
  const debug = (step: number) => run.location.set({ tab: 'debug', step, call: undefined }, 'push')
  return (
    <section class="call-details" aria-labelledby="call-title">
      <h2 id="call-title">
        {call.type} <code>{calledFunctionName(call, lens)}</code>
      </h2>
      {fault !== undefined && (
        <div class="notice is-error">
          <p>
            <strong>{fault.title}</strong>
          </p>
          <p>{fault.what}</p>
          {fault.cause.length > 0 && (
            <p class="muted">
              <PhraseText phrase={fault.cause} run={run} />
            </p>
          )}
        </div>
      )}
      <p class="buttons">
        <button
          type="button"
          class="button"
          disabled={!hasSteps}
          onClick={() => debug(call.firstStep)}
        >
          Debug from its first step
        </button>
        {call.fault?.step !== undefined && (
          <button type="button" class="button" onClick={() => debug(call.fault?.step ?? 0)}>
            Debug where it failed
          </button>
        )}
      </p>
      <dl class="facts">
        <dt>From</dt>
        <dd>
          <AddressLink address={call.from} isLong />
        </dd>
        <dt>To</dt>
        <dd>
          <AddressLink address={call.to} isLong />
        </dd>
        {call.codeAddress !== call.to && (
          <>
            <dt>Code of</dt>
            <dd>
              <AddressLink address={call.codeAddress} isLong />
            </dd>
          </>
        )}
        {call.value !== undefined && (
          <>
            <dt>Value</dt>
            <dd>{weiText(call.value)}</dd>
          </>
        )}
        <dt>Gas</dt>
        <dd>
          {countText(call.gasUsed)} used of {countText(call.gas)}
        </dd>
        <dt>Steps</dt>
        <dd>
          {hasSteps
            ? `${countText(call.firstStep)} to ${countText(call.endStep - 1)}`
            : 'none: no code ran'}
        </dd>
      </dl>
      <h3>Input</h3>
      {input?.kind === 'decoded' && (
        <ValueTable caption={input.item.signature} values={input.values} />
      )}
      {input?.kind === 'raw' && <p class="muted">Not decoded: {input.why}.</p>}
      <p>
        <LongText text={call.input} name="the input" />
      </p>
      <h3>Output</h3>
      {output?.kind === 'values' && output.found.values.length > 0 && (
        <ValueTable caption="Values it returned" values={output.found.values} />
      )}
      <p>
        <LongText text={call.output} name="the output" />
      </p>
    </section>
  )
}
