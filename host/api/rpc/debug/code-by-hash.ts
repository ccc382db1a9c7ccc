import { LockstepError } from '../../../base/error.ts'
import { formatData, type Hex } from '../../../base/hex.ts'
import type { BlockArgument } from '../argument/block-argument.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { readBlockState } from '../resolve/block-lookup.ts'

/** Returns the code with a hash in the state after a block; null if there is none. */
export function codeByHash(
  { context }: MethodCall,
  codeHash: Uint8Array,
  block: BlockArgument,
): Hex | null | Promise<Hex | null> {
  return readBlockState(context, block, (view) => {
    try {
      return formatData(view.code(codeHash))
    } catch (thrown) {
      if (isUnknownCode(thrown)) return null
      throw thrown
    }
  })
}

/** A store takes a hash without code for damage, and a fork for one of an account that it has not read. */
function isUnknownCode(thrown: unknown): boolean {
  if (thrown instanceof LockstepError) return thrown.code === 'STORE_CORRUPTED'
  return thrown instanceof RangeError
}
