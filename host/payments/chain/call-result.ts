import { LockstepError } from '../../base/error.ts'
import type { Hex } from '../../base/hex.ts'

const FAILED_CALLS: readonly unknown[] = ['EXECUTION_REVERTED', 'EXECUTION_FAILED']

/** Returns the result of a call, or undefined if it reverts or fails. @throws if the chain cannot be reached */
export async function callResult(call: Promise<Hex>): Promise<Hex | undefined> {
  try {
    return await call
  } catch (error) {
    if (error instanceof LockstepError && FAILED_CALLS.includes(error.code)) return undefined
    throw error
  }
}
