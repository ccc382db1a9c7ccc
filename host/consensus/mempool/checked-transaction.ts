import { LockstepError } from '../../base/error.ts'
import type { DeferredRecovery, Keccak256 } from '../../chain-types/signature-recovery.ts'
import { decodeSigned, recoverSenderLater } from '../../chain-types/transaction-codec.ts'
import { checkEncoding, checkFields } from './admission.ts'
import type { PoolRules } from './pool-options.ts'

/** What a thread has found out about a transaction that keeps all rules which no state decides. */
export interface CheckedTransaction {
  readonly hash: Uint8Array
  readonly from: Uint8Array
}

/**
 * Checks a transaction in network encoding by the rules that no state decides; undefined where it breaks one: the pool
 * says which, because the state may give it another reason before.
 */
export async function checkTransaction(
  raw: Uint8Array,
  rules: PoolRules,
  keccak256: Keccak256,
  recovery: DeferredRecovery,
): Promise<CheckedTransaction | undefined> {
  try {
    checkEncoding(raw, rules)
    const signed = decodeSigned(raw, keccak256)
    checkFields(signed, rules)
    return { hash: signed.hash, from: await recoverSenderLater(signed, keccak256, recovery) }
  } catch (thrown) {
    if (thrown instanceof LockstepError) return undefined
    throw thrown
  }
}
