import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { toPlainError } from '../base/plain-error.ts'
import type {
  CommitAnswer,
  CommitOutcome,
  CommitRequest,
  CommitResult,
  NumberedRequest,
} from './commit-messages.ts'
import { type CommitterOptions, type LmdbCommitter, openCommitter } from './lmdb-committer.ts'

// The thread of the state commit: it alone has the LMDB environment, the trees and commit.wasm.

const port = parentPort as MessagePort

async function perform(committer: LmdbCommitter, request: CommitRequest): Promise<CommitOutcome> {
  switch (request.kind) {
    case 'stage':
      return { staged: await committer.stage(request.changeset) }
    case 'commit':
      await committer.commit()
      return {}
    case 'prove':
      return { proof: await committer.prove(request.module, request.key, request.height) }
    case 'revert':
      await committer.revert(request.target, request.from)
      return {}
    case 'close':
      await committer.close()
      return {}
  }
}

function standing(committer: LmdbCommitter, outcome: CommitOutcome): CommitResult {
  const { version, appHash, busyNs } = committer
  return { kind: 'done', version, appHash, outcome, busyNs }
}

async function answer(number: number, work: () => Promise<CommitResult>): Promise<void> {
  let message: CommitAnswer
  try {
    message = { number, ...(await work()) }
  } catch (thrown) {
    message = { number, kind: 'failed', error: toPlainError(thrown) }
  }
  port.postMessage(message)
}

await answer(0, async () => {
  const committer = await openCommitter(workerData as CommitterOptions)
  port.on('message', ({ number, request }: NumberedRequest) =>
    answer(number, async () => standing(committer, await perform(committer, request))),
  )
  return standing(committer, {})
})
