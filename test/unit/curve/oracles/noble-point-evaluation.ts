import type { WeierstrassPoint } from '@noble/curves/abstract/weierstrass.js'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bigintToBytes, concatBytes, equalBytes } from '../../../../host/base/bytes.ts'
import { readNumber } from './noble-curve-point.ts'

const { G1, G2, fields } = bls12_381
const { Fp12, Fr } = fields

/** versioned hash 32, z 32, y 32, commitment 48, proof 48. */
const INPUT_LENGTH = 192
const VERSION_KZG = 0x01
const FIELD_ELEMENTS_PER_BLOB = 4096n

/** [tau] G2, the only point of the mainnet trusted setup that a verification needs. */
export const TAU_G2 =
  'b5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72' +
  '185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2'

/**
 * POINT_EVALUATION (EIP-4844): verifies the KZG proof that p(z) = y for the committed blob polynomial. Returns the
 * two constants of the EIP, or undefined if the proof or any part of the input is invalid.
 */
export function evaluatePoint(input: Uint8Array): Uint8Array | undefined {
  if (input.length !== INPUT_LENGTH) return undefined
  const commitmentBytes = input.subarray(96, 144)
  const versionedHash = sha256(commitmentBytes)
  versionedHash[0] = VERSION_KZG
  if (!equalBytes(versionedHash, input.subarray(0, 32))) return undefined

  const z = readNumber(input, 32, 32)
  const y = readNumber(input, 64, 32)
  const commitment = decode(commitmentBytes)
  const proof = decode(input.subarray(144))
  if (z >= Fr.ORDER || y >= Fr.ORDER || commitment === undefined || proof === undefined) {
    return undefined
  }
  if (!isProof(commitment, z, y, proof)) return undefined
  return concatBytes([bigintToBytes(FIELD_ELEMENTS_PER_BLOB, 32), bigintToBytes(Fr.ORDER, 32)])
}

/** e(commitment - y G1, -G2) * e(proof, [tau] G2 - z G2) = 1; a pair with a zero point is one. */
function isProof(
  commitment: WeierstrassPoint<bigint>,
  z: bigint,
  y: bigint,
  proof: WeierstrassPoint<bigint>,
): boolean {
  const pairs = [
    { g1: commitment.subtract(G1.Point.BASE.multiplyUnsafe(y)), g2: G2.Point.BASE.negate() },
    { g1: proof, g2: G2.Point.fromHex(TAU_G2).subtract(G2.Point.BASE.multiplyUnsafe(z)) },
  ].filter(({ g1, g2 }) => !g1.is0() && !g2.is0())
  return Fp12.eql(bls12_381.pairingBatch(pairs), Fp12.ONE)
}

/** Decodes a compressed point of the subgroup. */
function decode(bytes: Uint8Array): WeierstrassPoint<bigint> | undefined {
  try {
    return G1.Point.fromBytes(bytes)
  } catch {
    return undefined
  }
}
