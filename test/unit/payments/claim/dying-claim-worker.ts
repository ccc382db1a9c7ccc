import { serveWork } from '../../../../host/base/worker/serve-work.ts'
import type { ClaimRequest } from '../../../../host/payments/claim/claim-messages.ts'

// A thread of claims that says it has opened them, and ends amid the first that it is to write; or at once.

serveWork((request: ClaimRequest) => {
  if (request.kind !== 'open') process.exit(3)
  if (request.folder.endsWith('at-once')) process.exit(4)
  return []
})
