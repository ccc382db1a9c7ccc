import { useMemo } from 'preact/hooks'
import type { CallNode, LogNode } from '../../../browser/step/stepper.ts'
import { decodeLog, type PreimageLookup } from '../../decode/abi/decode-item.ts'
import { useExplorer } from '../../state/explorer-context.ts'
import type { OpenedRun } from '../../state/opened-run.ts'
import { AddressLink } from '../../text/address-link.tsx'
import { LongText } from '../../text/long-text.tsx'
import { ValueTable } from '../../text/value-table.tsx'

interface Props {
  readonly run: OpenedRun
  readonly log: LogNode
  readonly call: CallNode
  /** From 0. */
  readonly place: number
  readonly preimageOf: PreimageLookup
}

/** A log: the decoded event, or its raw topics and data. */
export function LogItem({ run, log, call, place, preimageOf }: Props) {
  const lens = useExplorer().uploads.lens.value
  const decoded = useMemo(() => decodeLog(log, lens, preimageOf), [log, lens, preimageOf])
  const title = decoded.kind === 'decoded' ? decoded.item.name : 'Unknown event'
  return (
    <li class="log-item">
      <h2>
        <span class="muted">{place}</span> <code>{title}</code> of{' '}
        <AddressLink address={log.address} />
        {log.isReverted && <span class="badge is-bad">reverted</span>}
      </h2>
      {decoded.kind === 'decoded' ? (
        <ValueTable caption={decoded.item.signature} values={decoded.values} />
      ) : (
        <>
          <p class="muted">Not decoded: {decoded.why}.</p>
          <dl class="facts">
            {log.topics.map((topic, number) => (
              <>
                <dt>Topic {number}</dt>
                <dd>
                  <code>{topic}</code>
                </dd>
              </>
            ))}
            <dt>Data</dt>
            <dd>
              <LongText text={log.data} name="the data" />
            </dd>
          </dl>
        </>
      )}
      <p class="buttons">
        <button
          type="button"
          class="text-button"
          onClick={() => run.location.set({ tab: 'calls', call: call.index }, 'push')}
        >
          Its call
        </button>
        {log.step !== undefined && (
          <button
            type="button"
            class="text-button"
            onClick={() =>
              run.location.set({ tab: 'debug', step: log.step, call: undefined }, 'push')
            }
          >
            Step {log.step}
          </button>
        )}
      </p>
    </li>
  )
}
