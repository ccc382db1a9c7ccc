import { bytesKey } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { checksumAddress } from '../../chain-types/address.ts'
import { isChainPrecompile } from '../../chain-types/chain-precompile.ts'
import { MAX_MOVED } from '../../chain-types/generated/limit.ts'
import { isPrecompile } from '../../chain-types/precompile.ts'
import type { Keccak256 } from '../../chain-types/signature-recovery.ts'
import type { BlockEnv, MovedPrecompile } from '../../engine/message.ts'
import type { AccountOverride } from './overlay-view.ts'

function refused(message: string): LockstepError {
  return new LockstepError('OVERRIDE_INVALID', message)
}

/**
 * Returns a block's environment with the precompiles moved by the overrides. As in geth, any override of a
 * precompile's account removes the precompile. One of this chain's own, whose slots are its state, is removed only if
 * code is set.
 * @throws OVERRIDE_INVALID if the account to move is not a precompile, or the target is overridden too.
 */
export function movePrecompiles(
  env: BlockEnv,
  overrides: readonly AccountOverride[],
  keccak256: Keccak256,
): BlockEnv {
  if (overrides.length === 0) return env
  const moved = movedBy(overrides, env, keccak256)
  return moved.length === 0 ? env : { ...env, moved }
}

function movedBy(
  overrides: readonly AccountOverride[],
  { revision, chainPrecompiles }: BlockEnv,
  keccak256: Keccak256,
): MovedPrecompile[] {
  const overridden = new Set(overrides.map(({ address }) => bytesKey(address)))
  const moved = new Map<string, MovedPrecompile>()
  for (const { address, code, movePrecompileTo: target } of overrides) {
    const isMovable = isPrecompile(address, revision)
    if (target !== undefined) {
      if (!isMovable)
        throw refused(`account ${checksumAddress(address, keccak256)} is not a precompile`)
      if (overridden.has(bytesKey(target))) {
        throw refused(`account ${checksumAddress(target, keccak256)} is already overridden`)
      }
      moved.set(bytesKey(target), { address: target, precompile: address })
    }
    const isReplaced = chainPrecompiles === true && code !== undefined && isChainPrecompile(address)
    if (isMovable || isReplaced) moved.set(bytesKey(address), { address, precompile: undefined })
  }
  if (moved.size > MAX_MOVED) throw refused(`more than ${MAX_MOVED} precompiles moved or replaced`)
  return [...moved.values()]
}
