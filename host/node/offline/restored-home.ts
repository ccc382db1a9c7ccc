import type { SnapshotHome } from '../../chain/snapshot/abci/snapshot-restore.ts'
import { writeProgress } from '../../chain/snapshot/import-progress.ts'
import type { SnapshotImportOptions } from '../../chain/snapshot/import-snapshot.ts'
import type { SnapshotMetadata } from '../../chain/snapshot/metadata.ts'
import { STREAM_START } from '../../chain/snapshot/stream-reader.ts'
import { readRestored, writeRestored } from '../home/restored-snapshot.ts'
import { type HomeContext, importHome } from './home-snapshots.ts'
import { hasChain } from './state-sync-home.ts'

export interface RestoredHomeOptions {
  readonly context: HomeContext
  /** Opens the chain; resolves when it is served. */
  readonly open: () => Promise<void>
  /** Called with each step of an import; an error it throws aborts the import. */
  readonly onStep?: NonNullable<SnapshotImportOptions['onStep']>
}

/** The home of a node whose CometBFT starts from a snapshot of its peers. */
export class RestoredHome implements SnapshotHome {
  readonly #options: RestoredHomeOptions
  #restored: string | undefined

  constructor(options: RestoredHomeOptions) {
    this.#options = options
    const { home, config } = options.context
    this.#restored = hasChain(home, config) ? readRestored(home.data.directory)?.hash : undefined
  }

  get restored(): string | undefined {
    return this.#restored
  }

  async forget(): Promise<void> {
    const { directory } = this.#options.context.home.data
    // From here on the home has no chain, even if the removal is interrupted: the import removes the rest.
    const none = { snapshot: '', height: 0, chunks: 0, position: STREAM_START, isProven: false }
    await writeProgress(directory, none)
    this.#restored = undefined
  }

  async importFrom(dir: string, { hash, height }: SnapshotMetadata): Promise<void> {
    const { context, onStep = () => undefined } = this.#options
    // Written first: if CometBFT exits before it learns of the restored chain, it offers the snapshot again.
    await writeRestored(context.home.data.directory, { hash, height })
    await importHome(context, { dir, genesis: undefined, mode: undefined }, onStep)
    this.#restored = hash
  }

  open(): Promise<void> {
    return this.#options.open()
  }
}
