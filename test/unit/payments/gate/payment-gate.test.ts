import { expect, test } from 'vitest'
import type { Admission, Refusal } from '../../../../host/payments/gate/payment-gate.ts'
import {
  gateFixture,
  PAY_TO,
  PAYER,
  TOKEN,
  transferProof,
} from '../../../support/payments/gate-fixture.ts'

function refusal(answer: Refusal | Admission): Refusal {
  if (answer.kind === 'admitted') throw new Error('admitted')
  return answer
}

function admission(answer: Refusal | Admission): Admission {
  if (answer.kind === 'refused') throw new Error(answer.body)
  return answer
}

test('a request without a proof gets the challenge of the contract', async () => {
  const { ask } = gateFixture()
  const { status, headers, body } = refusal(await ask())
  expect(status).toBe(402)
  expect(headers['cache-control']).toBe('no-store')
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

test('a payment opens the resource once', async () => {
  const { ask, pay } = gateFixture()
  await ask()
  const txHash = pay()
  const headers = { 'x-payment': transferProof(txHash) }
  const { payment, delivered } = admission(await ask({ headers }))
  expect(payment).toEqual({ isValid: true, txHash, payer: PAYER })
  await delivered()
  const second = refusal(await ask({ headers }))
  expect(second.status).toBe(402)
  expect(JSON.parse(second.body)).toMatchObject({
    error: 'Payment verification failed',
    invalidReason: 'payment_spent',
  })
})

test('of 100 requests with one proof one is admitted', async () => {
  const { ask, pay } = gateFixture()
  await ask()
  const headers = { 'x-payment': transferProof(pay()) }
  const answers = await Promise.all(Array.from({ length: 100 }, () => ask({ headers })))
  expect(answers.filter(({ kind }) => kind === 'admitted')).toHaveLength(1)
})

test.each(['reference', 'signed', 'eip3009'] as const)(
  'a payer is told of the binding %s, which a transfer has to prove more at',
  async (binding) => {
    const { ask } = gateFixture({ binding })
    const { accepts } = JSON.parse(refusal(await ask()).body)
    const { reference } = accepts[0].extra
    expect(accepts[0].extra).toEqual({ name: 'USDC', version: '2', reference, binding })
  },
)
