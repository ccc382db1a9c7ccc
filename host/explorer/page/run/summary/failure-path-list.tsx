import type { CallNode } from '../../../browser/step/stepper.ts'
import { calledFunctionName } from '../../decode/words/call-words.ts'
import { faultWords } from '../../decode/words/fault-words.ts'
import { useExplorer } from '../../state/explorer-context.ts'
import type { OpenedRun } from '../../state/opened-run.ts'
import { AddressLink } from '../../text/address-link.tsx'

interface Props {
  readonly run: OpenedRun
  /** Innermost first. */
  readonly failed: readonly CallNode[]
}

/** More would not be readable. */
const MOST = 20

/** The calls through which a failure propagated, innermost first. */
export function FailurePathList({ run, failed }: Props) {
  const lens = useExplorer().uploads.lens.value
  return (
    <ol class="lines failure-way" aria-label="Failed calls, innermost first">
      {failed.slice(0, MOST).map((call) => (
        <li key={call.index}>
          <button
            type="button"
            class="text-button mono"
            onClick={() => run.location.set({ tab: 'calls', call: call.index }, 'push')}
          >
            {calledFunctionName(call, lens)}
          </button>{' '}
          of <AddressLink address={call.to} />: {faultWords(call, lens)?.title}
        </li>
      ))}
      {failed.length > MOST && <li class="muted">and {failed.length - MOST} calls above</li>}
    </ol>
  )
}
