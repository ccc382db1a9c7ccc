import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { LockstepError } from '../../base/error.ts'
import { RocksBackend } from './rocksdb/rocksdb-backend.ts'
import { SegmentBackend } from './segment/segment-backend.ts'
import type { StateBackend } from './state/state-backend.ts'
import type { StoreThread } from './thread/store-thread.ts'

/** Values of `ss-backend`. */
export type StoreBackend = 'lmdb' | 'pebbledb' | 'rocksdb'

/** Backend by `ss-backend`; `pebbledb` has no binding for Node. */
const SERVED_BY = { lmdb: 'lmdb', pebbledb: 'lmdb', rocksdb: 'rocksdb' } as const

/** Directories of the general member by the backend that serves it; operators' scripts use the first. */
const GENERAL_DIRS = { lmdb: 'pebbledb', rocksdb: 'rocksdb' } as const

export type ServedBy = (typeof SERVED_BY)[StoreBackend]

export function servedBy(backend: StoreBackend): ServedBy {
  return SERVED_BY[backend]
}

/** Returns the general member's directory below `dataDir`. */
export function generalDir(dataDir: string, backend: StoreBackend): string {
  return join(dataDir, GENERAL_DIRS[SERVED_BY[backend]])
}

/** Returns the EVM member's directory below `dataDir`. */
export function evmDir(dataDir: string): string {
  return join(dataDir, 'evm_ss')
}

/**
 * Returns the backend that serves `ss-backend`.
 * @param thread - Does the work of the default backend.
 * @param onFailure - Called with failures in the background.
 * @throws UNSUPPORTED for `rocksdb` if its package is not installed.
 */
export async function chooseBackend(
  backend: StoreBackend,
  thread: StoreThread,
  onFailure: (thrown: unknown) => void,
): Promise<StateBackend> {
  return SERVED_BY[backend] === 'rocksdb'
    ? RocksBackend.load(onFailure)
    : new SegmentBackend(thread, onFailure)
}

/**
 * Rejects a home whose state lies in another backend's databases: there is no migration.
 * @throws STORE_BACKEND_CHANGED
 */
export function checkBackend(dataDir: string, backend: StoreBackend): void {
  const dir = generalDir(dataDir, backend)
  if (existsSync(dir)) return
  for (const [other, name] of Object.entries(GENERAL_DIRS)) {
    if (other === SERVED_BY[backend] || !existsSync(join(dataDir, name))) continue
    throw new LockstepError(
      'STORE_BACKEND_CHANGED',
      `ss-backend is "${backend}", but the state of ${dataDir} was written by "${other}" (${name})`,
      { hint: `set ss-backend = "${other}" again, or import a snapshot into a new home` },
    )
  }
}
