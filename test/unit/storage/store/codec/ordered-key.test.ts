import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareBytes } from '../../../../../host/base/bytes.ts'
import {
  decodeOrderedPart,
  encodeOrderedKey,
} from '../../../../../host/storage/store/codec/ordered-key.ts'

const keys = fc.oneof(
  fc.uint8Array({ maxLength: 6 }),
  fc
    .array(fc.constantFrom(0, 1, 254, 255), { maxLength: 5 })
    .map((bytes) => Uint8Array.from(bytes)),
)

test('encoded keys keep their order, and no key is a prefix of another', () => {
  fc.assert(
    fc.property(keys, keys, (a, b) => {
      const encodedA = encodeOrderedKey(a)
      const encodedB = encodeOrderedKey(b)
      expect(Math.sign(compareBytes(encodedA, encodedB))).toBe(Math.sign(compareBytes(a, b)))
      if (compareBytes(a, b) === 0) return
      const shared = encodedB.subarray(0, encodedA.length)
      expect(compareBytes(encodedA, shared)).not.toBe(0)
    }),
    { numRuns: 2000 },
  )
})

test('each part of a key is decoded unchanged', () => {
  fc.assert(
    fc.property(keys, keys, (a, b) => {
      const encoded = encodeOrderedKey(a, b)
      expect(decodeOrderedPart(encoded, 0)).toEqual(a)
      expect(decodeOrderedPart(encoded, encodeOrderedKey(a).length)).toEqual(b)
    }),
  )
})
