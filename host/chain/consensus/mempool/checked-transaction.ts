import { LockstepError } from '../../../base/error.ts'
import type { Keccak256 } from '../../../evm/chain-types/signature-recovery.ts'
import {
  decodeSigned,
  type SignedTransaction,
  senderSignature,
} from '../../../evm/chain-types/transaction-codec.ts'
import { ANSWER_BYTES, REQUEST_BYTES } from '../../../evm/engine/batch-recovery.ts'
import { engineRecord, RecordedTransaction } from '../../../evm/engine/transaction-record.ts'
import { checkEncoding, checkFields } from './admission.ts'
import type { BatchedRecovery } from './batched-recovery.ts'
import type { PoolRules } from './pool-options.ts'
import { addressAt, writeRequest } from './recovery-batch.ts'

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
): Promise<readonly (RecordedTransaction | undefined)[]> {
  const requests = new Uint8Array(raws.length * REQUEST_BYTES)
  let count = 0
  const decoded = raws.map((raw) => {
    const signed = requestSender(raw, rules, keccak256, requests, count * REQUEST_BYTES)
    if (signed !== undefined) count++
    return signed
  })
  if (count === 0) return raws.map(() => undefined)
  const answers = await recovery.recover(requests.subarray(0, count * REQUEST_BYTES))
  let at = 0
  return decoded.map((signed) => {
    if (signed === undefined) return undefined
    const from = addressAt(answers, at)
    at += ANSWER_BYTES
    return from && new RecordedTransaction(engineRecord({ ...signed, from }))
  })
}

/** Writes the recovery request of a transaction and returns it decoded, or undefined if it breaks a rule. */
function requestSender(
  raw: Uint8Array,
  rules: PoolRules,
  keccak256: Keccak256,
  requests: Uint8Array,
  at: number,
): SignedTransaction | undefined {
  try {
    checkEncoding(raw, rules)
    const signed = decodeSigned(raw, keccak256)
    checkFields(signed, rules)
    writeRequest(requests, at, ...senderSignature(signed, keccak256))
    return signed
  } catch (thrown) {
    if (thrown instanceof LockstepError) return undefined
    throw thrown
  }
}
