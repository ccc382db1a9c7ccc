import { bn254 } from '@noble/curves/bn254.js'
import { bigintToBytes, concatBytes } from '../../host/base/bytes.ts'
import {
  addMclBn254,
  multiplyMclBn254,
  openMclBn254,
  pairMclBn254,
} from '../../test/unit/curve/oracles/mcl-bn254.ts'
import {
  addBn254,
  encodeG1,
  encodeG2,
  multiplyBn254,
  pairBn254,
} from '../../test/unit/curve/oracles/noble-bn254.ts'
import { PrecompileModule } from '../../test/unit/precompile/precompile-module.ts'
import type { PrecompileCase } from './suite.ts'

type Precompile = (input: Uint8Array) => Uint8Array | undefined

const { G1, G2, fields } = bn254
const { Fr } = fields

const SCALAR = 0x2b5c9f6a8e1d4073b2a6c1e8d7f4952036ab1c8d9e5f7024681ace13579bdf04n

/** ECADD, ECMUL and ECPAIRING (EIP-196, EIP-197) by Lockstep, mcl-wasm and @noble/curves. */
export async function openBn254Suite(): Promise<readonly PrecompileCase[]> {
  const table = await PrecompileModule.open()
  await openMclBn254()
  const row = (
    [precompile, id, mcl, noble]: readonly [string, number, Precompile, Precompile],
    input: string,
    gas: number,
    ...parts: Uint8Array[]
  ): PrecompileCase => {
    const bytes = concatBytes(parts)
    return {
      precompile,
      input,
      address: id,
      data: bytes,
      gas,
      contenders: [
        { engine: 'lockstep', run: () => table.run(id, bytes) },
        { engine: 'mcl-wasm', run: () => mcl(bytes) },
        { engine: 'noble', run: () => noble(bytes) },
      ],
    }
  }
  const add = ['bn254_add', 0x06, addMclBn254, addBn254] as const
  const multiply = ['bn254_mul', 0x07, multiplyMclBn254, multiplyBn254] as const
  const pairing = ['bn254_pairing', 0x08, pairMclBn254, pairBn254] as const

  const a = G1.Point.BASE.multiply(Fr.create(SCALAR))
  const b = G1.Point.BASE.multiply(Fr.create(SCALAR * SCALAR))
  // Returns pairs whose product is one, of points other than the generators.
  const pairs = (count: number): Uint8Array[] => {
    let sum = 0n
    return Array.from({ length: count }, (_, i) => {
      const left = BigInt(i + 2) * SCALAR
      const right = i === count - 1 ? 1n : BigInt(i + 7)
      const scalar = i === count - 1 && count > 1 ? -sum : left
      sum += left * right
      const g1 = G1.Point.BASE.multiply(Fr.create(scalar))
      return concatBytes([encodeG1(g1), encodeG2(G2.Point.BASE.multiply(right))])
    })
  }
  return [
    row(add, 'two points', 150, encodeG1(a), encodeG1(b)),
    row(multiply, '254-bit scalar', 6_000, encodeG1(a), bigintToBytes(SCALAR, 32)),
    row(multiply, '128-bit scalar', 6_000, encodeG1(a), bigintToBytes(SCALAR >> 126n, 32)),
    ...[1, 2, 4, 10].map((k) => row(pairing, `${k}`, 45_000 + 34_000 * k, ...pairs(k))),
  ]
}
