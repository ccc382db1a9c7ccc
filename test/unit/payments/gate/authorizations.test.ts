import { expect, test } from 'vitest'
import type { Hex } from '../../../../host/base/hex.ts'
import { AUTHORIZATION_USED, addressTopic } from '../../../../host/payments/chain/token-log.ts'
import type { ClaimKey, ClaimRecord } from '../../../../host/payments/claim/claims.ts'
import type { PaymentGateParts } from '../../../../host/payments/gate/open-payment-gate.ts'
import { paymentRequired } from '../../../../host/payments/protocol/challenge.ts'
import {
  INVALID_REASONS,
  type InvalidReason,
} from '../../../../host/payments/protocol/invalid-reason.ts'
import {
  admission,
  gateFixture,
  PAY_TO,
  PAYER,
  PAYMENT,
  refusal,
  TOKEN,
  WEATHER,
} from '../../../support/payments/gate-fixture.ts'
import { header64 } from '../../../support/payments/hand-made-proof.ts'
import { memoryClaims } from '../../../support/payments/memory-claims.ts'
import { transferLog } from '../../../support/payments/memory-payment-chain.ts'
import { FakeSettlement } from './fake-settlement.ts'

const TX: Hex = `0x${'77'.repeat(32)}`
const NONCE: Hex = `0x${'5e'.repeat(32)}`
const WEATHER_URL = new URL('http://127.0.0.1:8402/weather')

const PAYLOAD = {
  signature: `0x${'12'.repeat(65)}`,
  authorization: {
    from: PAYER,
    to: PAY_TO,
    value: '1000',
    validAfter: '0',
    validBefore: '1900000000',
    nonce: NONCE,
  },
}

const FIRST = {
  'x-payment': header64({
    x402Version: 1,
    scheme: 'exact',
    network: WEATHER.terms.network,
    payload: PAYLOAD,
  }),
}

function second(change: object = {}, accepted: object = {}) {
  const { accepts, resource } = paymentRequired(WEATHER, WEATHER_URL)
  const proof = {
    x402Version: 2,
    resource,
    accepted: { ...accepts[0], ...accepted },
    payload: PAYLOAD,
    ...change,
  }
  return { 'payment-signature': header64(proof) }
}

function fixture(parts: Partial<PaymentGateParts> = {}) {
  const settlement = new FakeSettlement(TX, PAYER)
  return { settlement, ...gateFixture({ settlement, ...parts }) }
}

/** Logs of a transaction that executed the authorization. */
const CARRIED_OUT = [
  { address: TOKEN, topics: [AUTHORIZATION_USED, addressTopic(PAYER), NONCE], data: '0x' as Hex },
  transferLog(PAYMENT),
]

test.each([
  ['x402 v1', FIRST, 'x-payment-response', 'eip155:31337'],
  ['x402 v2', second(), 'payment-response', 'eip155:31337'],
])(
  'in %s an authorization is settled before it is served, with a receipt',
  async (_, headers, name, network) => {
    const { ask, settlement, claims } = fixture()
    const answer = admission(await ask({ headers }))
    expect(answer.payment).toEqual({ isValid: true, txHash: TX, payer: PAYER })
    expect(JSON.parse(atob(answer.headers[name] as string))).toEqual({
      success: true,
      transaction: TX,
      network,
      payer: PAYER,
    })
    expect(claims.records()).toMatchObject([
      { key: { kind: 'authorization' }, state: 'settled', isPaid: true, txHash: TX },
    ])
    await answer.delivered()
    expect(refusal(await ask({ headers })).reason).toBe('payment_spent')
    expect(settlement.settled).toBe(1)
  },
)

test('an authorization is the same payment in both versions', async () => {
  const { ask } = fixture()
  await admission(await ask({ headers: FIRST })).delivered()
  expect(refusal(await ask({ headers: second() })).reason).toBe('payment_spent')
})

test('an authorization is claimed and its transaction recorded before it is sent', async () => {
  const { ask, settlement, claims } = fixture()
  settlement.whileSettling = async () => {
    expect(claims.records()).toMatchObject([{ state: 'claimed', isPaid: false, txHash: TX }])
  }
  admission(await ask({ headers: FIRST }))
  expect.assertions(1)
})

test('of 100 concurrent requests with one authorization one is settled', async () => {
  const { ask, settlement } = fixture()
  const answers = await Promise.all(Array.from({ length: 100 }, () => ask({ headers: FIRST })))
  expect(answers.filter(({ kind }) => kind === 'admitted')).toHaveLength(1)
  expect(settlement.settled).toBe(1)
})

test.each<[string, object, InvalidReason]>([
  ['another price', second({}, { amount: '999' }), 'invalid_payment_requirements'],
  ['another payee', second({}, { payTo: PAYER }), 'invalid_payment_requirements'],
  ['a member more', second({}, { tip: '1' }), 'invalid_payment_requirements'],
  ['a member less', second({}, { maxTimeoutSeconds: undefined }), 'invalid_payment_requirements'],
  [
    'another token name',
    second({}, { extra: { name: 'FAKE', version: '2' } }),
    'invalid_payment_requirements',
  ],
  ['a number for a text', second({}, { amount: 1000 }), 'invalid_payment_requirements'],
  [
    'another resource',
    second({ resource: { url: 'http://127.0.0.1:8402/other' } }),
    'resource_mismatch',
  ],
  [
    "another server's resource",
    second({ resource: { url: 'http://127.0.0.2:8402/weather' } }),
    'resource_mismatch',
  ],
])('in v2 %s is refused before verification', async (_, headers, reason) => {
  const { ask, settlement } = fixture()
  expect(refusal(await ask({ headers: headers as Record<string, string> })).reason).toBe(reason)
  expect(settlement.verified).toBe(0)
})

test('in v2 a proof without the unsigned resource is accepted', async () => {
  const { ask } = fixture()
  admission(await ask({ headers: second({ resource: undefined }) }))
})

test('in v2 the order of members does not matter', async () => {
  const { accepts } = paymentRequired(WEATHER, WEATHER_URL)
  const reversed = Object.fromEntries(Object.entries(accepts[0] as object).reverse())
  const { ask } = fixture()
  admission(await ask({ headers: second({ accepted: reversed }) }))
})

test('in v2 members that a payer adds to accepted.extra are ignored, except for another transfer method', async () => {
  const { accepts } = paymentRequired(WEATHER, WEATHER_URL)
  const withExtra = (added: object) => {
    const extra = { ...(accepts[0] as { extra: object }).extra, ...added }
    return fixture().ask({ headers: second({}, { extra }) })
  }
  admission(await withExtra({ assetTransferMethod: 'eip3009' }))
  admission(await withExtra({ note: { deep: [1] } }))
  for (const added of [{ assetTransferMethod: 'permit2' }, { name: 'other' }, { version: '1' }]) {
    const answer = refusal(await withExtra(added))
    expect(answer.reason, JSON.stringify(added)).toBe('invalid_payment_requirements')
  }
  const mixed = `0x${WEATHER.terms.payTo.slice(2).toUpperCase()}`
  admission(await fixture().ask({ headers: second({}, { payTo: mixed }) }))
  const added = refusal(await fixture().ask({ headers: second({}, { added: true }) }))
  expect(added.reason).toBe('invalid_payment_requirements')
})

test('without a settler authorizations are neither offered nor accepted', async () => {
  const { ask } = gateFixture()
  expect(refusal(await ask()).headers).not.toHaveProperty('payment-required')
  expect(refusal(await ask({ headers: FIRST })).reason).toBe('authorization_unsupported')
})

test('without a settler a gate that accepts only authorizations does not open', () => {
  expect(() => gateFixture({ binding: 'eip3009' })).toThrow(
    'binding eip3009 takes only authorizations, and no settler is configured',
  )
})

const REASONS = Object.keys(INVALID_REASONS) as InvalidReason[]

test.each(REASONS.filter((reason) => reason !== 'invalid_exact_evm_nonce_already_used'))(
  'an invalid authorization is not claimed: %s',
  async (reason) => {
    const { ask, settlement, claims } = fixture()
    settlement.invalidReason = reason
    const { error } = INVALID_REASONS[reason]
    expect(refusal(await ask({ headers: FIRST }))).toMatchObject({
      status: error === 'unavailable' ? 503 : 402,
      reason,
    })
    expect([claims.records(), settlement.settled]).toEqual([[], 0])
  },
)

test('an authorization that could not be settled is released, with a receipt that says so', async () => {
  const { ask, settlement, claims } = fixture()
  const settled = settlement.outcome
  const errorReason = 'invalid_exact_evm_transaction_failed'
  settlement.outcome = { success: false, errorReason, payer: PAYER, txHash: TX }
  const answer = refusal(await ask({ headers: second() }))
  expect(answer).toMatchObject({ status: 402, reason: errorReason })
  expect(JSON.parse(atob(answer.headers['payment-response'] as string))).toEqual({
    success: false,
    errorReason,
    transaction: TX,
    network: 'eip155:31337',
    payer: PAYER,
  })
  expect(claims.records()).toMatchObject([{ state: 'released', isPaid: false }])
  settlement.outcome = settled
  admission(await ask({ headers: second() }))
})

test('an unknown settlement result is resolved by the same request', async () => {
  const failures: unknown[] = []
  const { ask, settlement, chain, claims } = fixture({ onFailure: (error) => failures.push(error) })
  const fault = new Error('connection reset')
  settlement.whileSettling = () => Promise.reject(fault)
  const answer = refusal(await ask({ headers: FIRST }))
  expect(answer).toMatchObject({ status: 503, reason: 'unexpected_settle_error' })
  expect(failures).toEqual([fault])
  // The transaction was sent after all, and is in a block.
  chain.mine(CARRIED_OUT, {}, TX)
  settlement.invalidReason = 'invalid_exact_evm_nonce_already_used'
  expect(admission(await ask({ headers: FIRST })).payment.txHash).toBe(TX)
  expect(claims.records()).toMatchObject([{ state: 'settled', isPaid: true }])
  // A settled authorization is not settled again.
  expect(settlement.settled).toBe(1)
})

test('an authorization that was settled and not served is served without a second settlement', async () => {
  const { ask, settlement } = fixture()
  await admission(await ask({ headers: FIRST })).failed()
  settlement.invalidReason = 'invalid_exact_evm_nonce_already_used'
  expect(admission(await ask({ headers: FIRST })).payment.txHash).toBe(TX)
  expect(settlement.settled).toBe(1)
})

test('an authorization that a third party has settled is checked with the settler', async () => {
  const { ask, settlement } = fixture()
  settlement.invalidReason = 'invalid_exact_evm_nonce_already_used'
  expect(admission(await ask({ headers: FIRST })).payment.txHash).toBe(TX)
  expect(settlement.settled).toBe(1)
})

test('the hash of a settled authorization is not a second payment', async () => {
  const { ask, chain } = fixture()
  await ask()
  chain.mine(CARRIED_OUT, {}, TX)
  await admission(await ask({ headers: FIRST })).delivered()
  const proof = header64({
    x402Version: 1,
    scheme: 'exact',
    network: WEATHER.terms.network,
    payload: { txHash: TX, amount: '1000', from: PAYER },
  })
  expect(refusal(await ask({ headers: { 'x-payment': proof } })).reason).toBe(
    'transfer_by_authorization',
  )
})

test('a claim is released once, and a later claimant keeps it', async () => {
  const claims = memoryClaims()
  const key = () => claims.records()[0]?.key as ClaimKey
  const facts = () => claims.records()[0] as ClaimRecord
  let isTaken = false
  const challenges = {
    // Another request of the payer claims it before the answer of the first one fails.
    issue: () => {
      void claims.claim(key(), facts()).then(({ won }) => {
        isTaken = won
      })
      throw new Error('disk full')
    },
  } as unknown as PaymentGateParts['challenges']
  const { ask, settlement } = fixture({ claims, challenges })
  const errorReason = 'invalid_exact_evm_transaction_failed'
  settlement.outcome = { success: false, errorReason, payer: PAYER, txHash: TX }
  expect(refusal(await ask({ headers: FIRST })).status).toBe(503)
  expect(isTaken).toBe(true)
  expect(claims.records()).toMatchObject([{ state: 'claimed' }])
})

test('a served claim is not released, whatever the server reports afterwards', async () => {
  const { ask, claims } = fixture()
  const answer = admission(await ask({ headers: FIRST }))
  await answer.delivered()
  await answer.failed()
  expect(claims.records()).toMatchObject([{ state: 'delivered' }])
})
