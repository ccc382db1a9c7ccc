import { messageOf } from '../../base/error.ts'
import { showUntilAsked } from '../progress/terminal-page.ts'
import type { NodeAddresses } from './consensus-client.ts'
import { type Sample, Samples, takeSample } from './sample.ts'
import { renderLine, renderPage, renderRecord } from './watch-page.ts'

export interface WatchOptions {
  /** Where the node answers, which another one may do elsewhere after a restart. */
  readonly addresses: () => NodeAddresses
  readonly intervalMs: number
  /** True for a JSON object a line, on a terminal too. */
  readonly asJson: boolean
}

/**
 * Shows how a node is until it is asked to end. A node that does not answer at first ends it; one that stops
 * answering later is waited for.
 * @throws NODE_UNREACHABLE
 */
export async function watch({ addresses, intervalMs, asJson }: WatchOptions): Promise<void> {
  const samples = new Samples()
  samples.add(await takeSample(addresses()))
  const latest = () => samples.latest as Sample
  let trouble: string | undefined
  await showUntilAsked({
    intervalMs,
    isPage: !asJson,
    page: () => renderPage(latest(), samples.rates, trouble),
    line: () => {
      const record = trouble === undefined ? renderRecord(latest(), samples.rates) : { trouble }
      return asJson ? JSON.stringify(record) : renderLine(record)
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
