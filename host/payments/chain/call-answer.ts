import { LockstepError } from '../../base/error.ts'
import type { Hex } from '../../base/hex.ts'

const FAILED_CALLS: readonly unknown[] = ['EXECUTION_REVERTED', 'EXECUTION_FAILED']

/** What a call returns, or undefined where it fails. @throws where the chain cannot be asked */
export async function answerOf(call: Promise<Hex>): Promise<Hex | undefined> {
  try {
    return await call
  } catch (error) {
    if (error instanceof LockstepError && FAILED_CALLS.includes(error.code)) return undefined
    throw error
  }
}
