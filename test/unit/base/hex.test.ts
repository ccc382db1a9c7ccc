import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatData, parseData } from '../../../host/base/hex.ts'

const SEED = 20261121

test('data is written as two digits a byte, however long it is', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 1000 }), (bytes) => {
      const text = formatData(bytes)
      expect(text).toBe(`0x${Buffer.from(bytes).toString('hex')}`)
      expect(parseData(text)).toEqual(bytes)
    }),
    { seed: SEED, numRuns: 300 },
  )
})

test('and so is part of a larger array, at an odd offset', () => {
  const all = Uint8Array.from({ length: 5001 }, (_, i) => i * 7)
  const part = all.subarray(1, 5000)
  expect(formatData(part)).toBe(`0x${Buffer.from(part).toString('hex')}`)
})
