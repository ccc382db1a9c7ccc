import { messageOf } from '../../base/error.ts'
import { showUntilAsked } from '../progress/terminal-page.ts'
import type { NodeAddresses } from './consensus-client.ts'
import { type Sample, Samples, takeSample } from './sample.ts'
import { renderPage, renderStatusLine, renderStatusRecord } from './watch-page.ts'

export interface StatusWatchOptions {
  /** Returns the node's current addresses, which may change with a restart. */
  readonly addresses: () => NodeAddresses
  readonly intervalMs: number
  /** True for JSON lines, also on a terminal. */
  readonly asJson: boolean
}

/**
 * Shows the status of a node until it is stopped. Fails if the node does not answer at first; waits if it stops
 * answering later.
 * @throws NODE_UNREACHABLE
 */
export async function watch({ addresses, intervalMs, asJson }: StatusWatchOptions): Promise<void> {
  const samples = new Samples()
  samples.add(await takeSample(addresses()))
  const latest = () => samples.latest as Sample
  let trouble: string | undefined
  await showUntilAsked({
    intervalMs,
    isPage: !asJson,
    page: () => renderPage(latest(), samples.rates, trouble),
    line: () => {
      const record =
        trouble === undefined ? renderStatusRecord(latest(), samples.rates) : { trouble }
      return asJson ? JSON.stringify(record) : renderStatusLine(record)
    },
    refresh: async () => {
      try {
        samples.add(await takeSample(addresses()))
        trouble = undefined
      } catch (thrown) {
        trouble = messageOf(thrown)
      }
    },
  })
}
