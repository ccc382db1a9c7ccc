import mcl from 'mcl-wasm'
import { fp2Of, fpFrom, g1At, g2At, pairingOutput, scalarAt } from './mcl-point.ts'

const G1_LENGTH = 64
const PAIR_LENGTH = 192

/** Initializes mcl-wasm for BN254; it supports one curve at a time, for the whole process. */
export async function openMclBn254(): Promise<void> {
  await mcl.init(mcl.BN_SNARK1)
}

/** ECADD (EIP-196) by mcl-wasm, for the whole input. Returns undefined if the call fails, as do the functions below. */
export function addMclBn254(input: Uint8Array): Uint8Array | undefined {
  const a = decodeG1(input, 0)
  const b = decodeG1(input, G1_LENGTH)
  return a === undefined || b === undefined ? undefined : encodeG1(mcl.add(a, b))
}

/** ECMUL (EIP-196) by mcl-wasm, for the whole input. */
export function multiplyMclBn254(input: Uint8Array): Uint8Array | undefined {
  const point = decodeG1(input, 0)
  if (point === undefined) return undefined
  return encodeG1(mcl.mul(point, scalarAt(input, G1_LENGTH)))
}

/** ECPAIRING (EIP-197) by mcl-wasm. */
export function pairMclBn254(input: Uint8Array): Uint8Array | undefined {
  return pairingOutput(input, PAIR_LENGTH, (offset) => [
    decodeG1(input, offset),
    decodeG2(input, offset + G1_LENGTH),
  ])
}

function decodeG1(bytes: Uint8Array, offset: number): mcl.G1 | undefined {
  return g1At(decodeFp(bytes, offset), decodeFp(bytes, offset + 32))
}

/** The imaginary parts come first. */
function decodeG2(bytes: Uint8Array, offset: number): mcl.G2 | undefined {
  const coordinateAt = (at: number) => fp2Of(decodeFp(bytes, at + 32), decodeFp(bytes, at))
  const point = g2At(coordinateAt(offset), coordinateAt(offset + 64))
  return point?.isValidOrder() ? point : undefined
}

/** mcl reads little-endian. */
function decodeFp(bytes: Uint8Array, offset: number): mcl.Fp | undefined {
  return fpFrom(bytes.slice(offset, offset + 32).reverse())
}

function encodeG1(point: mcl.G1): Uint8Array {
  const output = new Uint8Array(G1_LENGTH)
  if (point.isZero()) return output
  point.normalize()
  output.set(point.getX().serialize().reverse(), 0)
  output.set(point.getY().serialize().reverse(), 32)
  return output
}
