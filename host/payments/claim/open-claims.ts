import { WorkerClient } from '../../base/worker/worker-client.ts'
import type { ClaimDone, ClaimRequest } from './claim-messages.ts'
import { ClaimQueue } from './claim-queue.ts'
import type { Claims } from './claims.ts'
import { deliveriesOf, enterFolder, type FolderEntry } from './claims-folder.ts'
import { DeliveryLog } from './delivery-log.ts'

async function openQueue(folder: string, entry: FolderEntry, script: URL): Promise<ClaimQueue> {
  const { own, isShared, leave } = entry
  const deliveries = new DeliveryLog(deliveriesOf(folder, own))
  const worker = new WorkerClient<ClaimRequest, readonly ClaimDone[]>({
    script,
    name: `the thread that writes the claims of ${folder}`,
    hint: 'restart the server: it serves no paid requests until then',
    onDeath: (error) => queue.fail(error),
  })
  const queue = new ClaimQueue({
    writer: {
      write: (works) => worker.run({ kind: 'write', works }),
      close: () => worker.close({ kind: 'close' }),
    },
    deliveries,
    leave,
  })
  try {
    await worker.run({ kind: 'open', folder, own, isShared })
    return queue
  } catch (thrown) {
    deliveries.remove()
    await worker.close()
    throw thrown
  }
}

/**
 * Opens the claims of a folder, which is created if missing. Several processes may have it open at once.
 * @param script entry file of the claim thread
 * @throws STORE_CORRUPTED, STORE_DENIED, STORE_FULL, SERVER_BUSY
 */
export async function openClaims(
  folder: string,
  script = new URL('./claim-worker.ts', import.meta.url),
): Promise<Claims> {
  const { opened } = await enterFolder(folder, (entry) => openQueue(folder, entry, script))
  return opened
}
