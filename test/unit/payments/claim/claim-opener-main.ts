import { ClaimStore } from '../../../../host/payments/claim/claim-store.ts'
import { claimOwner } from '../../../support/payments/claim-facts.ts'

// Opens and closes a claims database endlessly, and prints the count at every tenth cycle.

const dir = process.argv[2] as string

for (let opened = 0; ; opened++) {
  if (opened % 10 === 0) process.send?.(opened)
  await new ClaimStore(dir, claimOwner('0a'), true).close()
}
