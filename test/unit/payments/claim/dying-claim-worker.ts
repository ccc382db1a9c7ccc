import { serveWork } from '../../../../host/base/worker/serve-work.ts'
import type { ClaimRequest } from '../../../../host/payments/claim/claim-messages.ts'

// A claim thread that reports that it is open, and exits during its first write, or at once.

serveWork((request: ClaimRequest) => {
  if (request.kind !== 'open') process.exit(3)
  if (request.folder.endsWith('at-once')) process.exit(4)
  return []
})
