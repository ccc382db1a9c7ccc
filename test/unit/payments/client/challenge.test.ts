import { describe, expect, test } from 'vitest'
import { readChallenge } from '../../../../host/payments/client/challenge.ts'
import { PaymentError } from '../../../../host/payments/client/payment-error.ts'
import { DEV_TOKEN_ADDRESS } from './scripted-chain.ts'
import { challenge, contractRequirement, PAY_TO, requiredHeader } from './scripted-seller.ts'

const URL_ = 'http://127.0.0.1:8402/weather'

function text(...accepts: readonly object[]): string {
  return JSON.stringify(challenge(...accepts))
}

function refused(header: string | null, body: string): string {
  try {
    readChallenge(header, body)
  } catch (error) {
    if (error instanceof PaymentError && error.code === 'CHALLENGE_INVALID') return error.message
    throw error
  }
  return 'taken'
}

describe('a 402 body', () => {
  test('is in the contract’s style if it names a path and has a reference', () => {
    expect(readChallenge(null, text(contractRequirement('/weather')))).toMatchObject([
      {
        protocol: 'contract',
        network: 'eip155:31337',
        asset: DEV_TOKEN_ADDRESS,
        amount: 1000n,
        payTo: PAY_TO,
        maxTimeoutSeconds: 300,
        resource: '/weather',
        token: { name: 'USDC', version: '2' },
        binding: 'bearer',
        reference: 'reference-1',
      },
    ])
  })

  test('is in x402’s style with an absolute URL and without a reference', () => {
    const extra = { name: 'USDC', version: '2' }
    const [first, second] = readChallenge(
      null,
      text(contractRequirement(URL_), contractRequirement('/weather', { extra })),
    )
    expect([first?.protocol, second?.protocol]).toEqual(['v1', 'v1'])
  })

  test('states the binding, which is one of four', () => {
    const extra = { reference: 'r', binding: 'signed' }
    const [offer] = readChallenge(null, text(contractRequirement('/w', { extra })))
    expect(offer?.binding).toBe('signed')
    const other = { reference: 'r', binding: 'none' }
    expect(refused(null, text(contractRequirement('/w', { extra: other })))).toBe(
      'extra.binding is not one of bearer, reference, signed, eip3009: "none"',
    )
  })

  test('may contain unreadable offers beside readable ones', () => {
    const offers = readChallenge(
      null,
      text(contractRequirement('/w', { scheme: 'upto' }), contractRequirement('/w')),
    )
    expect(offers).toHaveLength(1)
  })

  test('has no price if the price is only inherited from a prototype', () => {
    const body = text(contractRequirement('/w', { maxAmountRequired: undefined })).replace(
      '"scheme"',
      '"__proto__":{"maxAmountRequired":"1"},"scheme"',
    )
    expect(refused(null, body)).toMatch(/^maxAmountRequired is not a positive integer/)
  })
})

const amountRule =
  'maxAmountRequired is not a positive integer of the smallest unit, as a decimal string: '

test.each([
  ['a number', 1000, '1000'],
  ['a fraction', '0.001', '"0.001"'],
  ['an exponent', '1e3', '"1e3"'],
  ['hex', '0x3e8', '"0x3e8"'],
  ['a sign', '-1000', '"-1000"'],
  ['plus', '+1000', '"+1000"'],
  ['a leading zero', '01000', '"01000"'],
  ['nothing', '0', '"0"'],
  ['no number', 'NaN', '"NaN"'],
  ['infinity', 'Infinity', '"Infinity"'],
  ['white space', ' 1000', '" 1000"'],
  ['a separator', '1_000', '"1_000"'],
  ['digits of another script', '１０００', '"１０００"'],
  ['no text', '', '""'],
  ['null', null, 'null'],
  ['a list', ['1000'], '1000'],
  ['2^256', (2n ** 256n).toString(), `"${2n ** 256n}"`],
])('a price of %s is refused', (_, maxAmountRequired, said) => {
  const body = text(contractRequirement('/w', { maxAmountRequired }))
  const cut = said.length > 80 ? `${said.slice(0, 80)}...` : said
  expect(refused(null, body)).toBe(amountRule + cut)
})

test('the highest price that a token can express is read exactly', () => {
  const maxAmountRequired = (2n ** 256n - 1n).toString()
  const [offer] = readChallenge(null, text(contractRequirement('/w', { maxAmountRequired })))
  expect(offer?.amount).toBe(2n ** 256n - 1n)
})

test.each([
  [{ payTo: `${PAY_TO}00` }, 'payTo is not an address'],
  [{ payTo: 'vitalik.eth' }, 'payTo is not an address'],
  [{ asset: 'USDC' }, 'asset is not an address'],
  [{ asset: undefined }, 'asset is not an address: undefined'],
  [{ maxTimeoutSeconds: '300' }, 'maxTimeoutSeconds is not a positive integer: "300"'],
  [{ maxTimeoutSeconds: -1 }, 'maxTimeoutSeconds is not a positive integer: -1'],
  [{ maxTimeoutSeconds: 0.5 }, 'maxTimeoutSeconds is not a positive integer: 0.5'],
  [{ maxTimeoutSeconds: 2 ** 53 }, 'maxTimeoutSeconds is not a positive integer: 9007199254740992'],
  [{ network: 1329 }, 'network is not a string: 1329'],
  [{ resource: '' }, 'resource is not a string: ""'],
  [{ scheme: 'exact ' }, 'scheme is not exact: "exact "'],
  [{ extra: 'x' }, 'extra is not an object: "x"'],
  [{ extra: { reference: 7 } }, 'extra.reference is not a string: 7'],
])('a payment requirement with %j is refused', (over, said) => {
  expect(refused(null, text(contractRequirement('/w', over)))).toContain(said)
})

test.each([
  ['', 'the body is not JSON'],
  ['<html>', 'the body is not JSON'],
  ['null', 'the body is not an object: null'],
  ['[]', 'the body is not an object: '],
  ['{}', 'x402Version of the body is not 1: undefined'],
  ['{"x402Version":2,"accepts":[]}', 'x402Version of the body is not 1: 2'],
  ['{"x402Version":1}', 'accepts is not a list of at most 32 requirements'],
  ['{"x402Version":1,"accepts":[]}', 'the 402 offers no way to pay'],
  ['{"x402Version":1,"accepts":[null]}', 'a requirement is not an object: null'],
])('the 402 body %s is refused', (body, said) => {
  expect(refused(null, body)).toBe(said)
})

test('more payment requirements than the limit are refused', () => {
  const many = Array.from({ length: 33 }, () => contractRequirement('/w'))
  expect(refused(null, text(...many))).toBe('accepts is not a list of at most 32 requirements')
})

describe('the header PAYMENT-REQUIRED', () => {
  test('takes precedence over the body, which may be anything', () => {
    const [offer, ...others] = readChallenge(requiredHeader(URL_), '{}')
    expect(others).toEqual([])
    expect(offer).toMatchObject({ protocol: 'v2', amount: 1000n, resource: URL_ })
    expect(offer?.sent.accepted).toMatchObject({ amount: '1000', scheme: 'exact' })
    expect(offer?.sent.resource).toMatchObject({ url: URL_ })
    const both = readChallenge(requiredHeader(URL_), text(contractRequirement('/weather')))
    expect(both.map(({ protocol }) => protocol)).toEqual(['v2', 'contract'])
  })

  test('is ignored in favour of the body if it cannot be parsed', () => {
    const [offer] = readChallenge('%%%', text(contractRequirement('/weather')))
    expect(offer?.protocol).toBe('contract')
  })

  test.each([
    ['%%%', 'the header payment-required is not base64'],
    [btoa('{'), 'the header payment-required is not JSON'],
    [btoa('{"x402Version":1}'), 'x402Version of the header is not 2: 1'],
    [btoa('{"x402Version":2}'), 'resource is not an object: undefined'],
    [btoa('{"x402Version":2,"resource":{}}'), 'accepts is not a list of at most 32 requirements'],
    ['A'.repeat(1_000_000), 'the header payment-required has 1000000 characters'],
  ])('is refused if it is %.40s', (header, said) => {
    expect(refused(header, '{}')).toBe(said)
  })

  test('has the price in `amount` only', () => {
    const header = requiredHeader(URL_, { amount: undefined, maxAmountRequired: '1000' })
    expect(refused(header, '{}')).toMatch(/^amount is not a positive integer/)
  })
})
