import { LockstepError } from '../../base/error.ts'
import { serveWork } from '../../base/worker/serve-work.ts'
import type { CommitAnswer, CommitOutcome, CommitRequest } from './commit-messages.ts'
import { type LmdbCommitter, openCommitter } from './lmdb-committer.ts'

// The state commit thread. It alone uses the LMDB environment, the trees and commit.wasm.

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

function answer(committer: LmdbCommitter, outcome: CommitOutcome): CommitAnswer {
  const { version, appHash, busyNs } = committer
  return { version, appHash, outcome, busyNs }
}

serveWork(async (request: CommitRequest): Promise<CommitAnswer> => {
  if (request.kind !== 'open') {
    if (opened === undefined) throw new LockstepError('ENGINE_FAULT', `${request.kind} before open`)
    return answer(opened, await perform(opened, request))
  }
  opened = await openCommitter(request.options)
  return answer(opened, {})
})
