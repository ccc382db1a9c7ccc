import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatUnits, parseUnits } from '../../../host/toolkit/amount.ts'
import { plainLines, plainText } from '../../../host/toolkit/plain-text.ts'

const seed = Number(process.env.LOCKSTEP_SEED ?? 31337)

/** Strings with many kinds of deceptive characters. */
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.constantFrom(
        ...[
          '\u202e',
          '\u200b',
          '\u{e0041}',
          '\ufe0f',
          '\u3164',
          '\u0007',
          '\u001b[2J',
          '\n',
          '\r\n',
        ],
        ...['\u2028', '\ud800', 'e\u0301\u0301\u0301\u0301\u0301', '\ufeff', '\u2066', 'x'],
      ),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''))

describe(`untrusted text (LOCKSTEP_SEED=${seed})`, () => {
  test('becomes one line of visible characters, no longer than allowed', () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 60 }), (text, limit) => {
        const shown = plainText(text, limit)
        expect(Array.from(shown).length).toBeLessThanOrEqual(limit)
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}]/u)
        expect(shown).not.toMatch(/\p{M}{4}/u)
      }),
      { seed },
    )
  })

  test('of several lines keeps its lines and loses the rest', () => {
    expect(plainLines('one\u202e\r\n\ttwo\u001b[2J\n', 100)).toBe('one\n  two[2J\n')
    fc.assert(
      fc.property(hostile, (text) => {
        expect(plainLines(text, 50).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
      }),
      { seed },
    )
  })

  test.each(['USDC', 'wstETH', '日本円', 'Ünïcode', 'A b', '💵'])(
    'such as %s is unchanged',
    (text) => {
      expect(plainText(text, 24)).toBe(text)
    },
  )
})

describe(`amounts (LOCKSTEP_SEED=${seed})`, () => {
  test('are unchanged after conversion to text and back, for any decimals', () => {
    const units = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
    fc.assert(
      fc.property(units, fc.integer({ min: 0, max: 77 }), (value, decimals) => {
        expect(parseUnits(formatUnits(value, decimals), decimals, 'amount')).toBe(value)
      }),
      { seed },
    )
  })

  test.each(['', '.', '1.', '.5', '01', '+1', '1 ', ' 1', '1_000', 'Infinity', 'NaN', '１', '1n'])(
    'cannot be %o',
    (text) => {
      expect(() => parseUnits(text, 18, 'amount')).toThrow('not a decimal amount')
    },
  )
})
