import { delay } from '../../base/timer.ts'
import type { HeadFeed } from '../consensus/head-feed.ts'
import { type ExportOptions, exportSnapshot } from './export-snapshot.ts'
import type { SnapshotMetadata } from './metadata.ts'
import { removeOld } from './snapshot-dir.ts'

/** Between two looks at the state commit: the next version may reach the disk some blocks later. */
const COMMIT_MS = 1

/** An export rests this long after each of its turns of 2 ms, so that blocks keep the thread. */
const REST_MS = 8

export interface SnapshotScheduleOptions {
  /** Blocks between two snapshots. */
  readonly interval: number
  /** Newest snapshots kept; 0 keeps all. */
  readonly keepRecent: number
  readonly heads: HeadFeed
  /** Newest version of the state commit. */
  readonly version: () => number
  readonly source: Omit<ExportOptions, 'height' | 'pause'>
  readonly onExported: (snapshot: SnapshotMetadata) => void
  readonly onFailure: (thrown: unknown) => void
}

/**
 * Exports a snapshot of each height that is a multiple of the interval, unless one is being exported: all nodes have
 * the same ones then, and a chunk can come from any of them. A failure is reported, and the next export begins all the
 * same.
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

  /** Resolves when nothing is exported any more. The next export removes a snapshot that was begun. */
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
      // The state commit is a little behind the block, and has its version on disk as soon as it has it.
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
