import { describe, expect, test } from 'vitest'
import { formatDuration, parseDuration } from '../../../host/base/duration.ts'

describe('parseDuration', () => {
  test.each([
    ['0', 0],
    ['0s', 0],
    ['400ms', 400],
    ['1m30s', 90_000],
    ['2m0s', 120_000],
    ['1.5h', 5_400_000],
    ['168h0m0s', 604_800_000],
    ['250us', 0.25],
    ['250µs', 0.25],
    ['1000000ns', 1],
  ])('reads %s as %d ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms)
  })

  test.each(['', '5', '-1s', '1d', '1 s', 's', '1s2', '.5s', '1e3s', ' 1s', '1s '])(
    'refuses "%s"',
    (text) => {
      expect(parseDuration(text)).toBeUndefined()
    },
  )
})

describe('formatDuration', () => {
  test.each([
    [0, '0s'],
    [250, '250ms'],
    [1500, '1.5s'],
    [30_000, '30s'],
    [90_000, '1m30s'],
    [3_600_000, '1h0m0s'],
  ])('writes %d ms as %s, which parses to the same value', (ms, text) => {
    expect(formatDuration(ms)).toBe(text)
    expect(parseDuration(text)).toBe(ms)
  })
})
