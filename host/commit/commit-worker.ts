import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { toPlainError } from '../base/plain-error.ts'
import type { CommitAnswer, CommitRequest } from './commit-messages.ts'
import { type CommitterOptions, type LmdbCommitter, openCommitter } from './lmdb-committer.ts'

// The thread of the state commit: it alone has the LMDB environment, the trees and commit.wasm.

const port = parentPort as MessagePort

async function perform(
  committer: LmdbCommitter,
  request: CommitRequest,
): Promise<Uint8Array | undefined> {
  switch (request.kind) {
    case 'stage':
      return committer.stage(request.changeset)
    case 'commit':
      await committer.commit()
      return undefined
    case 'close':
      await committer.close()
      return undefined
  }
}

function standing(committer: LmdbCommitter, staged: Uint8Array | undefined): CommitAnswer {
  const { version, appHash, busyNs } = committer
  return { kind: 'done', version, appHash, staged, busyNs }
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
  return standing(committer, undefined)
})
