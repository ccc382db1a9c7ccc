import { LockstepError } from '../../base/error.ts'
import { toPlainError } from '../../base/plain-error.ts'
import { serveWork } from '../../base/worker/serve-work.ts'
import { claimFailure } from './claim-failure.ts'
import type { ClaimDone, ClaimRequest, ClaimWork } from './claim-messages.ts'
import type { ClaimSteps, ClaimStore } from './claim-store.ts'
import { openStore } from './open-store.ts'

// Worker that writes claims, so that only this thread waits for the disk.

let folder = ''
let opened: ClaimStore | undefined

function apply(steps: ClaimSteps, work: ClaimWork): ClaimDone {
  switch (work.kind) {
    case 'claim':
      return { outcome: steps.claim(work.key, work.facts, work.maxAttempts, Date.now()) }
    case 'obstacle':
      return steps.obstacle(work.key, work.facts)
    case 'settling':
      steps.settling(work.key, work.txHash)
      return {}
    case 'settled':
      steps.settled(work.key, work.txHash)
      return {}
    case 'delivered':
      steps.delivered(work.key, Date.now())
      return {}
    case 'describe':
      steps.describe(work.chainId, work.asset, work.unit)
      return {}
    case 'removed':
      steps.removed(work.chainId, work.txHashes)
      return {}
    case 'release':
      steps.release(work.key)
      return {}
    case 'failed':
      steps.failed(work.key)
      return {}
  }
}

/** An unreadable row fails its own caller only; a failed write rolls back the transaction. */
function attempt(steps: ClaimSteps, work: ClaimWork): ClaimDone {
  try {
    return apply(steps, work)
  } catch (thrown) {
    if (!(thrown instanceof LockstepError)) throw thrown
    return { error: toPlainError(thrown) }
  }
}

async function perform(request: ClaimRequest): Promise<readonly ClaimDone[]> {
  if (request.kind === 'open') {
    folder = request.folder
    opened = await openStore(folder, request)
    return []
  }
  const store = opened as ClaimStore
  if (request.kind === 'write') {
    return store.write((steps) => request.works.map((work) => attempt(steps, work)))
  }
  await store.close()
  return []
}

serveWork((request: ClaimRequest) =>
  perform(request).catch((thrown) => {
    throw claimFailure(folder, thrown)
  }),
)
