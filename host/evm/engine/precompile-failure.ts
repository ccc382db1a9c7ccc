import { sha256 } from '@noble/hashes/sha2.js'
import { bigintToBytes, bytesToBigint, concatBytes } from '../../base/bytes.ts'
import {
  BLS12_G1ADD,
  BLS12_G1MSM,
  BLS12_G2ADD,
  BLS12_G2MSM,
  BLS12_PAIRING_CHECK,
  KZG_POINT_EVALUATION,
} from '../chain-types/generated/precompile.ts'
import type { PRECOMPILE_FAILURES } from './generated/precompile-failure.ts'

export type PrecompileFailure = (typeof PRECOMPILE_FAILURES)[number]

/** Bytes of a field element (the first TOP of which are zeros), of points and of scalars. */
const ELEMENT = 64
const TOP = 16
const G1_POINT = 128
const G2_POINT = 256
const SCALAR = 32

/** The prime of BLS12-381. */
const PRIME = BigInt(
  '0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab',
)

/** Order of the BLS12-381 subgroups. Scalars are smaller. */
const ORDER = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n

/** Runs a precompile of pairing.wasm on an input of the right length. Returns false if it fails. */
export type TryPrecompile = (id: number, input: Uint8Array) => boolean

type Found = PrecompileFailure | undefined

function elementsFailure(input: Uint8Array): Found {
  for (let at = 0; at < input.length; at += ELEMENT) {
    const element = input.subarray(at, at + ELEMENT)
    if (element.subarray(0, TOP).some((byte) => byte !== 0))
      return 'invalid field element top bytes'
    if (element.reduce((value, byte) => value * 256n + BigInt(byte), 0n) >= PRIME) {
      return 'invalid fp.Element encoding'
    }
  }
  return undefined
}

/** Pads `point` with zeros to `length` bytes. */
function padded(point: Uint8Array, length: number): Uint8Array {
  const input = new Uint8Array(length)
  input.set(point)
  return input
}

/** Adds the point at infinity, which succeeds for every point on the curve. */
function pointFailure(point: Uint8Array, attempt: TryPrecompile): Found {
  const failure = elementsFailure(point)
  if (failure !== undefined) return failure
  const id = point.length === G1_POINT ? BLS12_G1ADD : BLS12_G2ADD
  return attempt(id, padded(point, 2 * point.length)) ? undefined : 'invalid point: not on curve'
}

/** Multiplies the point, which succeeds only for points in the subgroup. */
function subgroupFailure(point: Uint8Array, attempt: TryPrecompile): Found {
  const isFirst = point.length === G1_POINT
  if (attempt(isFirst ? BLS12_G1MSM : BLS12_G2MSM, padded(point, point.length + SCALAR)))
    return undefined
  return isFirst ? 'g1 point is not on correct subgroup' : 'g2 point is not on correct subgroup'
}

/** Returns the first failure among the rows of the input. */
function firstFailure(
  input: Uint8Array,
  size: number,
  failureOf: (row: Uint8Array) => Found,
): Found {
  for (let at = 0; at < input.length; at += size) {
    const failure = failureOf(input.subarray(at, at + size))
    if (failure !== undefined) return failure
  }
  return undefined
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  let square = base
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = (result * square) % PRIME
    square = (square * square) % PRIME
  }
  return result
}

/** Returns what is wrong with a compressed G1 point, checked in the order of gnark-crypto. */
function compressedFailure(point: Uint8Array, attempt: TryPrecompile): Found {
  const kind = (point[0] as number) >> 5
  const rest = Uint8Array.from(point, (byte, i) => (i === 0 ? byte & 0x1f : byte))
  if (kind === 0b111 || kind === 0b011 || kind === 0b001) {
    return 'error verifying kzg proof: invalid point encoding'
  }
  if (kind === 0b000 || kind === 0b010) return 'error verifying kzg proof: short buffer'
  if (kind === 0b110) {
    const isInfinity = rest.every((byte) => byte === 0)
    return isInfinity ? undefined : 'error verifying kzg proof: invalid infinity point encoding'
  }
  const x = bytesToBigint(rest)
  if (x >= PRIME) return 'error verifying kzg proof: invalid fp.Element encoding'
  const square = (x * x * x + 4n) % PRIME
  const y = power(square, (PRIME + 1n) / 4n)
  if ((y * y) % PRIME !== square) {
    return "error verifying kzg proof: invalid compressed coordinate: square root doesn't exist"
  }
  const member = concatBytes([bigintToBytes(x, ELEMENT), bigintToBytes(y, ELEMENT)])
  if (subgroupFailure(member, attempt) === undefined) return undefined
  return 'error verifying kzg proof: invalid point: subgroup check failed'
}

function evaluationFailure(input: Uint8Array, attempt: TryPrecompile): Found {
  const commitment = input.subarray(96, 144)
  const versioned = sha256(commitment)
  versioned[0] = 1
  if (!versioned.every((byte, i) => byte === input[i])) return 'mismatched versioned hash'
  const scalars = [input.subarray(32, 64), input.subarray(64, 96)]
  if (scalars.some((scalar) => bytesToBigint(scalar) >= ORDER)) {
    return 'error verifying kzg proof: scalar is not canonical when interpreted as a big integer in big-endian'
  }
  return (
    compressedFailure(commitment, attempt) ??
    compressedFailure(input.subarray(144, 192), attempt) ??
    "error verifying kzg proof: can't verify opening proof"
  )
}

/**
 * Returns why a precompile of pairing.wasm failed on an input of the right length, in geth's order of checks;
 * undefined if no reason is found.
 */
export function findFailure(id: number, input: Uint8Array, attempt: TryPrecompile): Found {
  const point = (bytes: Uint8Array) => pointFailure(bytes, attempt)
  const member = (bytes: Uint8Array) => point(bytes) ?? subgroupFailure(bytes, attempt)
  switch (id) {
    case KZG_POINT_EVALUATION:
      return evaluationFailure(input, attempt)
    case BLS12_G1ADD:
      return firstFailure(input, G1_POINT, point)
    case BLS12_G2ADD:
      return firstFailure(input, G2_POINT, point)
    case BLS12_G1MSM:
      return firstFailure(input, G1_POINT + SCALAR, (row) => member(row.subarray(0, G1_POINT)))
    case BLS12_G2MSM:
      return firstFailure(input, G2_POINT + SCALAR, (row) => member(row.subarray(0, G2_POINT)))
    case BLS12_PAIRING_CHECK:
      return firstFailure(input, G1_POINT + G2_POINT, (row) => {
        const first = row.subarray(0, G1_POINT)
        const second = row.subarray(G1_POINT)
        const failure = point(first) ?? point(second)
        return failure ?? subgroupFailure(first, attempt) ?? subgroupFailure(second, attempt)
      })
    default:
      return elementsFailure(input)
  }
}
