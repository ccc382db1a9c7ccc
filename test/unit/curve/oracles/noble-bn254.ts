import type { WeierstrassPoint } from '@noble/curves/abstract/weierstrass.js'
import { bn254 } from '@noble/curves/bn254.js'
import { bigintToBytes, bytesToBigint } from '../../../../host/base/bytes.ts'

const { G1, G2, fields } = bn254
const { Fp, Fp2, Fp12, Fr } = fields

export type G1Point = WeierstrassPoint<bigint>
export type G2Point = typeof G2.Point.BASE

const G1_LENGTH = 64
const PAIR_LENGTH = 192

/** ECADD (EIP-196) by @noble/curves. Returns undefined if the call fails, as do the functions below. */
export function addBn254(input: Uint8Array): Uint8Array | undefined {
  const padded = padTo(input, 2 * G1_LENGTH)
  const a = decodeG1(padded, 0)
  const b = decodeG1(padded, G1_LENGTH)
  return a === undefined || b === undefined ? undefined : encodeG1(a.add(b))
}

/** ECMUL (EIP-196) by @noble/curves. */
export function multiplyBn254(input: Uint8Array): Uint8Array | undefined {
  const padded = padTo(input, G1_LENGTH + 32)
  const point = decodeG1(padded, 0)
  if (point === undefined) return undefined
  return encodeG1(point.multiplyUnsafe(Fr.create(readWord(padded, G1_LENGTH))))
}

/** ECPAIRING (EIP-197) by @noble/curves. */
export function pairBn254(input: Uint8Array): Uint8Array | undefined {
  if (input.length % PAIR_LENGTH !== 0) return undefined
  const pairs: { g1: G1Point; g2: G2Point }[] = []
  for (let offset = 0; offset < input.length; offset += PAIR_LENGTH) {
    const g1 = decodeG1(input, offset)
    const g2 = decodeG2(input, offset + G1_LENGTH)
    if (g1 === undefined || g2 === undefined) return undefined
    if (!g1.is0() && !g2.is0()) pairs.push({ g1, g2 })
  }
  return bigintToBytes(Fp12.eql(bn254.pairingBatch(pairs), Fp12.ONE) ? 1n : 0n, 32)
}

export function encodeG1(point: G1Point): Uint8Array {
  const output = new Uint8Array(G1_LENGTH)
  if (point.is0()) return output
  const { x, y } = point.toAffine()
  output.set(bigintToBytes(x, 32), 0)
  output.set(bigintToBytes(y, 32), 32)
  return output
}

/** The imaginary parts come first. */
export function encodeG2(point: G2Point): Uint8Array {
  const output = new Uint8Array(2 * G1_LENGTH)
  if (point.is0()) return output
  const { x, y } = point.toAffine()
  ;[x.c1, x.c0, y.c1, y.c0].forEach((part, i) => {
    output.set(bigintToBytes(part, 32), 32 * i)
  })
  return output
}

function decodeG1(bytes: Uint8Array, offset: number): G1Point | undefined {
  const x = readWord(bytes, offset)
  const y = readWord(bytes, offset + 32)
  if (x >= Fp.ORDER || y >= Fp.ORDER) return undefined
  if (x === 0n && y === 0n) return G1.Point.ZERO
  return valid(G1.Point.fromAffine({ x, y }))
}

function decodeG2(bytes: Uint8Array, offset: number): G2Point | undefined {
  const parts: bigint[] = []
  for (let i = 0; i < 4; i++) parts.push(readWord(bytes, offset + 32 * i))
  if (parts.some((part) => part >= Fp.ORDER)) return undefined
  if (parts.every((part) => part === 0n)) return G2.Point.ZERO
  const [x1, x0, y1, y0] = parts as [bigint, bigint, bigint, bigint]
  const x = Fp2.fromBigTuple([x0, x1])
  const y = Fp2.fromBigTuple([y0, y1])
  return valid(G2.Point.fromAffine({ x, y }))
}

/** Returns the point if it is on its curve and in the subgroup. */
function valid<P extends { assertValidity(): void }>(point: P): P | undefined {
  try {
    point.assertValidity()
    return point
  } catch {
    return undefined
  }
}

function readWord(bytes: Uint8Array, offset: number): bigint {
  return bytesToBigint(bytes.subarray(offset, offset + 32))
}

function padTo(input: Uint8Array, length: number): Uint8Array {
  const padded = new Uint8Array(length)
  padded.set(input.subarray(0, length))
  return padded
}
