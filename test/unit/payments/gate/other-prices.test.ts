import { describe, expect, test } from 'vitest'
import type { Hex } from '../../../../host/base/hex.ts'
import type { ClaimFacts, ClaimKey } from '../../../../host/payments/claim/claims.ts'
import {
  type PaymentRequirementV2,
  paymentRequired,
} from '../../../../host/payments/protocol/challenge.ts'
import type { PricedResource } from '../../../../host/payments/protocol/terms.ts'
import {
  admission,
  gateFixture,
  PAY_TO,
  PAYER,
  refusal,
  TOKEN,
  WEATHER,
} from '../../../support/payments/gate-fixture.ts'
import { header64 } from '../../../support/payments/hand-made-proof.ts'
import { memoryClaims } from '../../../support/payments/memory-claims.ts'
import { FakeSettlement } from './fake-settlement.ts'

const TX: Hex = `0x${'77'.repeat(32)}`
const EURO: Hex = `0x${'0e'.repeat(20)}`
const URL_ASKED = new URL('http://127.0.0.1:8402/weather')

const RESOURCE: PricedResource = {
  ...WEATHER,
  otherTerms: [
    { ...WEATHER.terms, asset: EURO, amount: 9n, token: { name: 'EURC', version: '3' } },
  ],
}
const [DOLLARS, EUROS] = paymentRequired(RESOURCE, URL_ASKED).accepts as readonly [
  PaymentRequirementV2,
  PaymentRequirementV2,
]

function payload(value: string) {
  const authorization = {
    ...{ from: PAYER, to: PAY_TO, value, validAfter: '0', validBefore: '1900000000' },
    nonce: `0x${'5e'.repeat(32)}`,
  }
  return { signature: `0x${'12'.repeat(65)}`, authorization }
}

function second(accepted: object, value: string) {
  const proof = { x402Version: 2, accepted, payload: payload(value) }
  return { headers: { 'payment-signature': header64(proof) } }
}

/** Opens a gate that records its claims. */
function fixture() {
  const claims = memoryClaims()
  const claimed: [ClaimKey, ClaimFacts][] = []
  const settlement = new FakeSettlement(TX, PAYER)
  const settled: Hex[] = []
  const opened = gateFixture({
    claims: {
      ...claims,
      claim: (key, facts, attempts) => {
        claimed.push([key, facts])
        return claims.claim(key, facts, attempts)
      },
    },
    settlement: {
      verify: (proof) => settlement.verify(proof),
      settle: (proof, terms, sending) => {
        settled.push(terms.asset)
        return settlement.settle(proof, terms, sending)
      },
    },
  })
  return { ...opened, claimed, settled }
}

test('x402 v2 offers every price, the other protocols the first', async () => {
  const { ask } = fixture()
  const { headers, body } = refusal(await ask({}, RESOURCE))
  const header = JSON.parse(Buffer.from(headers['payment-required'] ?? '', 'base64').toString())
  expect(header.accepts).toEqual([DOLLARS, EUROS])
  expect(EUROS).toMatchObject({ asset: EURO, amount: '9', extra: { name: 'EURC', version: '3' } })
  expect(JSON.parse(body).accepts.map(({ asset }: { readonly asset: Hex }) => asset)).toEqual([
    TOKEN,
  ])
})

test('a payment in another token is claimed and settled in that token', async () => {
  const { ask, claimed, settled } = fixture()
  admission(await ask(second(EUROS, '9'), RESOURCE))
  expect(settled).toEqual([EURO])
  expect(claimed[0]?.[1]).toMatchObject({ asset: EURO, amount: 9n })
  // The other token keeps nonces of its own
  admission(await ask(second(DOLLARS, '1000'), RESOURCE))
  expect(settled).toEqual([EURO, TOKEN])
  expect(claimed[0]?.[0].id).not.toBe(claimed[1]?.[0].id)
})

test('the address of the token may be written in any case', async () => {
  const { ask } = fixture()
  const asset = `0x${EURO.slice(2).toUpperCase()}`
  admission(await ask(second({ ...EUROS, asset }, '9'), RESOURCE))
})

describe('an attacker does not pay the price of one token in another', () => {
  test.each([
    ['the amount of the cheaper token', { ...DOLLARS, amount: '9' }, '9'],
    ['the domain of the other token', { ...EUROS, extra: { name: 'USDC', version: '2' } }, '9'],
    ['a token that is not offered', { ...EUROS, asset: `0x${'0f'.repeat(20)}` }, '9'],
    ['a token without an address', { ...EUROS, asset: 5 }, '9'],
  ])('with %s', async (_, accepted, value) => {
    const { ask, settled, claimed } = fixture()
    const { status, reason, headers } = refusal(await ask(second(accepted, value), RESOURCE))
    expect([status, reason]).toEqual([402, 'invalid_payment_requirements'])
    const header = JSON.parse(Buffer.from(headers['payment-required'] ?? '', 'base64').toString())
    expect(header.accepts).toEqual([DOLLARS, EUROS])
    expect([settled, claimed]).toEqual([[], []])
  })

  test('by version 1, which does not name its token: it is the first', async () => {
    const { ask, settled, claimed } = fixture()
    const { network } = WEATHER.terms
    const proof = { x402Version: 1, scheme: 'exact', network, payload: payload('1000') }
    admission(await ask({ headers: { 'x-payment': header64(proof) } }, RESOURCE))
    expect([settled, claimed[0]?.[1].asset]).toEqual([[TOKEN], TOKEN])
  })
})

test('a payment in another token is used once', async () => {
  const { ask } = fixture()
  const paid = admission(await ask(second(EUROS, '9'), RESOURCE))
  await paid.delivered()
  expect(refusal(await ask(second(EUROS, '9'), RESOURCE)).reason).toBe('payment_spent')
})
