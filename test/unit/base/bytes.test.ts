import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  bigintToBytes,
  bytesKey,
  bytesToBigint,
  compareBytes,
  concatBytes,
} from '../../../host/base/bytes.ts'
import { hexDigits } from '../../../host/base/hex.ts'
import { rlpInteger } from '../../../host/base/rlp.ts'

const bytes = fc
  .tuple(fc.uint8Array({ maxLength: 40 }), fc.nat(40))
  .map(([value, zeros]) => value.fill(0, 0, Math.min(zeros, value.length)))

describe('a big-endian integer', () => {
  test('has the value of its hex digits, at every length and any offset', () => {
    fc.assert(
      fc.property(bytes, fc.nat(7), (value, offset) => {
        const shifted = concatBytes([new Uint8Array(offset).fill(0xff), value]).subarray(offset)
        expect(bytesToBigint(shifted)).toBe(BigInt(`0x0${hexDigits(value)}`))
        expect(bigintToBytes(bytesToBigint(shifted), value.length)).toEqual(value)
      }),
      { numRuns: 2000 },
    )
  })

  test.each([
    [0n, 0, []],
    [0n, 2, [0, 0]],
    [1n, 1, [1]],
    [0x0fn, 1, [0x0f]],
    [0x100n, 3, [0, 1, 0]],
    [2n ** 53n + 1n, 8, [0, 0x20, 0, 0, 0, 0, 0, 1]],
    [2n ** 64n - 1n, 8, Array(8).fill(255)],
  ])('encodes %s as %s bytes', (value, length, expected) => {
    expect([...bigintToBytes(value, length)]).toEqual(expected)
  })

  test('has no leading zeros in RLP, and no byte for zero', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 2n ** 256n }), (value) => {
        const encoded = rlpInteger(value)
        expect(encoded[0]).not.toBe(0)
        expect(bytesToBigint(encoded)).toBe(value)
      }),
    )
    expect(rlpInteger(0)).toHaveLength(0)
    expect(rlpInteger(255)).toEqual(Uint8Array.of(255))
  })
})

describe('a key of bytes', () => {
  test('is the same for two byte arrays only if they are equal, and has one character per byte', () => {
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        expect(bytesKey(a) === bytesKey(b)).toBe(compareBytes(a, b) === 0)
        expect(bytesKey(a)).toHaveLength(a.length)
      }),
    )
  })

  test('exists for a byte array of any length', () => {
    const long = Uint8Array.from({ length: 300_000 }, (_, i) => i % 251)
    const key = bytesKey(long)
    expect(key).toHaveLength(300_000)
    expect(key.charCodeAt(299_999)).toBe(299_999 % 251)
  })
})
