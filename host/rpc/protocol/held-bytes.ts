import { LockstepError } from '../../base/error.ts'

/** The error where the memory for clients is in use. */
export function heldTooMuch(limit: number): LockstepError {
  return new LockstepError(
    'CLIENT_LIMIT',
    `limit exceeded: too much is held for clients (evm.max_client_bytes = ${limit})`,
    {
      data: { limit, key: 'evm.max_client_bytes' },
      hint: 'read the answers, ask for less at a time, or raise evm.max_client_bytes',
    },
  )
}
