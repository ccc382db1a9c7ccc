import { expect, test } from 'vitest'

// Tests the bytes comparison that support/run/compare-bytes.ts adds to every matcher.

const bytes = new Uint8Array(100_000).fill(3)

test('a matcher accepts bytes of the same class and content, at any depth', () => {
  expect(bytes).toEqual(bytes.slice())
  expect({ parts: [bytes] }).toStrictEqual({ parts: [bytes.slice()] })
  expect({ bytes, also: 1 }).toMatchObject({ bytes: bytes.slice() })
  expect({ bytes }).toEqual({ bytes: expect.any(Uint8Array) })
})

test('a matcher refuses bytes of another content, length or class', () => {
  expect({ bytes }).not.toEqual({ bytes: bytes.slice().fill(4, 99_999) })
  expect({ bytes }).not.toEqual({ bytes: bytes.slice(1) })
  expect(Buffer.from(bytes)).not.toEqual(bytes)
  expect(new Uint8Array(0)).not.toEqual([])
  expect(() => expect(bytes.slice(0, 3)).toEqual(bytes.slice(0, 2))).toThrow('to deeply equal')
})
