import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bn254 } from '@noble/curves/bn254.js'
import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bigintToBytes, concatBytes } from '../../../host/base/bytes.ts'

const word = (value: bigint | number): Uint8Array => bigintToBytes(BigInt(value), 32)
/** Encodes a field element of BLS12-381 as in EIP-2537. */
const fp = (value: bigint): Uint8Array => bigintToBytes(value, 64)

interface Affine<Field> {
  readonly x: Field
  readonly y: Field
}
interface Fp2 {
  readonly c0: bigint
  readonly c1: bigint
}

function recovery(): Uint8Array {
  const digest = new Uint8Array(32).fill(7)
  const signature = secp256k1.sign(digest, word(3), { prehash: false, format: 'recovered' })
  const { r, s, recovery = 0 } = secp256k1.Signature.fromBytes(signature, 'recovered')
  return concatBytes([digest, word(27 + recovery), word(r), word(s)])
}

/** Returns an input with e(P, Q) e(-P, Q) = 1. */
function bn254Pairing(): Uint8Array {
  const p = bn254.G1.Point.BASE
  const { x, y } = bn254.G2.Point.BASE.toAffine() as Affine<Fp2>
  const q = [x.c1, x.c0, y.c1, y.c0].map(word)
  const pair = (point: Affine<bigint>) => [word(point.x), word(point.y), ...q]
  return concatBytes([...pair(p.toAffine()), ...pair(p.negate().toAffine())])
}

const g1 = ({ x, y }: Affine<bigint>): Uint8Array => concatBytes([fp(x), fp(y)])
const g2 = ({ x, y }: Affine<Fp2>): Uint8Array =>
  concatBytes([fp(x.c0), fp(x.c1), fp(y.c0), fp(y.c1)])

function blsPairing(): Uint8Array {
  const p = bls12_381.G1.Point.BASE
  const q = g2(bls12_381.G2.Point.BASE.toAffine() as Affine<Fp2>)
  return concatBytes([g1(p.toAffine()), q, g1(p.negate().toAffine()), q])
}

/** Returns an input for the zero polynomial, whose commitment and proof are the point at infinity. */
function pointEvaluation(): Uint8Array {
  const infinity = new Uint8Array(48)
  infinity[0] = 0xc0
  const hash = sha256(infinity)
  hash[0] = 1
  return concatBytes([hash, word(5), word(0), infinity, infinity])
}

function p256Verify(): Uint8Array {
  const digest = new Uint8Array(32).fill(9)
  const signature = p256.sign(digest, word(11), { prehash: false })
  const { r, s } = p256.Signature.fromBytes(signature)
  const { x, y } = p256.Point.fromBytes(p256.getPublicKey(word(11))).toAffine()
  return concatBytes([digest, word(r), word(s), word(x), word(y)])
}

const G1 = bls12_381.G1.Point
const G2 = bls12_381.G2.Point
const blsG1 = g1(G1.BASE.toAffine())
const blsG2 = g2(G2.BASE.toAffine() as Affine<Fp2>)
/** On the curve, but not in the subgroup: (0, 2) of y² = x³ + 4. */
const OUTSIDE = concatBytes([fp(0n), fp(2n)])

/** A valid input with a non-empty result for each precompile. */
export const GOOD_INPUTS: ReadonlyMap<number, Uint8Array> = new Map([
  [0x01, recovery()],
  [0x02, new Uint8Array(70).fill(1)],
  [0x03, new Uint8Array(70).fill(2)],
  [0x04, new Uint8Array(33).fill(3)],
  [0x05, concatBytes([word(2), word(2), word(3), Uint8Array.of(1, 2, 3, 4, 5, 6, 7)])],
  [0x06, concatBytes([word(1), word(2), word(1), word(2)])],
  [0x07, concatBytes([word(1), word(2), word(12345)])],
  [0x08, bn254Pairing()],
  [0x09, concatBytes([bigintToBytes(12n, 4), new Uint8Array(208).fill(5), Uint8Array.of(1)])],
  [0x0a, pointEvaluation()],
  [0x0b, concatBytes([blsG1, blsG1])],
  [0x0c, concatBytes([blsG1, word(77), blsG1, word(78)])],
  [0x0d, concatBytes([blsG2, blsG2])],
  [0x0e, concatBytes([blsG2, word(79)])],
  [0x0f, blsPairing()],
  [0x10, fp(12345n)],
  [0x11, concatBytes([fp(12345n), fp(6789n)])],
  [0x100, p256Verify()],
])

const P = 21888242871839275222246405745257275088696311157297823662689037894645226208583n
const BLS_P = BigInt(
  '0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab',
)

/** Inputs that a precompile refuses, each for a different reason. */
export const BAD_INPUTS: readonly (readonly [address: number, input: Uint8Array])[] = [
  [0x05, concatBytes([word(2000), word(1), word(1)])],
  [0x05, concatBytes([word(1n << 200n), word(1), word(1)])],
  [0x06, concatBytes([word(P), word(2), word(1), word(2)])],
  [0x06, concatBytes([word(1), word(P + 1n), word(1), word(2)])],
  [0x06, concatBytes([word(1), word(3), word(1), word(2)])],
  [0x07, concatBytes([word(1), word(3), word(4)])],
  [0x07, concatBytes([word(1n << 255n), word(3), word(4)])],
  [0x08, new Uint8Array(191)],
  [0x08, concatBytes([word(1), word(3), ...[1, 2, 3, 4].map(word)])],
  [0x08, concatBytes([word(1), word(2), ...[1, 2, 3, 4].map(word)])],
  [0x08, concatBytes([word(1), word(2), word(P), ...[2, 3, 4].map(word)])],
  [0x09, new Uint8Array(212)],
  [0x09, concatBytes([new Uint8Array(212), Uint8Array.of(2)])],
  [0x0a, new Uint8Array(191)],
  [0x0a, new Uint8Array(192)],
  [0x0a, Uint8Array.from(pointEvaluation(), (byte, i) => (i === 95 ? 1 : byte))],
  [0x0a, Uint8Array.from(pointEvaluation(), (byte, i) => (i === 100 ? 1 : byte))],
  [0x0a, Uint8Array.from(pointEvaluation(), (byte, i) => (i >= 32 && i < 64 ? 0xff : byte))],
  [0x0b, new Uint8Array(255)],
  [0x0b, concatBytes([fp(1n), fp(1n), blsG1])],
  [0x0b, concatBytes([fp(BLS_P), fp(1n), blsG1])],
  [0x0b, concatBytes([new Uint8Array(64).fill(1), fp(1n), blsG1])],
  [0x0c, new Uint8Array(0)],
  [0x0c, concatBytes([OUTSIDE, word(1)])],
  [0x0d, new Uint8Array(511)],
  [0x0d, concatBytes([fp(1n), fp(1n), fp(1n), fp(1n), blsG2])],
  [0x0e, new Uint8Array(1)],
  [0x0f, new Uint8Array(383)],
  [0x0f, concatBytes([OUTSIDE, blsG2])],
  [0x10, new Uint8Array(63)],
  [0x10, fp(BLS_P)],
  [0x11, new Uint8Array(127)],
  [0x100, new Uint8Array(159)],
  [0x100, new Uint8Array(160)],
]
