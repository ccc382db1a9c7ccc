import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bn254 } from '@noble/curves/bn254.js'
import { describe, expect, it } from 'vitest'
import { bigintToBytes, concatBytes } from '../../../host/base/bytes.ts'
import { parseData } from '../../../host/base/hex.ts'
import { answerFrom } from '../../../host/state/answer.ts'
import { engineInBlock, executed, stateWith, transaction } from '../../support/engine-fixture.ts'

/** geth's texts: core/vm/contracts.go, core/vm/gas_table.go, crypto/bn256/cloudflare, gnark-crypto. */

const engine = await engineInBlock({ revision: 'Prague' })
const empty = stateWith(new Uint8Array())
const word = (value: bigint): Uint8Array => bigintToBytes(value, 32)
const zeros = (length: number): Uint8Array => new Uint8Array(length)

/** The failure of a transaction to a precompile. */
function failureOf(id: number, ...parts: Uint8Array[]): string | undefined {
  const to = bigintToBytes(BigInt(id), 20)
  const input = transaction({ to, data: concatBytes(parts) })
  return executed(answerFrom(engine.transact(input, { discard: true }), empty)).error
}

describe('BN254', () => {
  const P = bn254.fields.Fp.ORDER
  const EXCEEDS = 'bn256: coordinate exceeds modulus'
  const EQUALS = 'bn256: coordinate equals modulus'
  const MALFORMED = 'bn256: malformed point'
  const first = concatBytes([word(1n), word(2n)])
  const off = concatBytes([word(1n), word(1n)])
  const { x, y } = bn254.G2.Point.BASE.toAffine()
  const second = concatBytes([word(x.c1), word(x.c0), word(y.c1), word(y.c0)])

  it('names what is wrong with a point of a sum or a product', () => {
    for (const id of [0x06, 0x07]) {
      expect(failureOf(id, word(P), word(2n))).toBe(EQUALS)
      expect(failureOf(id, word(1n), word(P + 1n))).toBe(EXCEEDS)
      expect(failureOf(id, off)).toBe(MALFORMED)
      expect(failureOf(id, first, zeros(32))).toBeUndefined()
    }
    expect(failureOf(0x06, first, off)).toBe(MALFORMED)
    expect(failureOf(0x06, off, word(P), word(P))).toBe(MALFORMED)
    expect(failureOf(0x06, first, word(P), word(P))).toBe(EQUALS)
  })

  it('names the first failure of a pairing', () => {
    const outside = (() => {
      // On the twist, whose cofactor is large: the first x that has a y
      const { Fp2 } = bn254.fields
      const b = Fp2.sub(Fp2.sqr(y), Fp2.mul(Fp2.sqr(x), x))
      for (let c0 = 1n; ; c0++) {
        const at = { c0, c1: 0n }
        try {
          const root = Fp2.sqrt(Fp2.add(Fp2.mul(Fp2.sqr(at), at), b))
          return concatBytes([word(0n), word(c0), word(root.c1), word(root.c0)])
        } catch {}
      }
    })()
    expect(failureOf(0x08, zeros(191))).toBe('bad elliptic curve pairing size')
    expect(failureOf(0x08, off, second)).toBe(MALFORMED)
    expect(failureOf(0x08, first, second.slice(0, 96), word(P))).toBe(EQUALS)
    expect(failureOf(0x08, first, word(P + 1n), second.slice(32))).toBe(EXCEEDS)
    expect(failureOf(0x08, first, word(1n), second.slice(32))).toBe(MALFORMED)
    expect(failureOf(0x08, first, outside)).toBe(MALFORMED)
    expect(failureOf(0x08, first, second, word(P), word(2n), second)).toBe(EQUALS)
    expect(failureOf(0x08, first, outside, word(P), word(2n), second)).toBe(MALFORMED)
  })
})

it('BLAKE2F names the length and the flag', () => {
  expect(failureOf(0x09, zeros(212))).toBe('invalid input length')
  expect(failureOf(0x09, zeros(212), Uint8Array.of(2))).toBe('invalid final flag')
})

describe('BLS12-381', () => {
  const P = bls12_381.fields.Fp.ORDER
  const TOP = 'invalid field element top bytes'
  const ENCODING = 'invalid fp.Element encoding'
  const OFF_CURVE = 'invalid point: not on curve'
  const element = (value: bigint): Uint8Array => bigintToBytes(value, 64)
  const { x, y } = bls12_381.G1.Point.BASE.toAffine()
  const first = concatBytes([element(x), element(y)])
  const base = bls12_381.G2.Point.BASE.toAffine()
  const second = concatBytes([base.x.c0, base.x.c1, base.y.c0, base.y.c1].map(element))
  // y^2 = x^3 + 4 has (0, 2), of order three
  const outside = concatBytes([element(0n), element(2n)])

  it('names lengths, elements and points', () => {
    for (let id = 0x0b; id <= 0x11; id++) {
      expect(failureOf(id, zeros(1)), `${id}`).toBe('invalid input length')
    }
    expect(failureOf(0x10, element(1n << 384n))).toBe(TOP)
    expect(failureOf(0x10, element(P))).toBe(ENCODING)
    expect(failureOf(0x11, element(0n), element(P))).toBe(ENCODING)
    expect(failureOf(0x0b, first, element(1n), element(1n))).toBe(OFF_CURVE)
    expect(failureOf(0x0b, element(P), element(1n << 384n), first)).toBe(ENCODING)
    expect(failureOf(0x0d, second, element(1n), zeros(192))).toBe(OFF_CURVE)
  })

  it('names the group of a point outside the subgroup', () => {
    expect(failureOf(0x0c, first, word(1n), outside, word(1n))).toBe(
      'g1 point is not on correct subgroup',
    )
    expect(failureOf(0x0f, outside, second)).toBe('g1 point is not on correct subgroup')
    // Decoding the pair comes before the subgroups of its points
    expect(failureOf(0x0f, outside, element(1n), zeros(192))).toBe(OFF_CURVE)
  })
})

describe('point evaluation', () => {
  it('names the length, the hash and the proof', () => {
    expect(failureOf(0x0a, zeros(191))).toBe('invalid input length')
    expect(failureOf(0x0a, zeros(192))).toBe('mismatched versioned hash')
  })
})

describe('initcode above the limit of EIP-3860', () => {
  it.each([
    // PUSH3 49153, PUSH0, PUSH0, CREATE
    ['62 00c001 5f 5f f0', 'out of gas: max initcode size exceeded: code size 49153 limit 49152'],
    // PUSH0, PUSH3 49153, PUSH0, PUSH0, CREATE2
    [
      '5f 62 00c001 5f 5f f5',
      'out of gas: max initcode size exceeded: code size 49153 limit 49152',
    ],
    // PUSH0, NOT, PUSH0, PUSH0, CREATE
    ['5f 19 5f 5f f0', 'gas uint64 overflow'],
  ])('%s fails by %s', async (code, text) => {
    const state = stateWith(parseData(`0x${code.replaceAll(' ', '')}`))
    const block = await engineInBlock()
    expect(executed(answerFrom(block.transact(transaction()), state)).error).toBe(text)
  })
})
