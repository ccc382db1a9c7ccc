import { isZero } from '../../../base/bytes.ts'
import { type EthereumHeader, encodeHeader } from '../../../evm/chain-types/ethereum-header.ts'
import type { SignatureRecovery } from '../../../evm/chain-types/signature-recovery.ts'

/** Bytes of free text that extra data begin with, and of the signature that they end with (EIP-225). */
const VANITY = 32
const SEAL = 65

/**
 * Who sealed a block of a clique chain, and gets its fees: its header names nobody (EIP-225). Undefined for a
 * block of another consensus, whose extra data are shorter or whose difficulty is another.
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
    recovery.keccak256(encodeHeader(unsealed)),
    parity,
    extraData.slice(end, end + 32),
    extraData.slice(end + 32, end + 64),
  )
}
