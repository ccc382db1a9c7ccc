import { readdirSync, rmSync } from 'node:fs'
import { ClaimStore } from './claim-store.ts'
import {
  databaseOf,
  deliveriesOf,
  type FolderEntry,
  FolderOwners,
  isLocked,
  ownersOf,
} from './claims-folder.ts'
import { readDeliveries } from './delivery-log.ts'

const DELIVERIES = /^([0-9a-f]{16})\.delivered$/

/**
 * Opens the database of a folder that was entered, with what processes that are gone had delivered and not written.
 * @throws STORE_CORRUPTED, STORE_DENIED, STORE_FULL
 */
export async function openStore(
  folder: string,
  { own, isShared }: Pick<FolderEntry, 'own' | 'isShared'>,
): Promise<ClaimStore> {
  const store = new ClaimStore(databaseOf(folder), new FolderOwners(folder, own), isShared)
  try {
    for (const name of readdirSync(ownersOf(folder))) {
      const [, owner] = DELIVERIES.exec(name) ?? []
      if (owner === undefined || isLocked(folder, owner)) continue
      const path = deliveriesOf(folder, owner)
      const keys = readDeliveries(path)
      if (keys.size > 0) store.write((steps) => steps.deliverLeft(owner, keys.values(), Date.now()))
      rmSync(path, { force: true })
    }
    return store
  } catch (thrown) {
    await store.close()
    throw thrown
  }
}
