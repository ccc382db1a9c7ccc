import { isZero } from '../../../base/bytes.ts'
import { type EthereumHeader, encodeRlpHeader } from '../../../evm/chain-types/ethereum-header.ts'
import type { SignatureRecovery } from '../../../evm/chain-types/signature-recovery.ts'

/** Bytes of free text at the start of extra data, and of the signature at its end (EIP-225). */
const VANITY = 32
const SEAL = 65

/**
 * Returns the signer of a clique block, who gets its fees and is not in the header (EIP-225). Undefined for another
 * consensus, with shorter extra data or another difficulty.
 */
export function cliqueSigner(
  header: EthereumHeader,
  recovery: SignatureRecovery,
): Uint8Array | undefined {
  const { extraData, difficulty, mixHash } = header
  const isSealed = (difficulty === 1n || difficulty === 2n) && isZero(mixHash)
  if (!isSealed || extraData.length < VANITY + SEAL) return undefined
  const end = extraData.length - SEAL
  const parity = extraData[end + 64]
  if (parity !== 0 && parity !== 1) return undefined
  const unsealed = { ...header, extraData: extraData.subarray(0, end) }
  return recovery.recoverAddress(
    recovery.keccak256(encodeRlpHeader(unsealed)),
    parity,
    extraData.slice(end, end + 32),
    extraData.slice(end + 32, end + 64),
  )
}
