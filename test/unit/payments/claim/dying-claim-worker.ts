import type { ClaimRequest } from '../../../../host/payments/claim/claim-messages.ts'
import { serveWork } from '../../../../host/worker/serve-work.ts'

// A thread of claims that says it has opened them, and ends amid the first that it is to write; or at once.

serveWork((request: ClaimRequest) => {
  if (request.kind !== 'open') process.exit(3)
  if (request.folder.endsWith('at-once')) process.exit(4)
  return []
})
