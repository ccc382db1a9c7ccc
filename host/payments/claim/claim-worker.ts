import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { LockstepError } from '../../base/error.ts'
import { toPlainError } from '../../base/plain-error.ts'
import { claimFailure } from './claim-failure.ts'
import type {
  ClaimAnswer,
  ClaimBatch,
  ClaimDone,
  ClaimWork,
  ClaimWorkerData,
} from './claim-messages.ts'
import type { ClaimSteps, ClaimStore } from './claim-store.ts'
import { openStore } from './open-store.ts'

// The thread that writes claims: a commit waits for the disk, and nothing else has to.

const { folder, own, isShared } = workerData as ClaimWorkerData
const port = parentPort as MessagePort

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

/** A row that cannot be read fails who asked for it; a write that fails undoes the transaction. */
function attempt(steps: ClaimSteps, work: ClaimWork): ClaimDone {
  try {
    return apply(steps, work)
  } catch (thrown) {
    if (!(thrown instanceof LockstepError)) throw thrown
    return { error: toPlainError(thrown) }
  }
}

function answer(done: readonly ClaimDone[], error?: unknown): void {
  const message: ClaimAnswer =
    error === undefined ? { done } : { done, error: toPlainError(claimFailure(folder, error)) }
  port.postMessage(message)
}

function serve(store: ClaimStore): void {
  port.on('message', async (batch: ClaimBatch) => {
    try {
      if (batch.length > 0) {
        answer(store.write((steps) => batch.map((work) => attempt(steps, work))))
        return
      }
      await store.close()
      port.close()
      answer([])
    } catch (thrown) {
      answer([], thrown)
    }
  })
}

try {
  serve(await openStore(folder, { own, isShared }))
  answer([])
} catch (thrown) {
  answer([], thrown)
}
