import { describe, expect, test } from 'vitest'
import { ledgerFilterOf } from '../../../../host/cli/payments/payment-filter.ts'
import { printable } from '../../../../host/cli/payments/payment-form.ts'
import { csvRow } from '../../../../host/cli/payments/payments-export.ts'
import { formatTokenAmount } from '../../../../host/payments/protocol/token-amount.ts'

describe('a row of CSV', () => {
  test('quotes values with commas, quotes and line ends', () => {
    expect(csvRow(['a', 'b,c', 'say "no"', 'x\ny', 7, true, null])).toBe(
      'a,"b,c","say ""no""","x\ny",7,true,\r\n',
    )
  })

  test.each([
    ['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\r=1', `"'\r=1"`],
    ['GET /a?=1', 'GET /a?=1'],
  ])('does not let a spreadsheet read %j as a formula', (text, cell) => {
    expect(csvRow([text])).toBe(`${cell}\r\n`)
  })
})

test.each([
  [0n, 6, '0'],
  [1n, 6, '0.000001'],
  [1000n, 6, '0.001'],
  [1_500_000n, 6, '1.5'],
  [12n, 0, '12'],
  [2n ** 256n - 1n, 18, `${(2n ** 256n - 1n).toString().slice(0, -18)}.${'584007913129639935'}`],
])('%s units of a token with %s decimals are %s', (amount, decimals, text) => {
  expect(formatTokenAmount(amount, decimals)).toBe(text)
})

test('text from payers cannot move the cursor of a terminal', () => {
  expect(printable('GET /\u001b[2J\u202e?a=\u0007')).toBe('GET /?[2J??a=?')
})

describe('a time filter', () => {
  test('accepts a date, a time or a duration before now', () => {
    const day = Date.UTC(2026, 0, 31)
    expect(ledgerFilterOf({ since: '2026-01-31', before: '2026-01-31T12:00:00.0005Z' })).toEqual({
      since: day,
      before: day + 43_200_001,
    })
    const before = Date.now()
    const { since = 0 } = ledgerFilterOf({ since: '24h' })
    expect(since).toBeGreaterThanOrEqual(before - 86_400_000)
    expect(since).toBeLessThanOrEqual(Date.now() - 86_400_000)
  })

  test.each(['yesterday', '2026-02-30', '31.1.2026', '-5m', ''])('refuses %j', (since) => {
    expect(() => ledgerFilterOf({ since })).toThrow(
      `--since: "${since}" is neither a time nor a duration`,
    )
  })

  test('refuses a payer that is not an address', () => {
    expect(() => ledgerFilterOf({ payer: '0x12' })).toThrow('--payer: "0x12" is not an address')
  })
})
