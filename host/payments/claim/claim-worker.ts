import { serveWork } from '../../base/worker/serve-work.ts'
import { applyClaimWork } from './apply-claim-work.ts'
import { claimFailure } from './claim-failure.ts'
import type { ClaimDone, ClaimRequest } from './claim-messages.ts'
import type { ClaimStore } from './claim-store.ts'
import { openStore } from './open-store.ts'

// Worker that writes claims, so that only this thread waits for the disk.

let folder = ''
let opened: ClaimStore | undefined

async function perform(request: ClaimRequest): Promise<readonly ClaimDone[]> {
  if (request.kind === 'open') {
    folder = request.folder
    opened = await openStore(folder, request)
    return []
  }
  const store = opened as ClaimStore
  if (request.kind === 'write') {
    return store.write((steps) => request.works.map((work) => applyClaimWork(steps, work)))
  }
  await store.close()
  return []
}

serveWork((request: ClaimRequest) =>
  perform(request).catch((thrown) => {
    throw claimFailure(folder, thrown)
  }),
)
