import { expect, it } from 'vitest'
import {
  memoryAccess,
  slotAccess,
} from '../../../../../../host/explorer/page/debug/pane/memory-access.ts'
import { formatWord, nextFormat } from '../../../../../../host/explorer/page/state/debug/word.ts'

const MINUS_ONE = 2n ** 256n - 1n

it('a word is shown in hex, decimal, ASCII and as an address', () => {
  expect(formatWord(0n, 'hex')).toBe('0x0')
  expect(formatWord(255n, 'hex')).toBe('0xff')
  expect(formatWord(255n, 'decimal')).toBe('255')
  expect(formatWord(MINUS_ONE, 'decimal')).toBe(`${MINUS_ONE} (-1)`)
  expect(formatWord(0x4869n << 240n, 'ascii')).toBe('"Hi"')
  expect(formatWord(0x48006901n, 'ascii')).toBe('"H·i·"')
  expect(formatWord(0n, 'ascii')).toBe('""')
  expect(formatWord(5n, 'address')).toBe(`0x${'0'.repeat(39)}5`)
  expect(formatWord(MINUS_ONE, 'address')).toBe(`0x${'f'.repeat(64)}`)
})

it('the format switch cycles through the formats, without addresses for longer words', () => {
  expect(nextFormat(1n, 'hex')).toBe('decimal')
  expect(nextFormat(1n, 'ascii')).toBe('address')
  expect(nextFormat(1n, 'address')).toBe('hex')
  expect(nextFormat(MINUS_ONE, 'ascii')).toBe('hex')
  expect(nextFormat(MINUS_ONE, 'address')).toBe('hex')
})

it('a step shows the memory range that its opcode reads and writes', () => {
  const none = { reads: [], writes: [] }
  expect(memoryAccess('MSTORE', [9n, 64n])).toEqual({
    reads: [],
    writes: [{ offset: 64, size: 32 }],
  })
  // MCOPY(destination 1, source 2, size 3): EIP-5656.
  expect(memoryAccess('MCOPY', [3n, 2n, 1n])).toEqual({
    reads: [{ offset: 2, size: 3 }],
    writes: [{ offset: 1, size: 3 }],
  })
  expect(memoryAccess('CALL', [36n, 35n, 34n, 33n, 0n, 1n, 100n])).toEqual({
    reads: [{ offset: 33, size: 34 }],
    writes: [{ offset: 35, size: 36 }],
  })
  expect(memoryAccess('RETURN', [0n, 5n])).toEqual(none)
  expect(memoryAccess('RETURN', [1n])).toEqual(none)
  expect(memoryAccess('RETURN', [MINUS_ONE, MINUS_ONE])).toEqual(none)
  expect(memoryAccess('ADD', [1n, 2n])).toEqual(none)
})

it('a step shows the slot that its opcode touches', () => {
  expect(slotAccess('SSTORE', [7n, 3n])).toEqual({ kind: 'storage', slot: 3n })
  expect(slotAccess('TLOAD', [3n])).toEqual({ kind: 'transient', slot: 3n })
  expect(slotAccess('SLOAD', [])).toBeUndefined()
  expect(slotAccess('POP', [3n])).toBeUndefined()
})
