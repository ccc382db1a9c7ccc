import { describe, expect, it } from 'vitest'
import type { Hex } from '../../../../../../host/base/hex.ts'
import {
  BLOCK_FIELDS,
  type Change,
  describeChange,
  withChange,
  withoutChange,
} from '../../../../../../host/explorer/page/state/debug/change.ts'
import {
  formatChanges,
  parseChange,
  parseChanges,
} from '../../../../../../host/explorer/page/state/debug/change-text.ts'
import { fullWord } from '../../../../../../host/explorer/page/state/debug/word.ts'
import { makeRandom, runSeed } from '../../../../../support/random.ts'

const A: Hex = `0x${'a1'.repeat(20)}`

describe('changes as text', () => {
  it('are readable', () => {
    const changes: Change[] = [
      { kind: 'data', data: '0xc0ffee' },
      { kind: 'value', wei: 5n },
      { kind: 'from', address: A },
      { kind: 'gas', gas: 21_000n },
      { kind: 'slot', address: A, slot: fullWord(1n), value: fullWord(255n) },
      { kind: 'balance', address: A, wei: 10n ** 18n },
      { kind: 'code', address: A, code: '0x' },
      { kind: 'block', field: 'timestamp', value: 17n },
      { kind: 'block', field: 'coinbase', value: 1n },
    ]
    const text =
      `data:0xc0ffee,value:5,from:${A},gas:21000,slot:${A}:0x1:0xff,` +
      `balance:${A}:1000000000000000000,code:${A}:0x,block:timestamp:17,block:coinbase:0x${'0'.repeat(39)}1`
    expect(formatChanges(changes)).toBe(text)
    expect(parseChanges(text)).toEqual(changes)
  })

  it.each([
    ['data:0xabc', 'call data: want 0x and an even number of hex digits, got "0xabc"'],
    [
      'value:-1',
      'value: want a number of at most 256 bits, decimal or 0x and hex digits, got "-1"',
    ],
    ['gas:0x10000000000000000', 'gas: want a number of at most 64 bits'],
    ['from:0x12', 'sender: want an address: 0x and 40 hex digits, got "0x12"'],
    [`slot:${A}:1`, 'change: want slot and 3 parts after it'],
    [`slot:${A}:x:1`, 'slot: want a number of at most 256 bits'],
    ['block:hash:1', 'field of the block: want number, timestamp, baseFee'],
    ['nonce:1', 'change: want one of data, value'],
    ['toString:1', 'change: want one of data, value'],
    [`data:0x${'q'.repeat(500)}`, `got "0x${'q'.repeat(78)}…"`],
  ])('cannot be %s, and the error states the rule', (text, message) => {
    expect(() => parseChange(text)).toThrow(message)
  })

  const seed = runSeed()
  it(`are parsed back to the same changes (LOCKSTEP_SEED=${seed})`, () => {
    const random = makeRandom(seed)
    for (let round = 0; round < 500; round++) {
      const changes = Array.from({ length: Math.floor(random() * 6) }, () => randomChange(random))
      expect(parseChanges(formatChanges(changes))).toEqual(changes)
    }
  })
})

describe('a change', () => {
  it('replaces the earlier one of the same subject', () => {
    const first: Change = { kind: 'slot', address: A, slot: fullWord(1n), value: fullWord(2n) }
    const other: Change = { ...first, slot: fullWord(2n) }
    const later: Change = { ...first, value: fullWord(9n) }
    const changes = [first, other].reduce<readonly Change[]>(withChange, [])
    expect(withChange(changes, later)).toEqual([other, later])
    expect(withoutChange(changes, `slot 1 of ${A}`)).toEqual([other])
  })

  it('is described in words', () => {
    const change: Change = { kind: 'slot', address: A, slot: fullWord(1n), value: fullWord(16n) }
    expect(describeChange(change)).toBe(`slot 0x1 of ${A} is 0x10`)
    expect(describeChange({ kind: 'data', data: '0xc0ff' })).toBe('calldata of 2 bytes: 0xc0ff')
  })
})

function randomChange(random: () => number): Change {
  const number = BigInt(Math.floor(random() * 2 ** 50))
  const wide = number << BigInt(Math.floor(random() * 200))
  const field = BLOCK_FIELDS[Math.floor(random() * BLOCK_FIELDS.length)] as (typeof BLOCK_FIELDS)[0]
  const changes: readonly Change[] = [
    { kind: 'data', data: `0x${'ab'.repeat(Math.floor(random() * 40))}` },
    { kind: 'value', wei: wide },
    { kind: 'from', address: A },
    { kind: 'gas', gas: number },
    { kind: 'slot', address: A, slot: fullWord(wide), value: fullWord(number) },
    { kind: 'balance', address: A, wei: wide },
    { kind: 'code', address: A, code: `0x${'60'.repeat(Math.floor(random() * 40))}` },
    { kind: 'block', field, value: number },
  ]
  return changes[Math.floor(random() * changes.length)] as Change
}
