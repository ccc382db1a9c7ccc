import { delay } from '../../base/timer.ts'
import type { HeadFeed } from '../consensus/head-feed.ts'
import { type ExportOptions, exportSnapshot } from './export-snapshot.ts'
import type { SnapshotMetadata } from './metadata.ts'
import { removeOld } from './snapshot-dir.ts'

/** Milliseconds between two checks of the state commit, whose next version may be some blocks late. */
const COMMIT_MS = 1

/** Milliseconds that an export rests after each 2 ms of work, so that blocks are not delayed. */
const REST_MS = 8

export interface SnapshotScheduleOptions {
  /** Blocks between two snapshots. */
  readonly interval: number
  /** Number of latest snapshots to retain; 0 for all. */
  readonly keepRecent: number
  readonly heads: HeadFeed
  /** Returns the latest version of the state commit. */
  readonly version: () => number
  readonly source: Omit<ExportOptions, 'height' | 'pause'>
  readonly onExported: (snapshot: SnapshotMetadata) => void
  readonly onFailure: (thrown: unknown) => void
}

/**
 * Exports a snapshot at each multiple of the interval, unless another export is running. All nodes then have the same
 * snapshots, and a chunk can come from any of them. A failure is reported and does not prevent the next export.
 */
export class SnapshotSchedule {
  readonly #options: SnapshotScheduleOptions
  readonly #stopping = new AbortController()
  readonly #unsubscribe: () => void
  #running: Promise<void> | undefined

  constructor(options: SnapshotScheduleOptions) {
    this.#options = options
    this.#unsubscribe = options.heads.onBlock(({ block }) => {
      const { number } = block.header
      if (number % options.interval === 0) this.#start(number)
    })
  }

  /** Aborts a running export and resolves when it has ended. The next export removes its remains. */
  async stop(): Promise<void> {
    this.#unsubscribe()
    this.#stopping.abort()
    await this.#running
  }

  #start(height: number): void {
    this.#running ??= this.#export(height).finally(() => {
      this.#running = undefined
    })
  }

  async #export(height: number): Promise<void> {
    const { source, keepRecent, version, onExported, onFailure } = this.#options
    const { signal } = this.#stopping
    try {
      // The state commit lags slightly behind the block. Its version is on disk as soon as it reports it.
      while (version() < height) await delay(COMMIT_MS, { signal })
      const pause = (): Promise<void> => delay(REST_MS, { signal })
      const { metadata } = await exportSnapshot({ ...source, pause })
      if (keepRecent > 0) removeOld(source.folder, keepRecent)
      onExported(metadata)
    } catch (thrown) {
      if (signal.aborted) return
      onFailure(thrown)
    }
  }
}
