import { join } from 'node:path'
import {
  chooseBackend,
  evmDir,
  generalDir,
  type StoreBackend,
} from '../../../host/storage/store/backend-choice.ts'
import type { BlockRecord } from '../../../host/storage/store/codec/block-record.ts'
import type { NodeStorage } from '../../../host/storage/store/node-storage.ts'
import { openStorage } from '../../../host/storage/store/open-storage.ts'
import { TABLES } from '../../../host/storage/store/state/table-rows.ts'
import { StoreThread } from '../../../host/storage/store/thread/store-thread.ts'
import { emptyRecord } from '../workload.ts'
import type { OpenedLayout, StoreLayout } from './layout.ts'

/** The node's own storage. `evmSplit` keeps EVM data in separate databases. */
export function lockstepLayout(
  name: string,
  backend: StoreBackend,
  evmSplit: boolean,
): StoreLayout {
  const open = (dir: string): Promise<NodeStorage> =>
    openStorage({
      dir,
      backend,
      evmSplit,
      evmSeparateDbs: true,
      keepRecent: 0,
      retainBlocks: 0,
      flushInterval: 100,
    })
  return {
    name,
    async preload(dir, rows) {
      const storage = await open(dir)
      await storage.append(emptyRecord(0))
      await storage.close()
      const thread = new StoreThread()
      const databases = await chooseBackend(backend, thread, (thrown) => {
        throw thrown
      })
      // The member of accounts, in a home with only the genesis block.
      const member = evmSplit
        ? await databases.open(join(evmDir(dir), 'account'), ['account'])
        : await databases.open(generalDir(dir, backend), TABLES)
      const loader = member.loader('account', 0)
      for (const row of rows) loader.add(row)
      await loader.finish()
      await thread.close()
      await databases.close()
      await member.close()
    },
    async open(dir) {
      return new LockstepStore(await open(dir))
    },
  }
}

class LockstepStore implements OpenedLayout {
  readonly #storage: NodeStorage

  constructor(storage: NodeStorage) {
    this.#storage = storage
  }

  get lag(): number {
    return this.#storage.figures().pendingHeights
  }

  append(record: BlockRecord): Promise<void> {
    return this.#storage.append(record)
  }

  account(address: Uint8Array, height: number): Uint8Array | undefined {
    return this.#storage.state.view(height).account(address)
  }

  settle(): Promise<void> {
    return this.#storage.settle()
  }

  close(): Promise<void> {
    return this.#storage.close()
  }
}
