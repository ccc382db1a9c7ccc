import mcl from 'mcl-wasm'
import { bigintToBytes } from '../../../../host/base/bytes.ts'

/** Returns the field element in mcl's serialization, or undefined if it is not below the prime. */
export function fpFrom(serialized: Uint8Array): mcl.Fp | undefined {
  const value = new mcl.Fp()
  try {
    value.deserialize(serialized)
    return value
  } catch {
    return undefined
  }
}

export function fp2Of(real?: mcl.Fp, imaginary?: mcl.Fp): mcl.Fp2 | undefined {
  if (real === undefined || imaginary === undefined) return undefined
  const value = new mcl.Fp2()
  value.set_a(real)
  value.set_b(imaginary)
  return value
}

/** Returns the point with these affine coordinates, infinity for (0, 0), or undefined if it is not on the curve. */
export function g1At(x?: mcl.Fp, y?: mcl.Fp): mcl.G1 | undefined {
  if (x === undefined || y === undefined) return undefined
  const point = new mcl.G1()
  if (x.isZero() && y.isZero()) return point
  const z = new mcl.Fp()
  z.setInt(1)
  point.setX(x)
  point.setY(y)
  point.setZ(z)
  return point.isValid() ? point : undefined
}

/** Same as `g1At`, on the twist. */
export function g2At(x?: mcl.Fp2, y?: mcl.Fp2): mcl.G2 | undefined {
  if (x === undefined || y === undefined) return undefined
  const point = new mcl.G2()
  if (x.isZero() && y.isZero()) return point
  const z = new mcl.Fp2()
  z.setInt(1, 0)
  point.setX(x)
  point.setY(y)
  point.setZ(z)
  return point.isValid() ? point : undefined
}

/** Returns the big-endian scalar of 32 bytes at `offset`, reduced by the order. */
export function scalarAt(bytes: Uint8Array, offset: number): mcl.Fr {
  const scalar = new mcl.Fr()
  scalar.setBigEndianMod(bytes.subarray(offset, offset + 32))
  return scalar
}

/**
 * Returns the output of a pairing precompile: 1 in 32 bytes if the product of the pairings is one, else 0.
 * @param pairAt decodes the pair at an offset; the call fails if a point is undefined
 */
export function pairingOutput(
  input: Uint8Array,
  pairLength: number,
  pairAt: (offset: number) => readonly [first: mcl.G1 | undefined, second: mcl.G2 | undefined],
): Uint8Array | undefined {
  if (input.length % pairLength !== 0) return undefined
  let product: mcl.GT | undefined
  for (let offset = 0; offset < input.length; offset += pairLength) {
    const [first, second] = pairAt(offset)
    if (first === undefined || second === undefined) return undefined
    if (first.isZero() || second.isZero()) continue
    const factor = mcl.millerLoop(first, second)
    product = product === undefined ? factor : mcl.mul(product, factor)
  }
  const isOne = product === undefined || mcl.finalExp(product).isOne()
  return bigintToBytes(isOne ? 1n : 0n, 32)
}
