import { statSync } from 'node:fs'
import { join } from 'node:path'
import { LockstepError } from '../../base/error.ts'
import { ClaimStore } from './claim-store.ts'
import {
  databaseOf,
  exitedDeliveries,
  expectHere,
  type FolderEntry,
  FolderOwners,
  ownersWithDeliveries,
  removeDeliveries,
} from './claims-folder.ts'

/**
 * Rejects an emptied file: LMDB would start afresh, and every payment could be claimed again. @throws STORE_CORRUPTED
 */
function expectNotEmptied(dir: string): void {
  const path = join(dir, 'data.mdb')
  if (statSync(path, { throwIfNoEntry: false })?.size !== 0) return
  throw new LockstepError('STORE_CORRUPTED', `${path} is damaged: it is empty`, { data: { path } })
}

/**
 * Opens the database of a joined folder and adds the deliveries that exited processes logged but did not commit.
 * @throws STORE_CORRUPTED, STORE_DENIED, STORE_FULL; CONFIG_INVALID if the claims were moved
 */
export async function openStore(
  folder: string,
  { own, isShared }: Pick<FolderEntry, 'own' | 'isShared'>,
): Promise<ClaimStore> {
  expectHere(folder)
  if (!isShared) expectNotEmptied(databaseOf(folder))
  const store = new ClaimStore(databaseOf(folder), new FolderOwners(folder, own), isShared)
  try {
    for (const owner of ownersWithDeliveries(folder)) {
      const keys = exitedDeliveries(folder, owner)
      if (keys.length > 0) store.write((steps) => steps.deliverExited(owner, keys, Date.now()))
      removeDeliveries(folder, owner)
    }
    return store
  } catch (thrown) {
    await store.close()
    throw thrown
  }
}
