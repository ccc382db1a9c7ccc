import { sha256 } from '@noble/hashes/sha2.js'
import mcl from 'mcl-wasm'
import { bigintToBytes, concatBytes, equalBytes } from '../../../../host/base/bytes.ts'
import { fp2Of, fpFrom, g1At, g2At, pairingOutput, scalarAt } from './mcl-point.ts'

const PADDED = 64
const FIELD = 48
const G1_LENGTH = 2 * PADDED
const G2_LENGTH = 4 * PADDED
const SCALAR = 32
const ORDER = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n
const G1_GENERATOR =
  '97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb'
const G2_GENERATOR =
  '93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e' +
  '024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8'

/** Lines of the two points that every evaluation pairs with. */
interface Evaluation {
  readonly first: mcl.G1
  readonly minusSecond: mcl.PrecomputedG2
  readonly tau: mcl.PrecomputedG2
}

export type MclPrecompile = (input: Uint8Array) => Uint8Array | undefined

/**
 * Opens the precompiles 0x0a to 0x11 by mcl-wasm, which return undefined if the call fails. mcl supports one curve at
 * a time, for the whole process.
 * @param tauG2 [tau] G2, compressed
 */
export async function openMclBls12381(
  tauG2: Uint8Array,
): Promise<ReadonlyMap<number, MclPrecompile>> {
  await mcl.init(mcl.BLS12_381)
  mcl.setMapToMode(mcl.IRTF)
  mcl.setETHserialization(true)
  // Membership is checked explicitly where it is required.
  mcl.verifyOrderG1(false)
  mcl.verifyOrderG2(false)
  const first = new mcl.G1()
  first.deserialize(Buffer.from(G1_GENERATOR, 'hex'))
  const second = new mcl.G2()
  second.deserialize(Buffer.from(G2_GENERATOR, 'hex'))
  const tau = new mcl.G2()
  tau.deserialize(tauG2)
  const evaluation: Evaluation = {
    first,
    minusSecond: new mcl.PrecomputedG2(mcl.neg(second)),
    tau: new mcl.PrecomputedG2(tau),
  }
  return new Map<number, MclPrecompile>([
    [0x0a, (input) => evaluatePoint(input, evaluation)],
    [0x0b, addG1],
    [0x0c, sumG1],
    [0x0d, addG2],
    [0x0e, sumG2],
    [0x0f, pair],
    [0x10, mapToG1],
    [0x11, mapToG2],
  ])
}

function addG1(input: Uint8Array): Uint8Array | undefined {
  if (input.length !== 2 * G1_LENGTH) return undefined
  const a = decodeG1(input, 0)
  const b = decodeG1(input, G1_LENGTH)
  return a === undefined || b === undefined ? undefined : encodeG1(mcl.add(a, b))
}

function addG2(input: Uint8Array): Uint8Array | undefined {
  if (input.length !== 2 * G2_LENGTH) return undefined
  const a = decodeG2(input, 0)
  const b = decodeG2(input, G2_LENGTH)
  return a === undefined || b === undefined ? undefined : encodeG2(mcl.add(a, b))
}

function sumG1(input: Uint8Array): Uint8Array | undefined {
  return sum(input, G1_LENGTH, decodeG1, encodeG1)
}

function sumG2(input: Uint8Array): Uint8Array | undefined {
  return sum(input, G2_LENGTH, decodeG2, encodeG2)
}

function sum<T extends mcl.G1 | mcl.G2>(
  input: Uint8Array,
  length: number,
  decode: (bytes: Uint8Array, offset: number) => T | undefined,
  encode: (point: T) => Uint8Array,
): Uint8Array | undefined {
  const step = length + SCALAR
  if (input.length === 0 || input.length % step !== 0) return undefined
  const points: T[] = []
  const scalars: mcl.Fr[] = []
  for (let offset = 0; offset < input.length; offset += step) {
    const point = decode(input, offset)
    if (point === undefined || !point.isValidOrder()) return undefined
    points.push(point)
    scalars.push(scalarAt(input, offset + length))
  }
  return encode(mcl.mulVec(points, scalars))
}

function pair(input: Uint8Array): Uint8Array | undefined {
  if (input.length === 0) return undefined
  return pairingOutput(input, G1_LENGTH + G2_LENGTH, (offset) => [
    ordered(decodeG1(input, offset)),
    ordered(decodeG2(input, offset + G1_LENGTH)),
  ])
}

/** Returns the point if it is in the subgroup. */
function ordered<T extends mcl.G1 | mcl.G2>(point: T | undefined): T | undefined {
  return point?.isValidOrder() ? point : undefined
}

function mapToG1(input: Uint8Array): Uint8Array | undefined {
  if (input.length !== PADDED) return undefined
  const element = decodeFp(input, 0)
  return element === undefined ? undefined : encodeG1(element.mapToG1())
}

function mapToG2(input: Uint8Array): Uint8Array | undefined {
  if (input.length !== 2 * PADDED) return undefined
  const element = decodeFp2(input, 0)
  return element === undefined ? undefined : encodeG2(element.mapToG2())
}

/** e(C - y G1 + z proof, -G2) e(proof, [tau] G2) = 1. */
function evaluatePoint(input: Uint8Array, evaluation: Evaluation): Uint8Array | undefined {
  if (input.length !== 192) return undefined
  const commitment = input.subarray(96, 144)
  const hash = sha256(commitment)
  hash[0] = 1
  if (!equalBytes(hash, input.subarray(0, 32))) return undefined
  const committed = decompress(commitment)
  const proved = decompress(input.subarray(144))
  if (committed === undefined || proved === undefined) return undefined
  if (isNoScalar(input, 32) || isNoScalar(input, 64)) return undefined
  const z = scalarAt(input, 32)
  const y = scalarAt(input, 64)
  const combined = mcl.add(committed, mcl.mulVec([proved, evaluation.first], [z, mcl.neg(y)]))
  const product = mcl.precomputedMillerLoop2(
    combined,
    evaluation.minusSecond,
    proved,
    evaluation.tau,
  )
  if (!mcl.finalExp(product).isOne()) return undefined
  return concatBytes([bigintToBytes(4096n, 32), bigintToBytes(ORDER, 32)])
}

function decompress(bytes: Uint8Array): mcl.G1 | undefined {
  const point = new mcl.G1()
  try {
    point.deserialize(bytes)
  } catch {
    return undefined
  }
  return ordered(point)
}

function isNoScalar(bytes: Uint8Array, offset: number): boolean {
  return (
    BigInt(`0x${Buffer.from(bytes.subarray(offset, offset + SCALAR)).toString('hex')}`) >= ORDER
  )
}

function decodeG1(bytes: Uint8Array, offset: number): mcl.G1 | undefined {
  return g1At(decodeFp(bytes, offset), decodeFp(bytes, offset + PADDED))
}

function decodeG2(bytes: Uint8Array, offset: number): mcl.G2 | undefined {
  return g2At(decodeFp2(bytes, offset), decodeFp2(bytes, offset + 2 * PADDED))
}

function decodeFp2(bytes: Uint8Array, offset: number): mcl.Fp2 | undefined {
  return fp2Of(decodeFp(bytes, offset), decodeFp(bytes, offset + PADDED))
}

/** Big-endian in the serialization of Ethereum. */
function decodeFp(bytes: Uint8Array, offset: number): mcl.Fp | undefined {
  const padding = PADDED - FIELD
  for (let i = 0; i < padding; i++) if (bytes[offset + i] !== 0) return undefined
  return fpFrom(bytes.slice(offset + padding, offset + PADDED))
}

function encodeG1(point: mcl.G1): Uint8Array {
  const output = new Uint8Array(G1_LENGTH)
  if (point.isZero()) return output
  point.normalize()
  writeFp(output, 0, point.getX())
  writeFp(output, PADDED, point.getY())
  return output
}

function encodeG2(point: mcl.G2): Uint8Array {
  const output = new Uint8Array(G2_LENGTH)
  if (point.isZero()) return output
  point.normalize()
  const [x, y] = [point.getX(), point.getY()]
  for (const [i, value] of [x.get_a(), x.get_b(), y.get_a(), y.get_b()].entries()) {
    writeFp(output, PADDED * i, value)
  }
  return output
}

function writeFp(output: Uint8Array, offset: number, value: mcl.Fp): void {
  output.set(value.serialize(), offset + PADDED - FIELD)
}
