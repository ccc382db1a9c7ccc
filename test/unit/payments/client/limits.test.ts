import { describe, expect, test } from 'vitest'
import { type PaymentLimits, SpendingGuard } from '../../../../host/payments/client/limits.ts'
import type { PaymentOffer } from '../../../../host/payments/client/offer.ts'
import { PaymentError } from '../../../../host/payments/client/payment-error.ts'
import { CHAIN_ID, DEV_TOKEN_ADDRESS } from './scripted-chain.ts'
import { PAY_TO } from './scripted-seller.ts'

const OTHER = '0x00000000000000000000000000000000000000aa'

function offer(amount: bigint, over: Partial<PaymentOffer> = {}): PaymentOffer {
  return {
    protocol: 'v2',
    network: 'eip155:31337',
    asset: DEV_TOKEN_ADDRESS,
    amount,
    payTo: PAY_TO,
    maxTimeoutSeconds: 300,
    resource: '/',
    token: undefined,
    binding: 'bearer',
    reference: undefined,
    sent: { accepted: {} },
    ...over,
  }
}

function said(run: () => void): string | undefined {
  try {
    run()
  } catch (error) {
    if (error instanceof PaymentError && error.code === 'LIMIT_EXCEEDED') return error.message
    throw error
  }
  return undefined
}

const check = (limits: PaymentLimits, one: PaymentOffer, chainId = CHAIN_ID) =>
  said(() => new SpendingGuard(limits).check(one, chainId))

describe('the default limits', () => {
  test('allow 0.10 USDC per request, and no unit more', () => {
    expect(check({}, offer(100_000n))).toBeUndefined()
    expect(check({}, offer(100_001n))).toBe(
      `the price is 100001 of ${DEV_TOKEN_ADDRESS}, maxAmount is 100000`,
    )
  })

  test('allow 1 USDC per hour, and again in the next hour', () => {
    let now = 1_000_000
    const purse = new SpendingGuard({}, () => now)
    for (let paid = 0; paid < 10; paid++) purse.spend(offer(100_000n), CHAIN_ID)
    expect(said(() => purse.spend(offer(1n), CHAIN_ID))).toBe(
      `1000000 of ${DEV_TOKEN_ADDRESS} was spent, the price is 1, maxTotal is 1000000`,
    )
    now += 3_600_001
    expect(said(() => purse.spend(offer(1n), CHAIN_ID))).toBeUndefined()
  })

  test('allow no other token, and no token of another chain at the same address', () => {
    expect(check({}, offer(1n, { asset: OTHER }))).toBe(
      `the token ${OTHER} of eip155:31337 has no maxAmount`,
    )
    expect(check({}, offer(1n, { network: 'sei' }), 1329)).toContain('has no maxAmount')
    const usdc = '0xe15fc38f6d8c56af07bbcbe3baf5708a2bf42392'
    expect(check({}, offer(1n, { asset: usdc }), 1329)).toBeUndefined()
  })
})

describe('the limit maxAmount', () => {
  test('applies to USDC only if it is one amount', () => {
    expect(check({ maxAmount: 5n }, offer(6n))).toContain('maxAmount is 5')
    expect(check({ maxAmount: 500_000n }, offer(500_000n))).toBeUndefined()
    expect(check({ maxAmount: 5n }, offer(1n, { asset: OTHER }))).toContain('has no maxAmount')
  })

  test('by token applies to each of them in any spelling of its address, and leaves USDC unchanged', () => {
    const maxAmount = { [OTHER.toUpperCase().replace('0X', '0x')]: 7n }
    expect(check({ maxAmount }, offer(7n, { asset: OTHER }))).toBeUndefined()
    expect(check({ maxAmount }, offer(8n, { asset: OTHER }))).toContain('maxAmount is 7')
    expect(check({ maxAmount }, offer(100_001n))).toContain('maxAmount is 100000')
  })

  test('of zero pays nothing', () => {
    expect(check({ maxAmount: 0n }, offer(1n))).toContain('maxAmount is 0')
  })
})

test('maxTotal applies to each token and excludes payments that were refunded', () => {
  const purse = new SpendingGuard({ maxAmount: 10n, maxTotal: 15n, window: 60 })
  const giveBack = purse.spend(offer(10n), CHAIN_ID)
  expect(said(() => purse.spend(offer(10n), CHAIN_ID))).toContain('maxTotal is 15')
  giveBack()
  giveBack()
  expect(said(() => purse.spend(offer(10n), CHAIN_ID))).toBeUndefined()
  expect(said(() => purse.spend(offer(6n), CHAIN_ID))).toContain('10 of')
})

test('only the listed networks, payees and origins are paid', () => {
  expect(check({ networks: ['eip155:1329'] }, offer(1n))).toBe(
    'eip155:31337 is not an allowed network',
  )
  expect(check({ networks: ['eip155:31337'] }, offer(1n))).toBeUndefined()
  expect(check({ payees: [OTHER] }, offer(1n))).toBe(`${PAY_TO} is not an allowed payee`)
  const payees = [PAY_TO.toUpperCase().replace('0X', '0x')]
  expect(check({ payees }, offer(1n))).toBeUndefined()
  const purse = new SpendingGuard({ origins: ['https://api.example.com'] })
  expect(said(() => purse.checkUrl(new URL('https://api.example.com/a')))).toBeUndefined()
  expect(said(() => purse.checkUrl(new URL('https://api.example.com:8443/a')))).toBe(
    'https://api.example.com:8443 is not an allowed origin',
  )
})

test.each([
  ['http://api.example.com/', false],
  ['http://127.0.0.1.example.com/', false],
  ['http://localhost.example.com/', false],
  ['http://192.168.0.1/', false],
  ['ftp://api.example.com/', false],
  ['https://api.example.com/', true],
  ['http://127.0.0.1:8402/', true],
  ['http://localhost:8402/', true],
  ['http://[::1]:8402/', true],
])('%s is paid by default: %s', (url, isPaid) => {
  expect(said(() => new SpendingGuard({}).checkUrl(new URL(url))) === undefined).toBe(isPaid)
  expect(said(() => new SpendingGuard({ insecure: true }).checkUrl(new URL(url)))).toBeUndefined()
})

test.each([
  [{ maxAmount: Number.NaN }, 'maxAmount is not a bigint of smallest units: NaN'],
  [{ maxAmount: 0.1 }, 'maxAmount is not a bigint of smallest units: 0.1'],
  [{ maxAmount: '100000' }, 'maxAmount is not a bigint of smallest units: 100000'],
  [{ maxAmount: -1n }, 'maxAmount is not a bigint of smallest units: -1'],
  [
    { maxAmount: { [DEV_TOKEN_ADDRESS]: 1 } },
    `maxAmount of ${DEV_TOKEN_ADDRESS} is not a bigint of smallest units: 1`,
  ],
  [{ maxTotal: { USDC: 1n } }, 'maxTotal has "USDC", which is not a token address'],
  [{ window: Number.NaN }, 'window is not a positive number of seconds: NaN'],
  [{ window: 0 }, 'window is not a positive number of seconds: 0'],
])('limits that would restrict nothing are refused: %o', (limits, message) => {
  expect(() => new SpendingGuard(limits as never)).toThrow(new TypeError(message))
})
