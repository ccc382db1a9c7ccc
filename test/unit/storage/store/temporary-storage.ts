import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { NodeStorage } from '../../../../host/storage/store/node-storage.ts'
import { openStorage } from '../../../../host/storage/store/open-storage.ts'
import type { StorageOptions } from '../../../../host/storage/store/storage-options.ts'

/** Creates a directory that is deleted when the test ends. */
export function temporaryDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'lockstep-store-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** Returns the options of a storage that retains everything, with these changes. */
export function storageOptions(dir: string, changes: Partial<StorageOptions> = {}): StorageOptions {
  return {
    dir,
    backend: 'lmdb',
    evmSplit: false,
    evmSeparateDbs: true,
    keepRecent: 0,
    retainBlocks: 0,
    flushInterval: 4,
    ...changes,
  }
}

export function openAt(dir: string, options: Partial<StorageOptions> = {}): Promise<NodeStorage> {
  return openStorage(storageOptions(dir, options))
}
