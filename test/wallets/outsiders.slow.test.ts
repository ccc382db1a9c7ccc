import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeHome, removeHome, runCommand } from '../support/node/daemon.ts'
import { call } from '../support/node/json-rpc.ts'
import { until } from '../support/until.ts'
import type { WalletApp } from '../support/wallet/wallet-node.ts'
import { type Answer, type AskOptions, HandDrivenNode } from './service/hand-driven-node.ts'
import { HandKey, otherSignature, payloadText } from './service/hand-made-request.ts'

// What a caller with the secret of the app, but without the owner's key, can do over HTTP.

const home = makeHome()
const owner = new HandKey()
const stranger = new HandKey()
const TO = '0x00000000000000000000000000000000000000aa'
let node: HandDrivenNode
let app: WalletApp
let wallet: { readonly id: string; readonly address: string }

beforeAll(async () => {
  node = await HandDrivenNode.start(home)
  app = await node.createApp('agents')
  const body = { chain_type: 'ethereum', owner: { public_key: owner.public } }
  wallet = await node.make(app, '/v1/wallets', body)
  await call(node.daemon.ready.rpc, 'anvil_setBalance', [wallet.address, '0xde0b6b3a7640000'])
})
afterAll(async () => {
  expect(await node?.daemon.stop()).toBe(0)
  removeHome(home)
})

const rpc = () => `/v1/wallets/${wallet.id}/rpc`
const hello = { method: 'personal_sign', params: { message: 'hello' } }
const send = () => ({
  method: 'eth_sendTransaction',
  caip2: `eip155:${node.daemon.ready.chainId}`,
  params: { transaction: { to: TO, value: '0x1' } },
})

async function expectSigns(): Promise<void> {
  const { status, text } = await node.ask(app, 'POST', rpc(), hello, { signedBy: [owner] })
  expect({ status, text }).toMatchObject({ status: 200 })
}

test('a policy of 1 kB whose types share structs is created without blocking the signer', async () => {
  const levels = 40
  const types = Object.fromEntries(
    Array.from({ length: levels }, (_, at) => {
      const type = at + 1 < levels ? `T${at + 1}` : 'uint256'
      return [`T${at}`, ['x', 'y'].map((name) => ({ name, type }))]
    }),
  )
  const condition = {
    field_source: 'ethereum_typed_data_message',
    typed_data: { types, primary_type: 'T0' },
    field: Array(levels).fill('x').join('.'),
    operator: 'eq',
    value: '1',
  }
  const rule = {
    name: 'r',
    method: 'eth_signTypedData_v4',
    action: 'ALLOW',
    conditions: [condition],
  }
  const body = { version: '1.0', name: 'shared', chain_type: 'ethereum', rules: [rule] }
  expect((await node.ask(app, 'POST', '/v1/policies', body)).status).toBe(200)
  await expectSigns()
})

describe('a stored response', () => {
  const NONE = 'zero_correct_authorization_signatures'
  const MISSING = 'missing_or_empty_authorization_header'
  const TOO_MANY = 'incorrect_quantity_of_authorization_signatures'
  /** Codes after the signing key has lost its ownership. */
  const GONE: Readonly<Record<string, string>> = {
    [NONE]: NONE,
    [MISSING]: MISSING,
    [TOO_MANY]: NONE,
  }

  /** Expects that only the owner's signature returns the stored response to a repeated request. */
  async function expectKept(
    method: 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body: unknown,
    headers: Record<string, string>,
    isGone = false,
  ): Promise<Answer> {
    const options: AskOptions = { signedBy: [owner], headers }
    const text = payloadText(node.url, node.request(app, method, path, body, options))
    const signature = owner.sign(text).toString('base64')
    const first = await node.ask(app, method, path, body, { headers, signatures: signature })
    expect({ status: first.status, text: first.text }).toMatchObject({ status: 200 })
    const others: readonly [AskOptions, string][] = [
      [{ headers }, MISSING],
      [{ headers, signedBy: [stranger] }, NONE],
      [{ headers, signatures: 'AAAA' }, NONE],
      [{ headers, signatures: 'no signature' }, NONE],
      [{ headers, signatures: `${signature},${stranger.sign(text).toString('base64')}` }, TOO_MANY],
    ]
    for (const [other, code] of others) {
      const answer = await node.ask(app, method, path, body, other)
      expect([answer.status, answer.body.code]).toEqual([401, isGone ? GONE[code] : code])
    }
    const same = await node.ask(app, method, path, body, { headers, signatures: signature })
    expect(same.text).toBe(first.text)
    return first
  }

  test('for an idempotency key is returned to the owner only', async () => {
    const first = await expectKept('POST', rpc(), hello, { 'idempotency-key': 'hello' })
    const headers = { 'idempotency-key': 'hello' }
    const text = payloadText(node.url, node.request(app, 'POST', rpc(), hello, { headers }))
    const signatures = otherSignature(owner, text).toString('base64')
    const again = await node.ask(app, 'POST', rpc(), hello, { headers, signatures })
    expect(again.text).toBe(first.text)
  })

  test('for a transaction is returned to the owner only, by idempotency key and by expiry', async () => {
    await expectKept('POST', rpc(), send(), { 'idempotency-key': randomUUID() })
    await expectKept('POST', rpc(), send(), { 'request-expiry': `${Date.now() + 3_600_000}` })
  })

  test('for a change is returned only to the caller who made it, even after the wallet has another owner', async () => {
    const path = `/v1/wallets/${wallet.id}`
    await expectKept('PATCH', path, { display_name: 'mine' }, { 'idempotency-key': randomUUID() })
    const other = await node.make(app, '/v1/wallets', {
      chain_type: 'ethereum',
      owner: { public_key: owner.public },
    })
    const given = { owner: { public_key: new HandKey().public } }
    await expectKept(
      'PATCH',
      `/v1/wallets/${other.id}`,
      given,
      { 'idempotency-key': randomUUID() },
      true,
    )
  })
})

describe('a name with invisible characters', () => {
  const problem = /^[a-z_.0-9]+: the character U\+(?:0000|202E) at position 1 is invisible/
  const quorum = (display_name: string) => ({ display_name, public_keys: [owner.public] })
  const policy = (name: string, rule: string) => ({
    version: '1.0',
    name,
    chain_type: 'ethereum',
    rules: [{ name: rule, method: '*', action: 'DENY', conditions: [] }],
  })
  test.each<[string, string, (name: string) => unknown]>([
    ['a wallet', '/v1/wallets', (display_name) => ({ chain_type: 'ethereum', display_name })],
    ['a policy', '/v1/policies', (name) => policy(name, 'r')],
    ['a rule', '/v1/policies', (name) => policy('p', name)],
    ['a quorum', '/v1/key_quorums', quorum],
  ])('is refused for %s', async (_, path, body) => {
    for (const name of ['a\0b', 'a\u202eb']) {
      const { status, body: answer } = await node.ask(app, 'POST', path, body(name))
      expect({ status, code: answer.code }).toEqual({ status: 400, code: 'invalid_data' })
      expect(answer.error).toMatch(problem)
    }
  })

  test('is refused for a transaction and for an app', async () => {
    const named = { ...send(), reference_id: 'a\u202eb' }
    const answer = await node.ask(app, 'POST', rpc(), named, { signedBy: [owner] })
    expect(answer.body.error).toMatch(/^reference_id: the character U\+202E at position 1/)
    const made = await runCommand(['wallet', 'app', 'create', 'a\u202eb', '--home', home])
    expect(made.code).not.toBe(0)
    expect(made.stderr).toContain('name: the character U+202E at position 1 is invisible')
  })
})

test('typed data that cannot be hashed is refused with an error of the service', async () => {
  const types = { P: [{ name: 'x', type: 'constructor' }] }
  const typed_data = { types, primary_type: 'P', domain: {}, message: { x: {} } }
  const body = { method: 'eth_signTypedData_v4', params: { typed_data } }
  const answer = await node.ask(app, 'POST', rpc(), body, { signedBy: [owner] })
  expect(answer.status).toBe(400)
  expect(answer.body.error).toBe(
    'typed_data.types.P[0].type: "constructor" is neither an EIP-712 type nor a struct in types',
  )
})

test('a stopped signer and a stopped API are replaced, and requests succeed again', async () => {
  const pidOf = (name: string) => {
    const found = [...node.daemon.output().matchAll(new RegExp(`${name} answers pid=(\\d+)`, 'g'))]
    return Number(found.at(-1)?.[1])
  }
  const signer = pidOf('the signer')
  process.kill(signer, 'SIGSTOP')
  await expectSigns()
  expect(pidOf('the signer')).not.toBe(signer)
  const service = pidOf('the wallet API')
  process.kill(service, 'SIGSTOP')
  await until(() => pidOf('the wallet API') !== service)
  await expectSigns()
})
