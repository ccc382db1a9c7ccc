import { LockstepError } from '../../../base/error.ts'
import type { Keccak256 } from '../../../evm/chain-types/signature-recovery.ts'
import { decodeSigned, senderSignature } from '../../../evm/chain-types/transaction-codec.ts'
import { ANSWER_BYTES, REQUEST_BYTES } from '../../../evm/engine/batch-recovery.ts'
import { checkEncoding, checkFields } from './admission.ts'
import type { BatchedRecovery } from './batched-recovery.ts'
import type { PoolRules } from './pool-options.ts'
import { addressAt, writeRequest } from './recovery-batch.ts'

/** Results of a worker's checks of a transaction that follows all state-independent rules. */
export interface PrecheckedTransaction {
  readonly hash: Uint8Array
  readonly from: Uint8Array
}

/**
 * Checks encoded transactions against the state-independent rules and recovers their senders as one batch, at most as
 * many as `BatchedRecovery` takes. Undefined for a transaction that breaks a rule: the pool then reports the reason,
 * since the state may yield another one first.
 */
export async function checkTransactions(
  raws: readonly Uint8Array[],
  rules: PoolRules,
  keccak256: Keccak256,
  recovery: Pick<BatchedRecovery, 'recover'>,
): Promise<readonly (PrecheckedTransaction | undefined)[]> {
  const requests = new Uint8Array(raws.length * REQUEST_BYTES)
  let count = 0
  const hashes = raws.map((raw) => {
    const hash = requestSender(raw, rules, keccak256, requests, count * REQUEST_BYTES)
    if (hash !== undefined) count++
    return hash
  })
  if (count === 0) return raws.map(() => undefined)
  const answers = await recovery.recover(requests.subarray(0, count * REQUEST_BYTES))
  let at = 0
  return hashes.map((hash) => {
    if (hash === undefined) return undefined
    const from = addressAt(answers, at)
    at += ANSWER_BYTES
    return from && { hash, from }
  })
}

/** Writes the recovery request of a transaction and returns its hash, or undefined if it breaks a rule. */
function requestSender(
  raw: Uint8Array,
  rules: PoolRules,
  keccak256: Keccak256,
  requests: Uint8Array,
  at: number,
): Uint8Array | undefined {
  try {
    checkEncoding(raw, rules)
    const signed = decodeSigned(raw, keccak256)
    checkFields(signed, rules)
    writeRequest(requests, at, ...senderSignature(signed, keccak256))
    return signed.hash
  } catch (thrown) {
    if (thrown instanceof LockstepError) return undefined
    throw thrown
  }
}
