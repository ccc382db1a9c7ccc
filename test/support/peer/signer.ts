import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bigintToBytes, concatBytes } from '../../../host/base/bytes.ts'
import { encodeRlp, rlpInteger } from '../../../host/base/rlp.ts'
import type { Authorization } from '../../../host/evm/chain-types/transaction.ts'
import {
  encodeTransaction,
  signingDigest,
  type UnsignedTransaction,
} from '../../../host/evm/chain-types/transaction-codec.ts'

/** A key with its address, both as numbers. */
export interface Signer {
  readonly key: bigint
  readonly address: bigint
}

export function makeSigner(key: bigint): Signer {
  const point = secp256k1.getPublicKey(bigintToBytes(key, 32), false)
  return {
    key,
    address: BigInt(`0x${Buffer.from(keccak_256(point.subarray(1)).subarray(12)).toString('hex')}`),
  }
}

function sign(digest: Uint8Array, { key }: Signer) {
  const signature = secp256k1.sign(digest, bigintToBytes(key, 32), {
    prehash: false,
    format: 'recovered',
  })
  const { r, s, recovery = 0 } = secp256k1.Signature.fromBytes(signature, 'recovered')
  return { r, s, yParity: BigInt(recovery) }
}

/** Signs a digest: r, s and the parity, 65 bytes. */
export function signDigest(digest: Uint8Array, signer: Signer): Uint8Array {
  const { r, s, yParity } = sign(digest, signer)
  return concatBytes([bigintToBytes(r, 32), bigintToBytes(s, 32), bigintToBytes(yParity, 1)])
}

/** Returns the encoding of a transaction, signed. */
export function signTransaction(transaction: UnsignedTransaction, signer: Signer): Uint8Array {
  const { r, s, yParity } = sign(signingDigest(transaction, keccak_256), signer)
  const { type, chainId } = transaction
  if (type !== 0) return encodeTransaction(transaction, { v: yParity, r, s })
  const v = chainId === undefined ? 27n + yParity : chainId * 2n + 35n + yParity
  return encodeTransaction(transaction, { v, r, s })
}

/** Signs a delegation of the signer's account (EIP-7702). */
export function signAuthorization(
  signer: Signer,
  fields: Pick<Authorization, 'chainId' | 'address' | 'nonce'>,
): Authorization {
  const { chainId, address, nonce } = fields
  const payload = encodeRlp([rlpInteger(chainId), address, rlpInteger(nonce)])
  const digest = keccak_256(concatBytes([Uint8Array.of(0x05), payload]))
  return { ...fields, ...sign(digest, signer) }
}
