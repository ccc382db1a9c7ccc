import { secp256k1 } from '@noble/curves/secp256k1.js'
import type { Keccak256 } from '../../host/evm/chain-types/signature-recovery.ts'
import { parseWord } from './fixture.ts'

/** Returns the address of a hex secret key. Cached: a derivation takes milliseconds, and the suites use few keys. */
export function senderOf(secretKey: string, hash: Keccak256): Uint8Array {
  const known = senders.get(secretKey)
  if (known !== undefined) return known
  const publicKey = secp256k1.getPublicKey(parseWord(secretKey), false)
  const sender = hash(publicKey.subarray(1)).subarray(12)
  senders.set(secretKey, sender)
  return sender
}

const senders = new Map<string, Uint8Array>()
