import { pippenger } from '@noble/curves/abstract/curve.js'
import type { WeierstrassPoint, WeierstrassPointCons } from '@noble/curves/abstract/weierstrass.js'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bigintToBytes } from '../../../host/base/bytes.ts'
import { isInSubgroup, isOnCurve, readNumber } from './oracles/noble-curve-point.ts'

const { G1, G2, fields } = bls12_381
const { Fp, Fp2, Fp12, Fr } = fields

type Fp2Element = typeof Fp2.ONE

// Noble declares affine coordinates as the result, but returns points; on G1 it takes one number.
const mapElementToG1 = G1.mapToCurve as unknown as (element: bigint) => WeierstrassPoint<bigint>
const mapElementToG2 = G2.mapToCurve as unknown as (
  element: [bigint, bigint],
) => WeierstrassPoint<Fp2Element>

/** A field element is 48 bytes behind 16 zeros (EIP-2537). */
const FIELD_LENGTH = 64
const SCALAR_LENGTH = 32

/** One of the two groups: how long a point is and how its coordinates are read and written. */
interface Group<T> {
  readonly curve: WeierstrassPointCons<T>
  readonly length: number
  readCoordinate(bytes: Uint8Array, offset: number): T | undefined
  writeCoordinate(output: Uint8Array, offset: number, value: T): void
}

const FIRST: Group<bigint> = {
  curve: G1.Point,
  length: 2 * FIELD_LENGTH,
  readCoordinate: readFp,
  writeCoordinate: writeFp,
}

const SECOND: Group<Fp2Element> = {
  curve: G2.Point,
  length: 4 * FIELD_LENGTH,
  readCoordinate: readFp2,
  writeCoordinate(output, offset, value) {
    writeFp(output, offset, value.c0)
    writeFp(output, offset + FIELD_LENGTH, value.c1)
  },
}

// Every function returns undefined if the call fails for the input.

export function addG1(input: Uint8Array): Uint8Array | undefined {
  return add(FIRST, input)
}

export function addG2(input: Uint8Array): Uint8Array | undefined {
  return add(SECOND, input)
}

export function multiplyG1(input: Uint8Array): Uint8Array | undefined {
  return multiplyAndSum(FIRST, input)
}

export function multiplyG2(input: Uint8Array): Uint8Array | undefined {
  return multiplyAndSum(SECOND, input)
}

/** Returns 1 as a word if the product of the pairings is one, else 0. */
export function pairBls12381(input: Uint8Array): Uint8Array | undefined {
  const pairLength = FIRST.length + SECOND.length
  if (input.length === 0 || input.length % pairLength !== 0) return undefined
  const pairs: { g1: WeierstrassPoint<bigint>; g2: WeierstrassPoint<Fp2Element> }[] = []
  for (let offset = 0; offset < input.length; offset += pairLength) {
    const g1 = decode(FIRST, input, offset)
    const g2 = decode(SECOND, input, offset + FIRST.length)
    if (g1 === undefined || g2 === undefined || !isInSubgroup(g1) || !isInSubgroup(g2)) {
      return undefined
    }
    if (!g1.is0() && !g2.is0()) pairs.push({ g1, g2 })
  }
  return bigintToBytes(Fp12.eql(bls12_381.pairingBatch(pairs), Fp12.ONE) ? 1n : 0n, 32)
}

export function mapToG1(input: Uint8Array): Uint8Array | undefined {
  if (input.length !== FIELD_LENGTH) return undefined
  const element = readFp(input, 0)
  return element === undefined ? undefined : encode(FIRST, mapElementToG1(element))
}

export function mapToG2(input: Uint8Array): Uint8Array | undefined {
  if (input.length !== 2 * FIELD_LENGTH) return undefined
  const element = readFp2(input, 0)
  return element === undefined
    ? undefined
    : encode(SECOND, mapElementToG2([element.c0, element.c1]))
}

/** Only addition omits the subgroup check. */
function add<T>(group: Group<T>, input: Uint8Array): Uint8Array | undefined {
  if (input.length !== 2 * group.length) return undefined
  const a = decode(group, input, 0)
  const b = decode(group, input, group.length)
  return a === undefined || b === undefined ? undefined : encode(group, a.add(b))
}

function multiplyAndSum<T>(group: Group<T>, input: Uint8Array): Uint8Array | undefined {
  const itemLength = group.length + SCALAR_LENGTH
  if (input.length === 0 || input.length % itemLength !== 0) return undefined
  const points: WeierstrassPoint<T>[] = []
  const scalars: bigint[] = []
  for (let offset = 0; offset < input.length; offset += itemLength) {
    const point = decode(group, input, offset)
    if (point === undefined || !isInSubgroup(point)) return undefined
    points.push(point)
    scalars.push(Fr.create(readNumber(input, offset + group.length, SCALAR_LENGTH)))
  }
  return encode(group, pippenger(group.curve, points, scalars))
}

function decode<T>(
  group: Group<T>,
  bytes: Uint8Array,
  offset: number,
): WeierstrassPoint<T> | undefined {
  const { curve } = group
  const x = group.readCoordinate(bytes, offset)
  const y = group.readCoordinate(bytes, offset + group.length / 2)
  if (x === undefined || y === undefined) return undefined
  if (curve.Fp.is0(x) && curve.Fp.is0(y)) return curve.ZERO
  return isOnCurve(curve, x, y) ? curve.fromAffine({ x, y }) : undefined
}

function encode<T>(group: Group<T>, point: WeierstrassPoint<T>): Uint8Array {
  const output = new Uint8Array(group.length)
  if (point.is0()) return output
  const { x, y } = point.toAffine()
  group.writeCoordinate(output, 0, x)
  group.writeCoordinate(output, group.length / 2, y)
  return output
}

function readFp(bytes: Uint8Array, offset: number): bigint | undefined {
  const value = readNumber(bytes, offset, FIELD_LENGTH)
  return value < Fp.ORDER ? value : undefined
}

function readFp2(bytes: Uint8Array, offset: number): Fp2Element | undefined {
  const c0 = readFp(bytes, offset)
  const c1 = readFp(bytes, offset + FIELD_LENGTH)
  return c0 === undefined || c1 === undefined ? undefined : Fp2.fromBigTuple([c0, c1])
}

function writeFp(output: Uint8Array, offset: number, value: bigint): void {
  output.set(bigintToBytes(value, FIELD_LENGTH), offset)
}
