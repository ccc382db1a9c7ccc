import { LockstepError } from '../../../base/error.ts'
import { pause } from '../../../base/timer.ts'
import type { NodeReader } from './node-reader.ts'

export interface HeadWatchOptions {
  /** Stops the watch. */
  readonly signal: AbortSignal
  /** Milliseconds between two requests to a responding node. */
  readonly everyMs?: number
  /** Called with the current block number at first, and then with each change. */
  readonly onHead: (height: number) => void
  /** Called once with the failure when the node stops answering; the watch continues. */
  readonly onFailure: (failure: LockstepError) => void
}

const EVERY_MS = 2_000
const LONGEST_MS = 60_000

/** The part of a page's document that tells whether the page is visible. */
interface Watched {
  readonly hidden?: boolean
  addEventListener(type: string, listener: () => void): void
  removeEventListener(type: string, listener: () => void): void
}

/**
 * Polls for new blocks until the signal stops it: less and less often while the node does not answer, and not at all
 * while the page is hidden.
 */
export async function watchHeads(
  reader: Pick<NodeReader, 'height'>,
  { signal, everyMs = EVERY_MS, onHead, onFailure }: HeadWatchOptions,
): Promise<void> {
  let known: number | undefined
  let failures = 0
  while (!signal.aborted) {
    await shown(signal)
    if (signal.aborted) return
    try {
      const height = await reader.height()
      if (signal.aborted) return
      failures = 0
      if (height !== known) onHead(height)
      known = height
    } catch (thrown) {
      if (!(thrown instanceof LockstepError)) throw thrown
      if (signal.aborted) return
      failures++
      if (failures === 1) onFailure(thrown)
    }
    const ms = Math.min(LONGEST_MS, everyMs * 2 ** Math.min(failures, 16))
    await pause(ms, signal)
  }
}

/** Resolves when the page is visible or the signal is aborted; at once if there is no page. */
function shown(signal: AbortSignal): Promise<void> {
  const { document } = globalThis as { document?: Watched }
  if (document?.hidden !== true) return Promise.resolve()
  return new Promise((resolve) => {
    const look = (): void => {
      if (document.hidden === true && !signal.aborted) return
      document.removeEventListener('visibilitychange', look)
      signal.removeEventListener('abort', look)
      resolve()
    }
    document.addEventListener('visibilitychange', look)
    signal.addEventListener('abort', look)
  })
}
