import { bls12_381 } from '@noble/curves/bls12-381.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { describe, expect, test } from 'vitest'
import { bigintToBytes, concatBytes } from '../../../../host/base/bytes.ts'
import { LockstepError } from '../../../../host/base/error.ts'
import { formatData, parseData } from '../../../../host/base/hex.ts'
import { Pairing } from '../../../../host/evm/engine/pairing.ts'
import { readModule } from '../../../../host/node/wasm.ts'

const EMPTY = new Uint8Array(0)

const pairing = new Pairing(new WebAssembly.Module(await readModule('pairing')))

const call = (id: number, ...parts: Uint8Array[]): string | undefined => {
  const output = pairing.call(bigintToBytes(BigInt(id), 20), concatBytes(parts))
  return output === undefined ? undefined : formatData(output)
}
const word = (value: bigint | number): Uint8Array => bigintToBytes(BigInt(value), 32)
const zeros = (length: number): Uint8Array => new Uint8Array(length)

test('the pairing module accepts only its own addresses', () => {
  for (const id of [0x00, 0x01, 0x05, 0x06, 0x07, 0x08, 0x09, 0x12, 0x100, 0x106]) {
    expect(() => call(id), `${id}`).toThrow(LockstepError)
  }
})

test('the engine refuses pairings without the pairing module', () => {
  const address = bigintToBytes(0x0fn, 20)
  expect(() => new Pairing(undefined).call(address, EMPTY)).toThrow(LockstepError)
})

describe('BLS12-381 in the pairing module', () => {
  const { G1, G2, fields } = bls12_381
  const element = (value: bigint): Uint8Array => bigintToBytes(value, 64)
  const first = (point = G1.Point.BASE): Uint8Array => {
    const { x, y } = point.toAffine()
    return concatBytes([element(x), element(y)])
  }
  const second = (point = G2.Point.BASE): Uint8Array => {
    const { x, y } = point.toAffine()
    return concatBytes([element(x.c0), element(x.c1), element(y.c0), element(y.c1)])
  }

  test('adds points', () => {
    expect(call(0x0b, first(), first())).toBe(formatData(first(G1.Point.BASE.double())))
    expect(call(0x0b, first(), zeros(128))).toBe(formatData(first()))
    expect(call(0x0b, first(), first(G1.Point.BASE.negate()))).toBe(formatData(zeros(128)))
    expect(call(0x0d, second(), second())).toBe(formatData(second(G2.Point.BASE.double())))
    expect(call(0x0d, zeros(256), zeros(256))).toBe(formatData(zeros(256)))
  })

  test('multiplies points and sums the products', () => {
    const { ORDER } = fields.Fr
    expect(call(0x0c, first(), word(2), first(), word(ORDER + 3n))).toBe(
      formatData(first(G1.Point.BASE.multiply(5n))),
    )
    expect(call(0x0c, first(), word(0))).toBe(formatData(zeros(128)))
    expect(call(0x0e, second(), word(2), zeros(256), word(9))).toBe(
      formatData(second(G2.Point.BASE.double())),
    )
  })

  test('checks pairings', () => {
    const inverse = first(G1.Point.BASE.negate())
    expect(call(0x0f, first(), second(), inverse, second())).toBe(formatData(word(1)))
    expect(call(0x0f, first(), second())).toBe(formatData(word(0)))
    expect(call(0x0f, zeros(128), second())).toBe(formatData(word(1)))
  })

  test('adds points outside the subgroup, but refuses to multiply or pair them', () => {
    const { Fp } = fields
    // y^2 = x^3 + 4 contains (0, 2), which has order three.
    const outside = concatBytes([element(0n), element(2n)])
    expect(call(0x0b, outside, zeros(128))).toBe(formatData(outside))
    expect(call(0x0b, outside, outside)).toBe(
      formatData(concatBytes([element(0n), element(Fp.ORDER - 2n)])),
    )
    expect(call(0x0c, outside, word(1))).toBeUndefined()
    expect(call(0x0f, outside, second())).toBeUndefined()
  })

  test('fails for invalid lengths, coordinates and points', () => {
    for (const id of [0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11]) {
      expect(call(id), `${id}`).toBeUndefined()
      expect(call(id, zeros(1)), `${id}`).toBeUndefined()
    }
    const { ORDER } = fields.Fp
    expect(call(0x10, element(ORDER))).toBeUndefined()
    expect(call(0x10, element(1n << 500n))).toBeUndefined()
    expect(call(0x11, element(0n), element(ORDER))).toBeUndefined()
    expect(call(0x0b, first(), element(1n), element(1n))).toBeUndefined()
    expect(call(0x0d, second(), second().fill(1, 16, 32))).toBeUndefined()
  })

  test('maps field elements to the subgroup', () => {
    for (const value of [0n, 1n, fields.Fp.ORDER - 1n]) {
      const point = parseData(call(0x10, element(value)) as string)
      expect(call(0x0c, point, word(fields.Fr.ORDER))).toBe(formatData(zeros(128)))
      const onTwist = parseData(call(0x11, element(value), element(1n)) as string)
      expect(call(0x0e, onTwist, word(fields.Fr.ORDER))).toBe(formatData(zeros(256)))
    }
  })
})

describe('point evaluation', () => {
  const output =
    '0x0000000000000000000000000000000000000000000000000000000000001000' +
    '73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001'
  const valid = parseData(
    '0x01e798154708fe7789429634053cbf9f99b619f9f084048927333fce637f549b' +
      '564c0a11a0f704f4fc3e8acfe0f8245f0ad1347b378fbf96e206da11a5d36306' +
      '24d25032e67a7e6a4910df5834b8fe70e6bcfeeac0352434196bdf4b2485d5a1' +
      '8f59a8d2a1a625a17f3fea0fe5eb8c896db3764f3185481bc22f91b4aaffcca2' +
      '5f26936857bc3a7c2539ea8ec3a952b7873033e038326e87ed3e1276fd140253' +
      'fa08e9fc25fb2d9a98527fc22a2c9612fbeafdad446cbc7bcdbdcd780af2c16a',
  )
  const order = bls12_381.fields.Fr.ORDER

  /** A constant polynomial: the commitment is y times the generator, the proof is zero. */
  const makeConstant = (z: bigint, y: bigint): Uint8Array => {
    const { BASE, ZERO } = bls12_381.G1.Point
    const commitment = (y === 0n ? ZERO : BASE.multiply(y)).toBytes()
    const hash = sha256(commitment)
    hash[0] = 1
    return concatBytes([hash, word(z), word(y), commitment, ZERO.toBytes()])
  }

  test('accepts a proof and returns the constants of EIP-4844', () => {
    expect(call(0x0a, valid)).toBe(output)
    expect(call(0x0a, makeConstant(7n, 42n))).toBe(output)
    expect(call(0x0a, makeConstant(7n, 0n))).toBe(output)
  })

  test('fails if any part is wrong', () => {
    for (const index of [0, 31, 40, 70, 100, 150, 191]) {
      const changed = valid.slice()
      changed[index] = (changed[index] as number) ^ 1
      expect(call(0x0a, changed), `byte ${index}`).toBeUndefined()
    }
    const constant = makeConstant(7n, 42n)
    constant.set(word(order + 42n), 64)
    expect(call(0x0a, constant)).toBeUndefined()
    constant.set(word(42), 64)
    constant.set(word(order + 7n), 32)
    expect(call(0x0a, constant)).toBeUndefined()
    for (const wrong of [EMPTY, valid.subarray(1), concatBytes([valid, Uint8Array.of(0)])]) {
      expect(call(0x0a, wrong)).toBeUndefined()
    }
  })
})
