import mcl from 'mcl-wasm'
import { bigintToBytes } from '../../../host/base/bytes.ts'

const G1_LENGTH = 64
const PAIR_LENGTH = 192

/** Readies mcl-wasm for BN254; it knows one curve at a time, for the whole process. */
export async function openMclBn254(): Promise<void> {
  await mcl.init(mcl.BN_SNARK1)
}

/** ECADD (EIP-196) by mcl-wasm, of a whole input; undefined when the call fails, as below. */
export function addMclBn254(input: Uint8Array): Uint8Array | undefined {
  const a = decodeG1(input, 0)
  const b = decodeG1(input, G1_LENGTH)
  return a === undefined || b === undefined ? undefined : encodeG1(mcl.add(a, b))
}

/** ECMUL (EIP-196) by mcl-wasm, of a whole input. */
export function multiplyMclBn254(input: Uint8Array): Uint8Array | undefined {
  const point = decodeG1(input, 0)
  if (point === undefined) return undefined
  const scalar = new mcl.Fr()
  scalar.setBigEndianMod(input.subarray(G1_LENGTH, G1_LENGTH + 32))
  return encodeG1(mcl.mul(point, scalar))
}

/** ECPAIRING (EIP-197) by mcl-wasm. */
export function pairMclBn254(input: Uint8Array): Uint8Array | undefined {
  if (input.length % PAIR_LENGTH !== 0) return undefined
  let product: mcl.GT | undefined
  for (let offset = 0; offset < input.length; offset += PAIR_LENGTH) {
    const g1 = decodeG1(input, offset)
    const g2 = decodeG2(input, offset + G1_LENGTH)
    if (g1 === undefined || g2 === undefined) return undefined
    if (g1.isZero() || g2.isZero()) continue
    const factor = mcl.millerLoop(g1, g2)
    product = product === undefined ? factor : mcl.mul(product, factor)
  }
  const isOne = product === undefined || mcl.finalExp(product).isOne()
  return bigintToBytes(isOne ? 1n : 0n, 32)
}

function decodeG1(bytes: Uint8Array, offset: number): mcl.G1 | undefined {
  const x = decodeFp(bytes, offset)
  const y = decodeFp(bytes, offset + 32)
  if (x === undefined || y === undefined) return undefined
  const point = new mcl.G1()
  if (x.isZero() && y.isZero()) return point
  point.setX(x)
  point.setY(y)
  point.setZ(one())
  return point.isValid() ? point : undefined
}

/** The imaginary parts come first. */
function decodeG2(bytes: Uint8Array, offset: number): mcl.G2 | undefined {
  const x = decodeFp2(bytes, offset)
  const y = decodeFp2(bytes, offset + 64)
  if (x === undefined || y === undefined) return undefined
  const point = new mcl.G2()
  if (x.isZero() && y.isZero()) return point
  const z = new mcl.Fp2()
  z.setInt(1, 0)
  point.setX(x)
  point.setY(y)
  point.setZ(z)
  return point.isValid() && point.isValidOrder() ? point : undefined
}

function decodeFp2(bytes: Uint8Array, offset: number): mcl.Fp2 | undefined {
  const imaginary = decodeFp(bytes, offset)
  const real = decodeFp(bytes, offset + 32)
  if (imaginary === undefined || real === undefined) return undefined
  const value = new mcl.Fp2()
  value.set_a(real)
  value.set_b(imaginary)
  return value
}

function decodeFp(bytes: Uint8Array, offset: number): mcl.Fp | undefined {
  const value = new mcl.Fp()
  try {
    // mcl reads little-endian, and refuses what is not below the prime.
    value.deserialize(bytes.slice(offset, offset + 32).reverse())
    return value
  } catch {
    return undefined
  }
}

function encodeG1(point: mcl.G1): Uint8Array {
  const output = new Uint8Array(G1_LENGTH)
  if (point.isZero()) return output
  point.normalize()
  output.set(point.getX().serialize().reverse(), 0)
  output.set(point.getY().serialize().reverse(), 32)
  return output
}

function one(): mcl.Fp {
  const value = new mcl.Fp()
  value.setInt(1)
  return value
}
