import { encodeRlp, rlpInteger } from '../base/rlp.ts'
import type { Keccak256 } from './signature-recovery.ts'

/** Address of the contract that `sender` creates with its transaction of this nonce. */
export function createAddress(sender: Uint8Array, nonce: bigint, keccak256: Keccak256): Uint8Array {
  return keccak256(encodeRlp([sender, rlpInteger(nonce)])).slice(12)
}
