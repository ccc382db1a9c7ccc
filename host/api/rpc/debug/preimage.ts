import { LockstepError } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import type { RpcCall } from '../call/rpc-call.ts'
import { requireImported } from './imported.ts'

/** An address or slot by its hash. @throws NOT_FOUND */
export function preimage({ context }: RpcCall, hash: Uint8Array): string {
  const { states } = requireImported(
    context,
    'no preimages are kept',
    'its state is not keyed by hashes; debug_traceTransaction with keccak256PreimageTracer shows those of a transaction',
  )
  const known = states.preimage(hash)
  if (known === undefined) throw new LockstepError('NOT_FOUND', 'unknown preimage')
  return formatData(known)
}
