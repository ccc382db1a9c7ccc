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

/** The value, or undefined where the transaction is at fault. */
function orUndefined<Value>(make: () => Value): Value | undefined {
  try {
    return make()
  } catch (error) {
    if (error instanceof LockstepError && error.code === 'TRANSACTION_REJECTED') return undefined
    throw error
  }
}

/** A transaction as a block carries it; undefined where it cannot be one of this chain. */
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

/** The account in whose name it is sent: by its form where it is impersonated, which `decodeOwn` has admitted. */
function senderOf(signed: SignedTransaction, recovery: SignatureRecovery): Uint8Array {
  return impersonatedSender(signed) ?? recoverSender(signed, recovery)
}

/** The same, with its sender. */
export function resolveOwn(
  raw: Uint8Array,
  params: ChainParams,
  recovery: SignatureRecovery,
): Transaction | undefined {
  const signed = decodeOwn(raw, params, recovery)
  return signed && orUndefined(() => ({ ...signed, from: senderOf(signed, recovery) }))
}

/** True where a transaction has the form of one that a block can hold: neither its sender nor its state is looked at. */
export function hasOwnForm(
  raw: Uint8Array,
  params: ChainParams,
  recovery: SignatureRecovery,
): boolean {
  const signed = decodeOwn(raw, params, recovery)
  return signed !== undefined && signed.gas <= params.maxGas
}
