import { setTimeout as delay } from 'node:timers/promises'
import { messageOf } from '../base/error.ts'
import type { Genesis } from '../chain-types/genesis.ts'
import type { Config } from '../config/schema.ts'
import type { BlockStore } from '../consensus/embedded/block-store.ts'
import type { HeadFeed } from '../consensus/head-feed.ts'
import type { Logger } from '../log/logger.ts'
import { type ExportOptions, exportSnapshot } from '../snapshot/export-snapshot.ts'
import { removeOld } from '../snapshot/snapshot-dir.ts'
import type { ChainStore } from '../store/chain/chain-store.ts'
import type { Closers } from './closers.ts'
import type { Home } from './home/home.ts'
import { snapshotFolder } from './home/snapshot-folder.ts'

/** An export rests this long after each of its turns of 2 ms, so that blocks keep the thread. */
const REST_MS = 8

export interface SnapshotScheduleOptions {
  /** Blocks between two snapshots. */
  readonly interval: number
  /** Newest snapshots kept; 0 keeps all. */
  readonly keepRecent: number
  readonly heads: HeadFeed
  readonly source: Omit<ExportOptions, 'height' | 'pause'>
  readonly logger: Logger
}

/**
 * Exports a snapshot of the newest state on disk after each block whose height is a multiple of the
 * interval, unless one is being exported. One that fails is told, and the next is tried all the same.
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

  /** Resolves when nothing is exported any more. What was begun is removed by the next export. */
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
    const { source, keepRecent, logger } = this.#options
    const { signal } = this.#stopping
    try {
      const pause = (): Promise<void> => delay(REST_MS, undefined, { signal })
      const { metadata } = await exportSnapshot({ ...source, pause })
      if (keepRecent > 0) removeOld(source.folder, keepRecent)
      const { height, chunks } = metadata
      logger.info('snapshot exported', { height, chunks: chunks.length })
    } catch (thrown) {
      if (signal.aborted) return
      logger.error('a snapshot could not be exported', { error: messageOf(thrown) })
    }
  }
}

export interface SnapshotSite {
  readonly home: Home
  readonly config: Config
  readonly genesis: Genesis
  readonly logger: Logger
  readonly closers: Closers
}

/** Has a running node export snapshots, where its configuration asks for them. */
export function scheduleSnapshots(
  { home, config, genesis, logger, closers }: SnapshotSite,
  heads: HeadFeed,
  chain: ChainStore,
  decided: BlockStore,
): void {
  const { snapshotInterval: interval, snapshotKeepRecent: keepRecent } = config.stateSync
  if (interval === 0) return
  const source = {
    genesis,
    chain,
    decided,
    stateCommit: home.data.stateCommit,
    folder: snapshotFolder(home, config),
  }
  const schedule = new SnapshotSchedule({ interval, keepRecent, heads, source, logger })
  closers.add(() => schedule.stop())
}
