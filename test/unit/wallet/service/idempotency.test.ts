import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { WalletError } from '../../../../host/wallet/protocol/wallet-error.ts'
import { openFixture } from './service-fixture.ts'

const BODY = { chain_type: 'ethereum' }
const HOUR_MS = 3_600_000

const named = (key: string, body: unknown = BODY) => ({
  body,
  headers: { 'wallet-idempotency-key': key },
})

function counting() {
  let count = 0
  return () => ({ id: `w${++count}` })
}

test('requests with the same idempotency key and body are answered alike and executed once', async () => {
  const { ask, asked } = openFixture({ answer: counting() })
  const first = await ask(named('k'))
  expect(first.body).toEqual({ id: 'w1' })
  expect((await ask(named('k'))).body).toEqual({ id: 'w1' })
  expect((await ask(named('other'))).body).toEqual({ id: 'w2' })
  expect((await ask({ body: BODY })).body).toEqual({ id: 'w3' })
  expect(asked).toHaveLength(3)
})

test('an idempotency key with another body or path is refused', async () => {
  const { ask, asked } = openFixture({ answer: counting() })
  await ask(named('k'))
  const refusal = { status: 400, body: { code: 'idempotency_mismatch' } }
  expect(await ask(named('k', { ...BODY, display_name: 'x' }))).toMatchObject(refusal)
  expect(await ask({ ...named('k'), path: '/api/v1/wallets' })).toMatchObject(refusal)
  expect(asked).toHaveLength(1)
})

test('idempotency keys may have 256 characters and belong to one app', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lockstep-keys-'))
  const path = join(folder, 'service.db')
  const one = openFixture({ path, answer: () => ({ id: 'one' }) })
  const two = openFixture({ path, answer: () => ({ id: 'two' }) })
  const key = 'k'.repeat(256)
  expect((await one.ask(named(key))).body).toEqual({ id: 'one' })
  expect((await two.ask(named(key))).body).toEqual({ id: 'two' })
  rmSync(folder, { recursive: true })
})

test('a repeated request waits for the answer to the first', async () => {
  const waiting: ((value: unknown) => void)[] = []
  const answer = () => new Promise((resolve) => waiting.push(resolve))
  const { ask, asked } = openFixture({ answer })
  const answers = [ask(named('k')), ask(named('k')), ask(named('k'))]
  while (waiting.length === 0) await new Promise(setImmediate)
  expect(await ask(named('k', { ...BODY, external_id: 'a' }))).toMatchObject({ status: 400 })
  for (const resolve of waiting) resolve({ id: 'w1' })
  expect((await Promise.all(answers)).map(({ body }) => body)).toEqual(Array(3).fill({ id: 'w1' }))
  expect(asked).toHaveLength(1)
})

test('an idempotency key is refused for another request in the same event loop turn, before the first is recorded', async () => {
  const { ask, asked } = openFixture({ answer: counting() })
  const other = { ...named('k', { ...BODY, external_id: 'a' }), path: '/api/v1/wallets' }
  const [first, second] = await Promise.all([ask(named('k')), ask(other)])
  expect(first.body).toEqual({ id: 'w1' })
  expect(second).toMatchObject({ status: 400, body: { code: 'idempotency_mismatch' } })
  expect(asked).toHaveLength(1)
})

test.each([
  ['invalid_data', 1],
  ['policy_violation', 1],
  ['missing_or_empty_authorization_header', 2],
  ['signer_unreachable', 2],
] as const)('a refusal with %s is executed %i times by two requests', async (code, times) => {
  const { ask, asked } = openFixture({
    answer: () => {
      throw new WalletError(code)
    },
  })
  const first = await ask(named('k'))
  expect(first.body).toMatchObject({ code })
  expect((await ask(named('k'))).body).toEqual(first.body)
  expect(asked).toHaveLength(times)
  // The retry reaches the signer under the same request name, so that it does nothing twice.
  expect(new Set(asked.map(({ requestId }) => requestId)).size).toBe(1)
})

test('recorded answers survive a restart, and an interrupted request is repeated under the same name', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lockstep-keys-'))
  const path = join(folder, 'service.db')
  const before = openFixture({ path, answer: counting() })
  await before.ask(named('done'))
  const hanging = openFixture({ path, app: before.app, answer: () => new Promise(() => {}) })
  void hanging.ask(named('begun'))
  while (hanging.asked.length === 0) await new Promise(setImmediate)
  const after = openFixture({ path, app: before.app, answer: () => ({ id: 'after' }) })
  expect((await after.ask(named('done'))).body).toEqual({ id: 'w1' })
  expect((await after.ask(named('begun'))).body).toEqual({ id: 'after' })
  expect(after.asked.map(({ requestId }) => requestId)).toEqual([hanging.asked[0]?.requestId])
  expect(await after.ask(named('begun', { ...BODY, external_id: 'a' }))).toMatchObject({
    status: 400,
  })
  rmSync(folder, { recursive: true })
})

test('an idempotency key may be reused after a day', async () => {
  let now = 1_800_000_000_000
  const { ask, asked, database } = openFixture({ answer: counting(), now: () => now })
  await ask(named('k'))
  now += 24 * HOUR_MS - 1
  expect((await ask(named('k'))).body).toEqual({ id: 'w1' })
  now += 1
  expect((await ask(named('k', { ...BODY, external_id: 'a' }))).body).toEqual({ id: 'w2' })
  expect(new Set(asked.map(({ requestId }) => requestId)).size).toBe(2)
  now += 48 * HOUR_MS
  await ask(named('another'))
  expect(database.prepare('SELECT key FROM idempotency').all()).toEqual([{ key: 'another' }])
})

test('a GET request has no idempotency key, since it changes nothing', async () => {
  const { ask, asked } = openFixture({ answer: counting() })
  const get = { method: 'GET', headers: { 'wallet-idempotency-key': 'k' } }
  expect((await ask(get)).body).toEqual({ id: 'w1' })
  expect((await ask(get)).body).toEqual({ id: 'w2' })
  expect(asked).toHaveLength(2)
})
