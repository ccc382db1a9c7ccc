import { bigintToBytes } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { MAX_INITCODE, MAX_NONCE, MAX_TRANSACTION_GAS } from '../../chain-types/generated/limit.ts'
import { impersonatedSender } from '../../chain-types/impersonation.ts'
import { atLeast, type Revision } from '../../chain-types/revision.ts'
import type { SignatureRecovery } from '../../chain-types/signature-recovery.ts'
import type { Transaction } from '../../chain-types/transaction.ts'
import { decodeSigned, GROUP_ORDER, signingDigest } from '../../chain-types/transaction-codec.ts'
import { floorDataGas, intrinsicGas } from '../intrinsic-gas.ts'
import type { EthereumNetwork } from './forks.ts'

/** First revision that allows each transaction type. */
const TYPE_SINCE: readonly Revision[] = ['Frontier', 'Berlin', 'London', 'Cancun', 'Prague']

function rejected(message: string): LockstepError {
  return new LockstepError('TRANSACTION_REJECTED', message)
}

/**
 * Decodes a transaction under one revision's rules and recovers its sender. Allows any `s` before Homestead (EIP-2),
 * no chain id before Spurious Dragon (EIP-155), and each type since its fork.
 * @throws TRANSACTION_REJECTED with the reason.
 */
export function decodeForRevision(
  raw: Uint8Array,
  { chainId, isDevelopment = false }: Pick<EthereumNetwork, 'chainId' | 'isDevelopment'>,
  revision: Revision,
  recovery: SignatureRecovery,
): Transaction {
  const signed = decodeSigned(raw, (bytes) => recovery.keccak256(bytes))
  const { type, r, s, yParity } = signed
  const since = TYPE_SINCE[type] as Revision
  if (!atLeast(revision, since)) throw rejected(`type ${type} is not supported before ${since}`)
  if (signed.chainId !== undefined && signed.chainId !== chainId) {
    throw rejected(`chain id ${signed.chainId}, want ${chainId}`)
  }
  if (signed.chainId !== undefined && !atLeast(revision, 'SpuriousDragon')) {
    throw rejected('a chain id is not supported before SpuriousDragon')
  }
  const impersonated = isDevelopment ? impersonatedSender(signed) : undefined
  if (impersonated !== undefined) return { ...signed, from: impersonated }
  const highestS = atLeast(revision, 'Homestead') ? GROUP_ORDER / 2n : GROUP_ORDER - 1n
  const isInRange = r > 0n && r < GROUP_ORDER && s > 0n && s <= highestS
  const digest = signingDigest(signed, (bytes) => recovery.keccak256(bytes))
  const from = isInRange
    ? recovery.recoverAddress(digest, yParity, bigintToBytes(r, 32), bigintToBytes(s, 32))
    : undefined
  if (from === undefined) throw rejected('invalid transaction v, r, s values')
  return { ...signed, from }
}

/** Returns the minimum gas of a transaction, whatever the state. */
export function minimumGas(transaction: Transaction, revision: Revision): bigint {
  const intrinsic = intrinsicGas(transaction, revision)
  const floor = atLeast(revision, 'Prague') ? floorDataGas(transaction.data) : 0n
  return intrinsic > floor ? intrinsic : floor
}

/**
 * Checks the rules that depend on the transaction's fields only. The engine checks all rules against the state.
 * @throws TRANSACTION_REJECTED with the reason.
 */
export function checkTransaction(transaction: Transaction, revision: Revision): void {
  const { gas, nonce, to, data, value, maxFeePerGas, maxPriorityFeePerGas } = transaction
  const least = minimumGas(transaction, revision)
  if (gas < least) throw rejected(`intrinsic gas too low: have ${gas}, want ${least}`)
  if (nonce === MAX_NONCE) throw rejected('nonce has max value')
  if (gas * maxFeePerGas + value >= 2n ** 256n) throw rejected('the cost exceeds 256 bits')
  if (maxPriorityFeePerGas > maxFeePerGas) throw rejected('the tip exceeds the fee cap')
  if (to === undefined && data.length > MAX_INITCODE && atLeast(revision, 'Shanghai')) {
    throw rejected(`init code has ${data.length} bytes, more than ${MAX_INITCODE}`)
  }
  if (gas > MAX_TRANSACTION_GAS && atLeast(revision, 'Osaka'))
    throw rejected(`gas limit ${gas} exceeds ${MAX_TRANSACTION_GAS}`)
}
