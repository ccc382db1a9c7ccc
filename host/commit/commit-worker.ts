import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { toPlainError } from '../base/plain-error.ts'
import type { CommitAnswer, CommitOutcome, CommitRequest } from './commit-messages.ts'
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
    case 'close':
      await committer.close()
      return {}
  }
}

function standing(committer: LmdbCommitter, outcome: CommitOutcome): CommitAnswer {
  const { version, appHash, busyNs } = committer
  return { kind: 'done', version, appHash, outcome, busyNs }
}

async function answer(work: () => Promise<CommitAnswer>): Promise<void> {
  let message: CommitAnswer
  try {
    message = await work()
  } catch (thrown) {
    message = { kind: 'failed', error: toPlainError(thrown) }
  }
  port.postMessage(message)
}

await answer(async () => {
  const committer = await openCommitter(workerData as CommitterOptions)
  port.on('message', (request: CommitRequest) =>
    answer(async () => standing(committer, await perform(committer, request))),
  )
  return standing(committer, {})
})
