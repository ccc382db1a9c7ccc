import { bigintToBytes, concatBytes } from '../base/bytes.ts'
import { encodeRlp, rlpInteger } from '../base/rlp.ts'
import type { SignatureRecovery } from './signature-recovery.ts'
import type { Authorization } from './transaction.ts'
import { GROUP_ORDER, MAX_S } from './transaction-codec.ts'

/** First byte of what an authority signs (EIP-7702). */
const MAGIC = 0x05

/** The account that signed an authorization, 20 bytes; undefined where its signature is none. */
export function authorityOf(
  { chainId, address, nonce, yParity, r, s }: Authorization,
  recovery: SignatureRecovery,
): Uint8Array | undefined {
  if (yParity > 1n || r <= 0n || r >= GROUP_ORDER || s <= 0n || s > MAX_S) return undefined
  const payload = encodeRlp([rlpInteger(chainId), address, rlpInteger(nonce)])
  return recovery.recoverAddress(
    recovery.keccak256(concatBytes([Uint8Array.of(MAGIC), payload])),
    yParity === 1n ? 1 : 0,
    bigintToBytes(r, 32),
    bigintToBytes(s, 32),
  )
}
