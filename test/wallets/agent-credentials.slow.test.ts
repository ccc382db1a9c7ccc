import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Agent, NewAgent } from '../../host/wallet/signer/agent-store.ts'
import { makeHome, removeHome, runCommand } from '../support/node/daemon.ts'
import { exchange, requestText } from '../support/node/raw-socket.ts'
import type { WalletApp } from '../support/wallet/wallet-node.ts'
import { type Answer, type AskOptions, basic, HandDrivenNode } from './service/hand-driven-node.ts'
import { HandKey } from './service/hand-made-request.ts'
import { asApp, createAgent } from './toolkit/agent-credentials.ts'

// What a caller with only the credentials of an agent can do, over real sockets.

const home = makeHome()
const hello = (message: string) => ({ method: 'personal_sign', params: { message } })
let node: HandDrivenNode
let ours: WalletApp
let theirs: WalletApp
let wallet: string
let other: string
let agent: NewAgent

beforeAll(async () => {
  node = await HandDrivenNode.start(home, ['--wallets.rate-limit', '200'])
  ours = await node.createApp('ours')
  theirs = await node.createApp('theirs')
  const policy_ids = [await policy('personal_sign')]
  wallet = (await node.make(ours, '/v1/wallets', { chain_type: 'ethereum', policy_ids })).id
  other = (await node.make(ours, '/v1/wallets', { chain_type: 'ethereum' })).id
  const flags = { app: ours.appId, wallet, policy: await policy('*') }
  agent = await createAgent(home, { ...flags, expires: '30d' })
})
afterAll(async () => {
  expect(await node?.daemon.stop()).toBe(0)
  removeHome(home)
})

async function policy(method: string): Promise<string> {
  const rules = [{ name: method, method, action: 'ALLOW', conditions: [] }]
  const body = { version: '1.0', name: method, chain_type: 'ethereum', rules }
  return (await node.make(ours, '/v1/policies', body)).id
}

const rpc = (id = wallet) => `/v1/wallets/${id}/rpc`

/** Sends a request of the agent, with its app in the header unless the options say otherwise. */
function ask(
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  body?: object,
  options: AskOptions & { readonly app?: WalletApp; readonly who?: NewAgent } = {},
): Promise<Answer> {
  const { app = ours, who = agent } = options
  return node.ask(app, method, path, body, { credentials: basic(asApp(who)), ...options })
}

function expectCode({ status, body, text }: Answer, wanted: number, code: string): void {
  expect({ status, code: body?.code }, text).toEqual({ status: wanted, code })
}

async function command(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand(['wallet', 'agent', ...args, '--home', home])
  expect(code, stderr).toBe(0)
  return stdout
}

describe('an agent is accepted', () => {
  test.each(['wallet', 'privy'] as const)('with %s headers that name the app', async (family) => {
    expect((await ask('POST', rpc(), hello(family), { family })).status).toBe(200)
  })

  test.each(['wallet', 'privy'] as const)(
    'with %s headers that name the agent instead, as clients send that only know an app',
    async (family) => {
      const answer = await ask('POST', rpc(), hello(family), { family, app: asApp(agent) })
      expect(answer.status, answer.text).toBe(200)
    },
  )

  test('unless the headers name another app, no app, two apps or another agent', async () => {
    expectCode(await ask('POST', rpc(), hello('x'), { app: theirs }), 401, 'unauthorized')
    const stranger = { appId: 'agent_0123456789ab', appSecret: '' }
    expectCode(await ask('POST', rpc(), hello('x'), { app: stranger }), 401, 'unauthorized')
    const none = (request: object) => ({ ...request, headers: {} }) as never
    expectCode(await ask('POST', rpc(), hello('x'), { sent: none }), 401, 'unauthorized')
    const more = [['privy-app-id', agent.agentId]] as const
    expectCode(await ask('POST', rpc(), hello('x'), { more }), 400, 'invalid_data')
  })

  test('but not if its id comes with the secret of its app, or the id of its app with its secret', async () => {
    const mixed = [
      { appId: agent.agentId, appSecret: ours.appSecret },
      { appId: ours.appId, appSecret: agent.agentSecret },
    ]
    for (const one of mixed) {
      const credentials = basic(one)
      expectCode(await ask('GET', '/v1/wallets', undefined, { credentials }), 401, 'unauthorized')
    }
  })
})

describe('an agent is refused outside its wallet', () => {
  test.each([
    ['another wallet', () => `/v1/wallets/${other}`],
    ['another wallet under /api', () => `/api/v1/wallets/${other}/balance`],
    ['another wallet with a slash', () => `/v1/wallets/${other}/transactions/`],
    ['all wallets', () => '/v1/wallets'],
    ['the policies of the app', () => '/v1/policies'],
  ])('for %s', async (_, path) => {
    expectCode(await ask('GET', path()), 403, 'agent_forbidden')
  })

  test.each([
    ['dots', () => `/v1/wallets/${wallet}/../${other}`],
    ['escaped dots', () => `/v1/wallets/${wallet}/%2e%2e/${other}`],
    ['an escaped slash', () => `/v1/wallets/${wallet}%2f..%2f${other}`],
    ['two slashes', () => `//v1/wallets/${other}`],
    ['a parameter', () => `/v1/wallets/${other};${wallet}`],
    ['a zero byte', () => `/v1/wallets/${other}%00`],
  ])('even if %s hide the path', async (_, path) => {
    const text = requestText('GET', path(), [
      ['authorization', basic(asApp(agent))],
      ['wallet-app-id', ours.appId],
    ])
    const { status, body } = await exchange(node.port, text)
    expect([400, 403, 404], body).toContain(status)
    expect(body).not.toContain('"address"')
  })

  test('even if the body names its own wallet', async () => {
    const body = { ...hello('x'), wallet_id: other }
    expectCode(await ask('POST', rpc(), body), 400, 'invalid_data')
    expectCode(
      await ask('POST', rpc(other), { ...body, wallet_id: wallet }),
      403,
      'agent_forbidden',
    )
  })

  test('even if the request is signed with the key of an owner', async () => {
    const key = new HandKey()
    const owner = { public_key: key.public }
    const owned = await node.make(ours, '/v1/wallets', { chain_type: 'ethereum', owner })
    const who = await createAgent(home, { app: ours.appId, wallet: owned.id })
    const signedBy = [key]
    const sign = await ask('POST', rpc(owned.id), hello('x'), { who, signedBy })
    expect(sign.status, sign.text).toBe(200)
    const path = `/v1/wallets/${owned.id}`
    expectCode(
      await ask('PATCH', path, { policy_ids: [] }, { who, signedBy }),
      403,
      'agent_forbidden',
    )
    expectCode(await ask('POST', rpc(owned.id), hello('x'), { who }), 401, HEADER_MISSING)
  })
})

const HEADER_MISSING = 'missing_or_empty_authorization_header'

describe('an idempotency key', () => {
  test('of the agent is independent of the same key of its app', async () => {
    const headers = { 'idempotency-key': 'shared' }
    const [first, second] = [
      await node.ask(ours, 'POST', rpc(), hello('of the app'), { headers }),
      await ask('POST', rpc(), hello('of the agent'), { headers }),
    ]
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.body.data.signature).not.toBe(first.body.data.signature)
    const again = await node.ask(ours, 'POST', rpc(), hello('of the agent'), { headers })
    expectCode(again, 400, 'idempotency_mismatch')
  })

  test('gives a revoked agent no stored response', async () => {
    const who = await createAgent(home, { app: ours.appId, wallet })
    const headers = { 'idempotency-key': 'kept' }
    expect((await ask('POST', rpc(), hello('kept'), { who, headers })).status).toBe(200)
    await command('revoke', who.agentId)
    expectCode(await ask('POST', rpc(), hello('kept'), { who, headers }), 401, 'unauthorized')
  })
})

test('a flood by the agent does not use up the request rate of its app', async () => {
  const flood = Array.from({ length: 400 }, () => ask('GET', `/v1/wallets/${wallet}`))
  const statuses = new Set((await Promise.all(flood)).map(({ status }) => status))
  expect(statuses).toEqual(new Set([200, 429]))
  expect((await node.ask(ours, 'GET', `/v1/wallets/${wallet}`)).status).toBe(200)
})

describe('the agent commands', () => {
  test('create, list and revoke an agent, with its name in an audit log that verifies', async () => {
    const who = await createAgent(home, { app: ours.appId, wallet, expires: '12h' })
    expect(Object.keys(who)).toEqual(['agentId', 'agentSecret'])
    const listed = async () =>
      (JSON.parse(await command('list', '--json')) as Agent[]).find(
        ({ agentId }) => agentId === who.agentId,
      )
    const { createdAt, ...made } = (await listed()) as Agent
    expect(made).toEqual({
      agentId: who.agentId,
      appId: ours.appId,
      walletId: wallet,
      policyId: null,
      expiresAt: createdAt + 12 * 3_600_000,
      revokedAt: null,
    })
    expect((await ask('POST', rpc(), hello('x'), { who })).status).toBe(200)
    await command('revoke', who.agentId)
    expect((await listed())?.revokedAt).toBeGreaterThanOrEqual(createdAt)
    const refused = await ask('POST', rpc(), hello('x'), { who })
    expectCode(refused, 401, 'unauthorized')
    expect(refused.body.error).toMatch(/^the credentials of the agent were revoked at /)
    expect(await command('list')).not.toContain(who.agentSecret)
    const audit = await runCommand(['wallet', 'audit', 'verify', '--json', '--home', home])
    expect(JSON.parse(audit.stdout)).toMatchObject({ authenticated: true, faults: [] })
  })

  test('mark an expired agent as expired', async () => {
    const who = await createAgent(home, { app: ours.appId, wallet, expires: '1ms' })
    const answer = await ask('POST', rpc(), hello('x'), { who })
    expectCode(answer, 401, 'unauthorized')
    expect(answer.body.error).toMatch(/^the credentials of the agent expired at /)
  })

  test.each([
    ['an unknown app', () => ({ app: 'nobody', wallet }), /there is no app nobody/],
    ['the wallet of another app', () => ({ app: theirs.appId, wallet }), /has no wallet/],
    ['no policy', () => ({ app: ours.appId, wallet, policy: 'none' }), /has no policy none/],
    ['no duration', () => ({ app: ours.appId, wallet, expires: 'soon' }), /such as 30d or 12h/],
  ])('refuse %s', async (_, flags, message) => {
    await expect(createAgent(home, flags())).rejects.toThrow(message)
  })

  test('remove the access of all agents of a deleted app', async () => {
    const app = await node.createApp('short')
    const made = await node.make(app, '/v1/wallets', { chain_type: 'ethereum' })
    const who = await createAgent(home, { app: app.appId, wallet: made.id })
    expect((await ask('POST', rpc(made.id), hello('x'), { app, who })).status).toBe(200)
    await runCommand(['wallet', 'app', 'delete', app.appId, '--home', home])
    expectCode(await ask('POST', rpc(made.id), hello('x'), { app, who }), 401, 'unauthorized')
  })
})
