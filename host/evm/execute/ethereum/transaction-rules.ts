import { bigintToBytes } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { impersonatedSender } from '../../chain-types/impersonation.ts'
import { atLeast, type Revision } from '../../chain-types/revision.ts'
import type { SignatureRecovery } from '../../chain-types/signature-recovery.ts'
import type { Transaction } from '../../chain-types/transaction.ts'
import { decodeSigned, GROUP_ORDER, signingDigest } from '../../chain-types/transaction-codec.ts'
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
