import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bigintToBytes, concatBytes } from '../../host/base/bytes.ts'
import { parseData } from '../../host/base/hex.ts'
import { Pairing } from '../../host/evm/engine/pairing.ts'
import { readModule } from '../../host/node/wasm.ts'
import { openMclBls12381 } from '../../test/unit/curve/oracles/mcl-bls12-381.ts'
import { TAU_G2 } from '../../test/unit/curve/oracles/noble-point-evaluation.ts'
import type { PrecompileCase } from './suite.ts'

const { G1, G2, fields } = bls12_381
const { Fp, Fr } = fields

const SCALAR = 0x6b5c9f6a8e1d4073b2a6c1e8d7f4952036ab1c8d9e5f7024681ace13579bdf04n
/** A power reduced modulo the prime: as good as random, and the same in every run. */
const ELEMENT = Fp.create(SCALAR * SCALAR * SCALAR)

/** A valid proof of a non-constant polynomial (EIP-4844's own first vector). */
const EVALUATION = parseData(
  '0x01e798154708fe7789429634053cbf9f99b619f9f084048927333fce637f549b' +
    '564c0a11a0f704f4fc3e8acfe0f8245f0ad1347b378fbf96e206da11a5d36306' +
    '24d25032e67a7e6a4910df5834b8fe70e6bcfeeac0352434196bdf4b2485d5a1' +
    '8f59a8d2a1a625a17f3fea0fe5eb8c896db3764f3185481bc22f91b4aaffcca2' +
    '5f26936857bc3a7c2539ea8ec3a952b7873033e038326e87ed3e1276fd140253' +
    'fa08e9fc25fb2d9a98527fc22a2c9612fbeafdad446cbc7bcdbdcd780af2c16a',
)

const element = (value: bigint): Uint8Array => bigintToBytes(value, 64)

function first(scalar: bigint): Uint8Array {
  const { x, y } = G1.Point.BASE.multiply(Fr.create(scalar)).toAffine()
  return concatBytes([element(x), element(y)])
}

function second(scalar: bigint): Uint8Array {
  const { x, y } = G2.Point.BASE.multiply(Fr.create(scalar)).toAffine()
  return concatBytes([element(x.c0), element(x.c1), element(y.c0), element(y.c1)])
}

/** Returns `count` points, each with a full scalar. */
function multiples(point: (scalar: bigint) => Uint8Array, count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, i) => {
    const scalar = Fr.create(SCALAR ** BigInt(i + 1))
    return concatBytes([point(scalar + 1n), bigintToBytes(scalar, 32)])
  })
}

/** Returns `count` pairs whose product is one if there are at least two. */
function pairs(count: number): Uint8Array[] {
  let sum = 0n
  return Array.from({ length: count }, (_, i) => {
    const isLast = i === count - 1 && count > 1
    const left = isLast ? -sum : BigInt(i + 2) * SCALAR
    const right = isLast ? 1n : BigInt(i + 7)
    sum += left * right
    return concatBytes([first(left), second(right)])
  })
}

/** The precompiles of EIP-2537 and the point evaluation of EIP-4844, by Lockstep and mcl-wasm. */
export async function openBls12381Suite(): Promise<readonly PrecompileCase[]> {
  const pairing = new Pairing(new WebAssembly.Module(await readModule('pairing')))
  const mcl = await openMclBls12381(parseData(`0x${TAU_G2}`))
  const row = (
    id: number,
    precompile: string,
    input: string,
    gas: number,
    ...parts: Uint8Array[]
  ): PrecompileCase => {
    const address = bigintToBytes(BigInt(id), 20)
    const bytes = concatBytes(parts)
    return {
      precompile,
      input,
      address: id,
      data: bytes,
      gas,
      contenders: [
        { engine: 'lockstep', run: () => pairing.call(address, bytes) },
        { engine: 'mcl-wasm', run: () => mcl.get(id)?.(bytes) },
      ],
    }
  }
  return [
    row(0x0b, 'bls12_g1add', 'two points', 375, first(SCALAR), first(7n)),
    row(0x0d, 'bls12_g2add', 'two points', 600, second(SCALAR), second(7n)),
    row(0x0c, 'bls12_g1msm', '1', 12_000, ...multiples(first, 1)),
    row(0x0c, 'bls12_g1msm', '16', 129_984, ...multiples(first, 16)),
    row(0x0c, 'bls12_g1msm', '128', 797_184, ...multiples(first, 128)),
    row(0x0e, 'bls12_g2msm', '1', 22_500, ...multiples(second, 1)),
    row(0x0e, 'bls12_g2msm', '16', 258_120, ...multiples(second, 16)),
    row(0x0e, 'bls12_g2msm', '128', 1_509_120, ...multiples(second, 128)),
    ...[1, 2, 10].map((k) =>
      row(0x0f, 'bls12_pairing_check', `${k}`, 37_700 + 32_600 * k, ...pairs(k)),
    ),
    row(0x10, 'bls12_map_fp_to_g1', 'an element', 5_500, element(ELEMENT)),
    row(0x11, 'bls12_map_fp2_to_g2', 'an element', 23_800, element(ELEMENT), element(SCALAR)),
    row(0x0a, 'point_evaluation', 'a proof', 50_000, EVALUATION),
  ]
}
