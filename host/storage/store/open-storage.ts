import { join } from 'node:path'
import { checkBackend, chooseBackend, evmDir, generalDir } from './backend-choice.ts'
import { openChainDatabases } from './chain/chain-databases.ts'
import { Failures } from './failures.ts'
import { NodeStorage } from './node-storage.ts'
import { openMembers } from './state/split.ts'
import type { StorageOptions } from './storage-options.ts'
import { StoreThread } from './thread/store-thread.ts'
import { WriteAheadLog } from './wal/write-ahead-log.ts'

/**
 * Opens the storage under `options.dir`, and replays the heights that the write-ahead log has and the tables lack.
 * @throws STORE_SPLIT_REFUSED (safety checks 1 to 3), STORE_BACKEND_CHANGED, STORE_CORRUPTED, STORE_FULL, UNSUPPORTED
 * for the backend `rocksdb` if its package is not installed.
 */
export async function openStorage(options: StorageOptions): Promise<NodeStorage> {
  const { dir, evmSplit, evmSeparateDbs } = options
  const failures = new Failures()
  const thread = new StoreThread()
  checkBackend(dir, options.backend)
  const backend = await chooseBackend(options.backend, thread, (thrown) => failures.add(thrown))
  const opened: { close(): Promise<void> }[] = [thread, backend]
  try {
    const split = await openMembers({
      backend,
      generalDir: generalDir(dir, options.backend),
      evmDir: evmDir(dir),
      evmSplit,
      evmSeparateDbs,
    })
    opened.push(...split.evm, split.general)
    const { walFileBytes, isLate = false } = options
    const wal = WriteAheadLog.open(join(dir, 'wal'), {
      isLate,
      ...(walFileBytes !== undefined && { fileBytes: walFileBytes }),
    })
    opened.push(wal)
    const { blocks, transactions, logs, dropped } = await openChainDatabases(dir)
    opened.push(blocks, transactions, logs)
    for (const index of dropped) options.onDroppedIndex?.(index)
    const stored = blocks.latest
    const parts = { wal, thread, backend, split, blocks, transactions, logs }
    const storage = new NodeStorage(options, parts, failures)
    await storage.chain.index(stored, options.onIndexing ?? (() => {}))
    for (const database of [...split.evm, split.general]) database.removeLeftovers()
    return storage
  } catch (thrown) {
    await Promise.all(opened.map((part) => part.close()))
    throw thrown
  }
}
