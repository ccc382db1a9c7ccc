import { LockstepError } from '../../base/error.ts'
import type { Hex } from '../../base/hex.ts'
import type { ClaimRecord } from '../../payments/claim/claims.ts'
import type { Ledger } from '../../payments/claim/ledger.ts'

export interface FoundPayment {
  readonly record: ClaimRecord
  readonly ledger: Ledger
}

/** Returns the payments with an id or made by a transaction, at least one. @throws NOT_FOUND */
export async function findPayments(
  ledger: Ledger | undefined,
  id: Hex,
): Promise<readonly FoundPayment[]> {
  const records = (await ledger?.find(id)) ?? []
  const found = ledger === undefined ? [] : records.map((record) => ({ record, ledger }))
  if (found.length > 0) return found
  throw new LockstepError('NOT_FOUND', `there is no payment ${id}`, {
    hint: 'list payments with `lockstep payments list`; a payment exists after its first claim',
  })
}

/** Returns the payment with an id. @throws NOT_FOUND, REFUSED_ARGUMENT if there are several */
export async function findPayment(ledger: Ledger | undefined, id: Hex): Promise<FoundPayment> {
  const found = await findPayments(ledger, id)
  const [first] = found as readonly [FoundPayment]
  if (found.length === 1) return first
  const ids = found.map(({ record: { key } }) => `${key.id} on chain ${key.chainId}`)
  throw new LockstepError(
    'REFUSED_ARGUMENT',
    `${id} is ${found.length} payments: ${ids.join(', ')}`,
    {
      hint: 'name one of them by its own id',
    },
  )
}
