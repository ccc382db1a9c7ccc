import { LockstepError } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { requireImported } from '../resolve/imported.ts'

/** Returns the address or slot of a hash. @throws NOT_FOUND */
export function preimage({ context }: MethodCall, hash: Uint8Array): string {
  const { states } = requireImported(
    context,
    'preimages are unavailable',
    'its state is not keyed by hashes; debug_traceTransaction with keccak256PreimageTracer returns those of a transaction',
  )
  const known = states.preimage(hash)
  if (known === undefined) throw new LockstepError('NOT_FOUND', 'unknown preimage')
  return formatData(known)
}
