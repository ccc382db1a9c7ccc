import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatData, formatQuantity, formatQuantityAt, parseData } from '../../../host/base/hex.ts'

const SEED = 20261121

test('data of any length is written as two digits per byte', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 1000 }), (bytes) => {
      const text = formatData(bytes)
      expect(text).toBe(`0x${Buffer.from(bytes).toString('hex')}`)
      expect(parseData(text)).toEqual(bytes)
    }),
    { seed: SEED, numRuns: 300 },
  )
})

test('data that is a view of a larger array at an odd offset is written correctly', () => {
  const all = Uint8Array.from({ length: 5001 }, (_, i) => i * 7)
  const part = all.subarray(1, 5000)
  expect(formatData(part)).toBe(`0x${Buffer.from(part).toString('hex')}`)
})

test('a quantity from bytes is written as the same quantity from a bigint is', () => {
  const zeros = fc.nat({ max: 32 }).map((length) => new Uint8Array(length))
  const bytes = fc.tuple(zeros, fc.uint8Array({ maxLength: 32 })).map(([a, b]) => [...a, ...b])
  fc.assert(
    fc.property(bytes, fc.nat({ max: 9 }), fc.nat({ max: 9 }), (value, before, after) => {
      const array = Uint8Array.from([...Array(before).fill(7), ...value, ...Array(after).fill(7)])
      const digits = Buffer.from(value).toString('hex')
      const expected = formatQuantity(digits === '' ? 0n : BigInt(`0x${digits}`))
      expect(formatQuantityAt(array, before, before + value.length)).toBe(expected)
    }),
    { seed: SEED, numRuns: 1000 },
  )
})

test('data with any character that is not a hex digit is refused', () => {
  for (const text of [
    '0xg0',
    '0x0G',
    '0x /',
    '0x:0',
    '0x@a',
    '0x`f',
    '0x\u0100a',
    '0x\u01300',
    '0xé0',
  ]) {
    expect(() => parseData(text), text).toThrow('invalid hex string')
  }
  expect(parseData('0XaBcDeF09')).toEqual(Uint8Array.of(0xab, 0xcd, 0xef, 0x09))
})
