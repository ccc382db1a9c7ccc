import { existsSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { LockstepError } from '../../base/error.ts'
import {
  evmDir,
  generalDir,
  type StoreBackend,
  servedBy,
} from '../../storage/store/backend-choice.ts'

/** Databases of a home that a snapshot is imported into. */
export interface ImportTarget {
  /** The home's `data` folder. */
  readonly dataDir: string
  readonly stateCommit: string
  readonly decided: string
  readonly blocks: string
  readonly transactions: string
  readonly logs: string
  readonly general: string
  /** Database of the other backend, left by an import before `ss-backend` was changed. */
  readonly otherGeneral: string
  readonly evm: string
}

export function importTarget(dataDir: string, backend: StoreBackend): ImportTarget {
  return {
    dataDir,
    stateCommit: join(dataDir, 'committer.db'),
    decided: join(dataDir, 'blockstore.db'),
    blocks: join(dataDir, 'chain.db'),
    transactions: join(dataDir, 'tx_index.db'),
    logs: join(dataDir, 'log_index.db'),
    general: generalDir(dataDir, backend),
    otherGeneral: generalDir(dataDir, servedBy(backend) === 'lmdb' ? 'rocksdb' : 'lmdb'),
    evm: evmDir(dataDir),
  }
}

/** Data that grows with a chain but is not part of a snapshot. */
const BESIDE = ['wal', 'event_index.db', 'address_index.db']

/**
 * Rejects a home that has a chain.
 * @param snapshot path of the snapshot to import, which must not be deleted with the chain
 * @throws HOME_NOT_EMPTY
 */
export function requireEmptyHome({ dataDir, ...databases }: ImportTarget, snapshot: string): void {
  const isInside = !relative(dataDir, snapshot).startsWith('..')
  for (const dir of [join(dataDir, 'wal'), ...Object.values(databases)]) {
    if (!existsSync(dir)) continue
    throw new LockstepError(
      'HOME_NOT_EMPTY',
      `${dataDir} holds a chain already (${dir}): a snapshot is imported into an empty home`,
      isInside
        ? { hint: `move ${snapshot} out of data, then run \`lockstep consensus unsafe-reset-all\`` }
        : {},
    )
  }
}

export function removeStateStore({ general, otherGeneral, evm }: ImportTarget): void {
  for (const dir of [general, otherGeneral, evm]) rmSync(dir, { recursive: true, force: true })
}

export function removeAll(target: ImportTarget): void {
  const { dataDir, stateCommit, decided, blocks, transactions, logs } = target
  const beside = BESIDE.map((name) => join(dataDir, name))
  for (const dir of [stateCommit, decided, blocks, transactions, logs, ...beside]) {
    rmSync(dir, { recursive: true, force: true })
  }
  removeStateStore(target)
}
