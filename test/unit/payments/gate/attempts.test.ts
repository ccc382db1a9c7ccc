import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openClaims } from '../../../../host/payments/claim/open-claims.ts'
import {
  admission,
  gateFixture,
  type RequestFacts,
  refusal,
  transferProof,
} from '../../../support/payments/gate-fixture.ts'

/** Returns a gate whose claims are on disk, with a payment for `POST /weather`. */
async function paidGate(maxAttempts?: number) {
  const folder = mkdtempSync(join(tmpdir(), 'attempts-'))
  const claims = await openClaims(folder)
  onTestFinished(async () => {
    await claims.close()
    rmSync(folder, { recursive: true })
  })
  const { ask, pay } = gateFixture({ claims, ...(maxAttempts !== undefined && { maxAttempts }) })
  await ask({ method: 'POST' })
  const headers = { 'x-payment': transferProof(pay()) }
  const show = (body?: string) => {
    const facts: RequestFacts = { method: 'POST', headers }
    return ask(body === undefined ? facts : { ...facts, body })
  }
  return { show }
}

test('a payment that was not served is valid for the same body only', async () => {
  const { show } = await paidGate()
  await admission(await show('{"city":"Bern"}')).failed()
  for (const other of ['{"city":"Basel"}', '', undefined]) {
    expect(refusal(await show(other)).reason, `${other}`).toBe('payment_of_other_request')
  }
  await admission(await show('{"city":"Bern"}')).delivered()
  expect(refusal(await show('{"city":"Bern"}')).reason).toBe('payment_spent')
})

test('a payment for a request without a body is invalid for one with a body', async () => {
  const { show } = await paidGate()
  await admission(await show()).failed()
  expect(refusal(await show('{}')).reason).toBe('payment_of_other_request')
  admission(await show(''))
})

test.each([undefined, 1, 5])(
  'a payment buys %s failed attempts (default 3)',
  async (maxAttempts) => {
    const { show } = await paidGate(maxAttempts)
    for (let attempt = 0; attempt < (maxAttempts ?? 3); attempt++) {
      await admission(await show('{}')).failed()
    }
    const refused = refusal(await show('{}'))
    expect([refused.status, refused.reason]).toEqual([402, 'payment_attempts_exhausted'])
    expect(JSON.parse(refused.body)).toMatchObject({ error: 'Payment verification failed' })
    expect(refusal(await show('{"other":1}')).reason).toBe('payment_of_other_request')
  },
)

test('a request that reached no handler is not counted as an attempt', async () => {
  const { show } = await paidGate(1)
  for (let time = 0; time < 5; time++) await admission(await show('{}')).released()
  await admission(await show('{}')).delivered()
})

test('a body that exceeds the limit of the server is answered 413 and claims nothing', async () => {
  const { show } = await paidGate()
  const tooLong = refusal(await show('too long'))
  expect([tooLong.status, tooLong.reason]).toEqual([413, undefined])
  expect(tooLong.headers['cache-control']).toBe('no-store')
  admission(await show('{}'))
})
