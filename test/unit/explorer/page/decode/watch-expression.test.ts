import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LockstepError } from '../../../../../host/base/error.ts'
import {
  parseWatch,
  type WatchExpression,
} from '../../../../../host/explorer/page/decode/watch/watch-expression.ts'
import {
  evaluateWatch,
  type WatchScope,
} from '../../../../../host/explorer/page/decode/watch/watch-value.ts'
import {
  watchedExpressions,
  withoutWatched,
  withWatched,
} from '../../../../../host/explorer/page/state/debug/watch-list.ts'
import { runSeed } from '../../../../support/random.ts'

const seed = runSeed()
const NOTHING: WatchScope = { name: () => undefined, why: undefined }
const value = (text: string) => evaluateWatch(parseWatch(text), NOTHING).data

describe('an expression', () => {
  test.each<[string, bigint | boolean]>([
    ['1 + 2 * 3', 7n],
    ['(1 + 2) * 3', 9n],
    ['10 - 4 - 3', 3n],
    ['-2 * -3', 6n],
    ['0xff == 255', true],
    ['1_000 % 7', 6n],
    ['1 < 2 == true', true],
    ['true || 1 / 0 == 1', true],
    ['!(1 >= 2) && 3 != 4', true],
  ])('%s is computed by the precedence of Solidity: %s', (text, data) => {
    expect(value(text)).toBe(data)
  })

  test.each([
    ['', 'the end is not expected'],
    ['a b', '"b" is not expected'],
    ['a[1', 'the end in place of "]" is not expected'],
    ['a.1', '"1" is not expected'],
    ['alert(1)', '"(" is not expected'],
    ['a = 1', '"= 1" is not expected'],
    ['`x`', '"`x`" is not expected'],
    [`${'('.repeat(40)}1`, 'more than 32 levels'],
    [`${'!'.repeat(40)}1`, 'more than 32 levels'],
    ['1'.repeat(301), 'more than 300 characters'],
  ])('%j is rejected: %s', (text, message) => {
    expect(() => parseWatch(text)).toThrow(message)
  })

  test(`of numbers has the value that JavaScript computes (seed ${seed})`, () => {
    const leaf = fc.bigInt({ min: 0n, max: 1_000n }).map((n) => `${n}`)
    const { sum } = fc.letrec<{ sum: string }>((tie) => ({
      sum: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc
          .tuple(tie('sum'), fc.constantFrom('+', '-', '*'), tie('sum'), fc.boolean())
          .map(([a, sign, b, isGrouped]) =>
            isGrouped ? `(${a} ${sign} ${b})` : `${a} ${sign} ${b}`,
          ),
      ),
    }))
    fc.assert(
      fc.property(sum, (text) => {
        fc.pre(text.length <= 300)
        // The text has digits, signs and parentheses alone.
        const expected = new Function(`return ${text.replace(/\d+/g, '$&n')}`)()
        expect(value(text)).toBe(expected)
      }),
      { seed, numRuns: 200 },
    )
  })

  test(`of any text is parsed or rejected (seed ${seed})`, () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc
        .array(fc.constantFrom('a', '.', '[', ']', '(', ')', '1', '!', '-', '&&', '"', ' '))
        .map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(text, (given) => {
        let parsed: WatchExpression | undefined
        try {
          parsed = parseWatch(given)
        } catch (thrown) {
          if (!(thrown instanceof LockstepError)) throw thrown
          expect(thrown.code).toBe('INVALID_ARGUMENT')
        }
        if (parsed !== undefined) expect(JSON.parse(JSON.stringify(parsed, bigints))).toBeTruthy()
      }),
      { seed, numRuns: 500 },
    )
  })
})

const bigints = (_: string, each: unknown) => (typeof each === 'bigint' ? `${each}` : each)

describe('the watched expressions of a link', () => {
  test('are added once and removed', () => {
    const one = withWatched('', ' a > 1 ')
    const two = withWatched(one, 'b')
    expect(watchedExpressions(two)).toEqual(['a > 1', 'b'])
    expect(watchedExpressions(withWatched(two, 'b'))).toEqual(['a > 1', 'b'])
    expect(withoutWatched(two, 'a > 1')).toBe('b')
  })

  test('are bounded, and without a semicolon', () => {
    const full = Array.from({ length: 20 }, (_, i) => `v${i}`).join(';')
    expect(() => withWatched(full, 'more')).toThrow('at most 20 expressions')
    expect(() => withWatched('', '"a;b"')).toThrow('an expression has no semicolon')
    expect(watchedExpressions(`${full};v20`)).toHaveLength(20)
  })
})
