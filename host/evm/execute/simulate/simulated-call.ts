import { type ErrorCode, LockstepError } from '../../../base/error.ts'
import { MAX_NONCE } from '../../chain-types/generated/limit.ts'
import { atLeast } from '../../chain-types/revision.ts'
import type { Keccak256 } from '../../chain-types/signature-recovery.ts'
import type { Transaction, TransactionType } from '../../chain-types/transaction.ts'
import { encodeTransaction } from '../../chain-types/transaction-codec.ts'
import type { BlockEnv } from '../../engine/message.ts'
import type { RejectionCode } from '../../engine/outcome.ts'
import type { Account } from '../../state/account.ts'
import { rejectionText } from '../rejection-text.ts'
import type { SimulatedCall } from './simulated-blocks.ts'

/** Codes of the execution-apis for rejections; all others are CALL_REFUSED. */
const CODES: Readonly<Partial<Record<RejectionCode, ErrorCode>>> = {
  nonceTooHigh: 'CALL_NONCE_TOO_HIGH',
  nonceTooLow: 'CALL_NONCE_TOO_LOW',
  tipAboveFeeCap: 'INVALID_ARGUMENT',
  feeCapBelowBaseFee: 'CALL_FEE_CAP_TOO_LOW',
  insufficientFunds: 'CALL_FUNDS_TOO_LOW',
  intrinsicGasTooLow: 'CALL_GAS_TOO_LOW',
  initCodeTooLarge: 'CALL_INIT_CODE_TOO_LARGE',
}

/** Returns the error for a call that the protocol rejects. `sender` is the account before it. */
export function rejectedSimulatedCall(
  code: RejectionCode,
  transaction: Transaction,
  env: BlockEnv,
  sender: Account,
  keccak256: Keccak256,
): LockstepError {
  const text = rejectionText(code, transaction, env, sender, keccak256)
  const message = `err: ${text} (supplied gas ${transaction.gas})`
  return new LockstepError(CODES[code] ?? 'CALL_REFUSED', message)
}

/** Returns the error for a call that needs more gas than the block has left. */
export function beyondBlock(required: bigint, remaining: bigint): LockstepError {
  const text = `block gas limit reached: remaining: ${remaining}, required: ${required}`
  return new LockstepError('CALL_BEYOND_BLOCK', text)
}

/**
 * Checks the call's nonce against its sender's.
 * @throws CALL_NONCE_TOO_LOW, CALL_NONCE_TOO_HIGH, CALL_REFUSED
 */
export function checkNonce(
  transaction: Transaction,
  env: BlockEnv,
  sender: Account,
  keccak256: Keccak256,
): void {
  const { nonce } = transaction
  const refuse = (code: RejectionCode) =>
    rejectedSimulatedCall(code, transaction, env, sender, keccak256)
  if (nonce > sender.nonce) throw refuse('nonceTooHigh')
  if (nonce < sender.nonce) throw refuse('nonceTooLow')
  if (nonce === MAX_NONCE) throw refuse('nonceOverflow')
}

/** Transaction fields that a call does not determine. */
export interface CallPlace {
  readonly nonce: bigint
  readonly gas: bigint
  readonly chainId: bigint
  readonly env: BlockEnv
}

function typeOf(call: SimulatedCall, env: BlockEnv): TransactionType {
  // A gas price with an access list makes an EIP-2930 transaction.
  if (call.isLegacy || !atLeast(env.revision, 'London'))
    return call.accessList === undefined ? 0 : 1
  if (call.authorizations !== undefined) return 4
  return call.blobHashes === undefined ? 2 : 3
}

/**
 * Returns the transaction for the engine. An empty list of blobs is always rejected. Without validation, a call with
 * blobs but no blob fee passes as if it paid the block's.
 */
export function simulatedInput(
  { blobHashes }: SimulatedCall,
  transaction: Transaction,
  { blobBaseFee }: BlockEnv,
  validation: boolean,
): Transaction {
  if (blobHashes === undefined) return transaction
  if (blobHashes.length === 0) return { ...transaction, type: 3 }
  if (validation || transaction.maxFeePerBlobGas > 0n) return transaction
  return { ...transaction, maxFeePerBlobGas: blobBaseFee }
}

/** Returns the call as an unsigned transaction: v, r and s are 0. */
export function unsignedTransaction(
  call: SimulatedCall,
  { nonce, gas, chainId, env }: CallPlace,
  keccak256: Keccak256,
): Transaction {
  const type = typeOf(call, env)
  const unsigned = {
    type,
    chainId: type === 0 ? undefined : chainId,
    nonce,
    maxPriorityFeePerGas: call.maxPriorityFeePerGas ?? 0n,
    maxFeePerGas: call.maxFeePerGas ?? 0n,
    gas,
    to: call.to,
    value: call.value,
    data: call.data,
    accessList: call.accessList ?? [],
    authorizations: call.authorizations ?? [],
    maxFeePerBlobGas: call.maxFeePerBlobGas ?? 0n,
    blobHashes: call.blobHashes ?? [],
  }
  const raw = encodeTransaction(unsigned, { v: 0n, r: 0n, s: 0n })
  return {
    ...unsigned,
    from: call.from,
    v: 0n,
    yParity: 0,
    r: 0n,
    s: 0n,
    hash: keccak256(raw),
    raw,
  }
}
