import { LockstepError } from '../../base/error.ts'
import {
  NATIVE_DENOMINATION,
  NATIVE_WEI,
} from '../../evm/chain-types/generated/chain-precompile.ts'
import { formatEther, parseAmount } from './amount.ts'

/** Parses an argument to wei; it must be a whole number of the denomination. @throws INVALID_ARGUMENT naming it */
export function parseNative(text: string, name: string): bigint {
  const wei = parseAmount(text, name)
  if (wei % NATIVE_WEI === 0n) return wei
  const problem = `${name}: "${text}" is not a multiple of ${NATIVE_WEI} wei`
  throw new LockstepError('INVALID_ARGUMENT', problem, {
    hint: `staking counts in ${NATIVE_DENOMINATION}, which is ${NATIVE_WEI} wei`,
  })
}

/** Formats an amount of the denomination in ether. */
export function formatNative(amount: bigint): string {
  return formatEther(amount * NATIVE_WEI)
}
