import { LockstepError } from '../../../base/error.ts'
import type { DevChain } from '../../../chain/dev/dev-chain.ts'
import type { MethodCall } from '../call/rpc-call.ts'

/** Returns the chain that a method controls. The dispatcher runs such methods only on a development chain. */
export function devChainOf({ context }: MethodCall): DevChain {
  return context.dev as DevChain
}

/** Returns the error for a well-formed argument that is invalid on this chain. */
export function unsupportedArgument(text: string, hint?: string): LockstepError {
  return new LockstepError('REFUSED_ARGUMENT', text, hint === undefined ? {} : { hint })
}
