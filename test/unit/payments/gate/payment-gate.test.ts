import { expect, test } from 'vitest'
import {
  admission,
  gateFixture,
  PAY_TO,
  PAYER,
  PAYMENT,
  type RequestFacts,
  refusal,
  TOKEN,
  transferProof,
  WEATHER,
} from '../../../support/payments/gate-fixture.ts'
import { transferLog } from '../../../support/payments/memory-payment-chain.ts'
import { FakeSettlement } from './fake-settlement.ts'

const DEFAULT_NAMES = 'x-payment, payment-signature, content-type, accept'

const SETTLEMENT = new FakeSettlement(`0x${'0'.repeat(64)}`, PAYER)

test('a request without a proof gets the challenge of the contract', async () => {
  const { ask } = gateFixture({ settlement: SETTLEMENT })
  const { status, headers, body, reason } = refusal(await ask())
  expect([status, reason]).toEqual([402, undefined])
  expect(headers).toEqual({
    'content-type': 'application/json',
    'cache-control': 'no-store',
    vary: 'X-Payment, Payment-Signature',
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'payment-required, x-payment-response, payment-response',
    'payment-required': expect.stringMatching(/^ey[\w+/]+=*$/),
  })
  const challenge = JSON.parse(body)
  const { reference } = challenge.accepts[0].extra
  expect(reference).toMatch(/^[\w-]{51}$/)
  expect(challenge).toEqual({
    x402Version: 1,
    accepts: [
      {
        scheme: 'exact',
        network: 'eip155:31337',
        maxAmountRequired: '1000',
        resource: '/weather',
        description: 'The weather',
        mimeType: 'application/json',
        payTo: PAY_TO,
        maxTimeoutSeconds: 300,
        asset: TOKEN,
        extra: { name: 'USDC', version: '2', reference },
      },
    ],
  })
})

test('each challenge has a reference of its own', async () => {
  const { ask } = gateFixture()
  const answers = await Promise.all(Array.from({ length: 50 }, () => ask()))
  expect(new Set(answers.map((answer) => refusal(answer).body)).size).toBe(50)
})

test('a payment unlocks the resource once', async () => {
  const { ask, pay } = gateFixture()
  await ask()
  const txHash = pay()
  const proof = { headers: { 'x-payment': transferProof(txHash) } }
  const { payment, headers, delivered } = admission(await ask(proof))
  expect(payment).toEqual({ isValid: true, txHash, payer: PAYER })
  expect(headers).toMatchObject({ 'cache-control': 'no-store', vary: expect.any(String) })
  expect(JSON.parse(atob(headers['x-payment-response'] as string))).toEqual({
    success: true,
    transaction: txHash,
    network: 'eip155:31337',
    payer: PAYER,
  })
  await delivered()
  const second = refusal(await ask(proof))
  expect(second).toMatchObject({ status: 402, reason: 'payment_spent' })
  expect(JSON.parse(second.body)).toMatchObject({
    x402Version: 1,
    accepts: [{ payTo: PAY_TO }],
    error: 'Payment verification failed',
    invalidReason: 'payment_spent',
    payer: PAYER,
  })
})

test('a hash in other letter case is the same payment', async () => {
  const { ask, chain } = gateFixture()
  await ask()
  const txHash = chain.mine([transferLog(PAYMENT)], {}, `0x${'ab'.repeat(32)}`)
  const spelt = [txHash, txHash.toUpperCase().replace('X', 'x'), txHash.toUpperCase()]
  const answers = []
  for (const hash of spelt) {
    const headers = { 'x-payment': transferProof(hash as `0x${string}`) }
    const answer = await ask({ headers })
    if (answer.kind === 'admitted') await answer.delivered()
    answers.push(answer.kind === 'admitted' ? 'admitted' : answer.reason)
  }
  expect(answers).toEqual(['admitted', 'payment_spent', 'payment_spent'])
})

test('of 100 concurrent requests with one proof one is admitted', async () => {
  const { ask, pay } = gateFixture()
  await ask()
  const headers = { 'x-payment': transferProof(pay()) }
  const answers = await Promise.all(Array.from({ length: 100 }, () => ask({ headers })))
  expect(answers.filter(({ kind }) => kind === 'admitted')).toHaveLength(1)
})

test('a resource that could not be served may be requested again by the same request', async () => {
  const { ask, pay } = gateFixture()
  const url = 'http://127.0.0.1:8402/weather?city=Bern'
  await ask({ url })
  const proof = { url, headers: { 'x-payment': transferProof(pay()) } }
  const first = admission(await ask(proof))
  expect(refusal(await ask(proof)).reason).toBe('payment_in_progress')
  await first.failed()
  const elsewhere = { ...proof, url: 'http://127.0.0.1:8402/weather?city=Basel' }
  expect(refusal(await ask(elsewhere)).reason).toBe('payment_of_other_request')
  expect(refusal(await ask({ ...proof, method: 'POST' })).reason).toBe('payment_of_other_request')
  await admission(await ask(proof)).delivered()
  expect(refusal(await ask(proof)).reason).toBe('payment_spent')
})

test.each<[string, RequestFacts]>([
  ['HEAD', { method: 'HEAD' }],
  ['OPTIONS', { method: 'OPTIONS' }],
])('%s does not spend the proof', async (_, facts) => {
  const { ask, pay, claims } = gateFixture()
  await ask()
  const headers = { 'x-payment': transferProof(pay()) }
  const answer = refusal(await ask({ ...facts, headers }))
  expect([answer.kind, answer.body]).toEqual(['refused', ''])
  expect(claims.records()).toEqual([])
  admission(await ask({ headers }))
})

test('HEAD returns the price', async () => {
  const { ask } = gateFixture({ settlement: SETTLEMENT })
  const { status, headers } = refusal(await ask({ method: 'HEAD' }))
  expect(status).toBe(402)
  expect(JSON.parse(atob(headers['payment-required'] as string))).toMatchObject({
    x402Version: 2,
    accepts: [{ amount: '1000' }],
  })
})

test('a preflight lets a page of any origin send a proof', async () => {
  const { ask } = gateFixture()
  expect(refusal(await ask({ method: 'OPTIONS' }))).toMatchObject({
    status: 204,
    headers: {
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'x-payment, payment-signature, content-type, accept',
    },
  })
})

test.each<[string, readonly string[], string]>([
  [
    // x402-fetch 1.2.0 and @x402/fetch 2.27.0 set these headers on the request, so that browsers send a preflight.
    'the published clients name',
    ['access-control-expose-headers,payment-signature'],
    'access-control-expose-headers, payment-signature',
  ],
  ['come apart', ['authorization', ' x-payment'], 'authorization, x-payment'],
  ['are no names', ['x-payment\r\nset-cookie: a=b'], DEFAULT_NAMES],
  ['are too many', Array(2_000).fill('x-payment'), DEFAULT_NAMES],
])('a preflight allows the headers if the request %s', async (_, requested, allowed) => {
  const { ask } = gateFixture()
  const headers = { 'access-control-request-headers': requested }
  expect(refusal(await ask({ method: 'OPTIONS', headers })).headers).toMatchObject({
    'access-control-allow-headers': allowed,
    vary: 'X-Payment, Payment-Signature, Access-Control-Request-Headers',
  })
})

test('the CORS headers of the server itself take precedence', async () => {
  const { ask } = gateFixture({ cors: false })
  for (const method of ['GET', 'OPTIONS']) {
    const names = Object.keys(refusal(await ask({ method })).headers)
    expect(names.filter((name) => name.startsWith('access-control'))).toEqual([])
  }
})

test('a proof that is sent twice in one request is not spent', async () => {
  const { ask, pay, claims, chain } = gateFixture()
  await ask()
  const proof = transferProof(pay())
  const twice = { headers: { 'x-payment': [proof, proof] } }
  expect(refusal(await ask(twice)).reason).toBe('invalid_payload')
  const joined = { headers: { 'x-payment': `${proof}, ${proof}` } }
  expect(refusal(await ask(joined)).reason).toBe('invalid_payload')
  const both = { headers: { 'x-payment': proof, 'payment-signature': proof } }
  expect(refusal(await ask(both)).reason).toBe('invalid_payload')
  expect([claims.records(), chain.asked]).toEqual([[], []])
  admission(await ask({ headers: { 'x-payment': proof } }))
})

test('an unreachable chain is answered 503, and the proof stays valid', async () => {
  const failures: unknown[] = []
  const { ask, pay, chain } = gateFixture({ onFailure: (error) => failures.push(error) })
  await ask()
  const headers = { 'x-payment': transferProof(pay()) }
  const { receipt } = chain
  const fault = new Error('http://secret@node/ is down')
  chain.receipt = () => Promise.reject(fault)
  const answer = refusal(await ask({ headers }))
  expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
  expect(JSON.parse(answer.body)).toEqual({
    error: 'Payment cannot be verified now',
    invalidReason: 'unexpected_verify_error',
    detail: 'the chain or the disk of the seller is unavailable',
  })
  expect(failures).toEqual([fault])
  chain.receipt = receipt
  admission(await ask({ headers }))
})

test('a disk that cannot store a claim is answered 503, and nothing is served for it', async () => {
  const { ask, pay, claims } = gateFixture()
  await ask()
  const headers = { 'x-payment': transferProof(pay()) }
  const { claim } = claims
  claims.claim = () => Promise.reject(new Error('the disk is full'))
  expect(refusal(await ask({ headers })).status).toBe(503)
  claims.claim = claim
  admission(await ask({ headers }))
})

test.each(['GET', 'HEAD'])(
  'a disk that cannot store a challenge is answered 503 for %s, since its payment would be unknown',
  async (method) => {
    const { ask, challenges } = gateFixture()
    challenges.issue = () => {
      throw new Error('the disk is full')
    }
    expect(refusal(await ask({ method })).status).toBe(503)
  },
)

test('the claim records the payer, the amount and the request of a payment', async () => {
  const { ask, pay, claims } = gateFixture()
  const url = 'http://127.0.0.1:8402/weather?city=Bern'
  await ask({ url })
  const txHash = pay()
  admission(await ask({ url, headers: { 'x-payment': transferProof(txHash) } }))
  expect(claims.records()).toMatchObject([
    {
      key: { chainId: WEATHER.terms.chainId, kind: 'transfer', id: txHash },
      resource: '/weather',
      request: 'GET /weather?city=Bern',
      payer: PAYER,
      payTo: PAY_TO,
      asset: TOKEN,
      amount: 1_000n,
      state: 'claimed',
    },
  ])
})
