import { LockstepError } from '../../../base/error.ts'
import type { DevChain } from '../../../chain/dev/dev-chain.ts'
import type { RpcCall } from '../call/rpc-call.ts'

/** The chain that a method drives: the dispatcher answers such a method on a development chain only. */
export function driven({ context }: RpcCall): DevChain {
  return context.dev as DevChain
}

/** An argument that can be read, and that makes no sense on this chain. */
export function unfit(text: string, hint?: string): LockstepError {
  return new LockstepError('REFUSED_ARGUMENT', text, hint === undefined ? {} : { hint })
}
