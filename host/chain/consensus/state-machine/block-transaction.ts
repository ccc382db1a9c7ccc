import { LockstepError } from '../../../base/error.ts'
import type { ChainParams } from '../../../evm/chain-types/genesis.ts'
import { impersonatedSender, isImpersonated } from '../../../evm/chain-types/impersonation.ts'
import type { SignatureRecovery } from '../../../evm/chain-types/signature-recovery.ts'
import type { Transaction } from '../../../evm/chain-types/transaction.ts'
import {
  decodeSigned,
  recoverSender,
  type SignedTransaction,
} from '../../../evm/chain-types/transaction-codec.ts'

/** Returns the value, or undefined if the transaction is invalid. */
function orUndefined<Value>(make: () => Value): Value | undefined {
  try {
    return make()
  } catch (error) {
    if (error instanceof LockstepError && error.code === 'TRANSACTION_REJECTED') return undefined
    throw error
  }
}

/** Decodes a transaction of a block; undefined if it cannot be valid on this chain. */
function decodeOwn(
  raw: Uint8Array,
  { chainId, isDevelopment }: ChainParams,
  recovery: SignatureRecovery,
): SignedTransaction | undefined {
  const signed = orUndefined(() => decodeSigned(raw, (bytes) => recovery.keccak256(bytes)))
  if (signed === undefined || signed.type === 3) return undefined
  const isForeign = signed.chainId !== undefined && signed.chainId !== chainId
  const isRefused = isForeign || (isImpersonated(signed) && !isDevelopment)
  return isRefused ? undefined : signed
}

/** Returns the sender. An impersonated transaction, which `decodeOwn` has admitted, contains it. */
function senderOf(signed: SignedTransaction, recovery: SignatureRecovery): Uint8Array {
  return impersonatedSender(signed) ?? recoverSender(signed, recovery)
}

/** Decodes a transaction of a block with its sender; undefined if it cannot be valid on this chain. */
export function resolveOwn(
  raw: Uint8Array,
  params: ChainParams,
  recovery: SignatureRecovery,
): Transaction | undefined {
  const signed = decodeOwn(raw, params, recovery)
  return signed && orUndefined(() => ({ ...signed, from: senderOf(signed, recovery) }))
}

/** Returns true if a block can contain the transaction by its form, without checking sender and state. */
export function hasOwnForm(
  raw: Uint8Array,
  params: ChainParams,
  recovery: SignatureRecovery,
): boolean {
  const signed = decodeOwn(raw, params, recovery)
  return signed !== undefined && signed.gas <= params.maxGas
}
