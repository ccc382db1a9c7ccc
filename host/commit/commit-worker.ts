import { type MessagePort, parentPort } from 'node:worker_threads'
import { LockstepError } from '../base/error.ts'
import { toPlainError } from '../base/plain-error.ts'
import type {
  CommitAnswer,
  CommitOutcome,
  CommitRequest,
  CommitResult,
  NumberedRequest,
} from './commit-messages.ts'
import { type LmdbCommitter, openCommitter } from './lmdb-committer.ts'

// The thread of the state commit: it alone has the LMDB environment, the trees and commit.wasm.

const port = parentPort as MessagePort
let opened: LmdbCommitter | undefined

type Work = Exclude<CommitRequest, { kind: 'open' }>

async function perform(committer: LmdbCommitter, request: Work): Promise<CommitOutcome> {
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

async function work(request: CommitRequest): Promise<CommitResult> {
  if (request.kind !== 'open') {
    if (opened === undefined) throw new LockstepError('ENGINE_FAULT', `${request.kind} before open`)
    return standing(opened, await perform(opened, request))
  }
  opened = await openCommitter(request.options)
  return standing(opened, {})
}

async function answer({ number, request }: NumberedRequest): Promise<void> {
  let message: CommitAnswer
  try {
    message = { number, ...(await work(request)) }
  } catch (thrown) {
    message = { number, kind: 'failed', error: toPlainError(thrown) }
  }
  port.postMessage(message)
}

port.on('message', (numbered: NumberedRequest) => answer(numbered))
