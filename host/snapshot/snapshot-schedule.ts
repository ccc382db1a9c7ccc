import { setTimeout as delay } from 'node:timers/promises'
import type { HeadFeed } from '../consensus/head-feed.ts'
import { type ExportOptions, exportSnapshot } from './export-snapshot.ts'
import type { SnapshotMetadata } from './metadata.ts'
import { removeOld } from './snapshot-dir.ts'

/** An export rests this long after each of its turns of 2 ms, so that blocks keep the thread. */
const REST_MS = 8

export interface SnapshotScheduleOptions {
  /** Blocks between two snapshots. */
  readonly interval: number
  /** Newest snapshots kept; 0 keeps all. */
  readonly keepRecent: number
  readonly heads: HeadFeed
  readonly source: Omit<ExportOptions, 'height' | 'pause'>
  readonly onExported: (snapshot: SnapshotMetadata) => void
  readonly onFailure: (thrown: unknown) => void
}

/**
 * Exports a snapshot of the newest state on disk after each block whose height is a multiple of the
 * interval, unless one is being exported. A failure is reported, and the next export begins all the same.
 */
export class SnapshotSchedule {
  readonly #options: SnapshotScheduleOptions
  readonly #stopping = new AbortController()
  readonly #unsubscribe: () => void
  #running: Promise<void> | undefined

  constructor(options: SnapshotScheduleOptions) {
    this.#options = options
    this.#unsubscribe = options.heads.onBlock(({ block }) => {
      if (block.header.number % options.interval === 0) this.#start()
    })
  }

  /** Resolves when nothing is exported any more. The next export removes a snapshot that was begun. */
  async stop(): Promise<void> {
    this.#unsubscribe()
    this.#stopping.abort()
    await this.#running
  }

  #start(): void {
    this.#running ??= this.#export().finally(() => {
      this.#running = undefined
    })
  }

  async #export(): Promise<void> {
    const { source, keepRecent, onExported, onFailure } = this.#options
    const { signal } = this.#stopping
    try {
      const pause = (): Promise<void> => delay(REST_MS, undefined, { signal })
      const { metadata } = await exportSnapshot({ ...source, pause })
      if (keepRecent > 0) removeOld(source.folder, keepRecent)
      onExported(metadata)
    } catch (thrown) {
      if (signal.aborted) return
      onFailure(thrown)
    }
  }
}
