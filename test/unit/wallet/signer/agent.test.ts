import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WALLET_ROUTES, type WalletRoute } from '../../../../host/wallet/protocol/route-table.ts'
import type { NewAgent } from '../../../../host/wallet/signer/agent-store.ts'
import type { FilledTransaction } from '../../../../host/wallet/signer/signer-link.ts'
import { type Ask, startSigner, type TestSigner } from '../../../support/wallet/signer-socket.ts'

const FRIEND = '0x00000000000000000000000000000000000000aa'
const STRANGER = '0x00000000000000000000000000000000000000bb'
const FILLED: FilledTransaction = {
  chainId: 1329n,
  nonce: 0n,
  gas: 21_000n,
  maxFeePerGas: 10n,
  maxPriorityFeePerGas: 1n,
}

let signer: TestSigner
let walletId: string
let other: string
let toFriend: string
let atMostTen: string
let agent: NewAgent
let nonce = 0n

beforeAll(async () => {
  signer = await startSigner()
  toFriend = await policy([{ field: 'to', operator: 'eq', value: FRIEND }])
  atMostTen = await policy([{ field: 'value', operator: 'lte', value: '10' }])
  walletId = await wallet([toFriend])
  other = await wallet([])
  agent = create(atMostTen)
})
afterAll(() => signer.close())

async function policy(conditions: readonly object[]): Promise<string> {
  const full = conditions.map((condition) => ({
    field_source: 'ethereum_transaction',
    ...condition,
  }))
  const rules = [{ name: 'rule', method: 'eth_sendTransaction', action: 'ALLOW', conditions: full }]
  const body = { version: '1.0', name: 'policy', chain_type: 'ethereum', rules }
  return (await signer.ask({ path: '/v1/policies', body })).id as string
}

async function wallet(policyIds: readonly string[]): Promise<string> {
  const body = { chain_type: 'ethereum', policy_ids: policyIds }
  return (await signer.ask({ path: '/v1/wallets', body })).id as string
}

function create(policyId: string | null, expiresAt: number | null = null): NewAgent {
  return signer.agents.create({ appId: 'app-1', walletId, policyId, expiresAt }, Date.now())
}

/** Sends a transaction. Resolves with `signed`, or the code and message of the error. */
function send(to: string, value: string, ask: Partial<Ask> = {}): Promise<string> {
  const params = { transaction: { to, value, chain_id: 1329 } }
  const body = { method: 'eth_sendTransaction', caip2: 'eip155:1329', params }
  return signer
    .sign(
      { path: `/v1/wallets/${walletId}/rpc`, body, agent, ...ask },
      { ...FILLED, nonce: nonce++ },
    )
    .then(() => 'signed', outcome)
}

const outcome = ({ code, message, details }: { code: string; message: string; details: object }) =>
  `${code}: ${'reason' in details ? details.reason : message}`

function ask(asked: Ask): Promise<string> {
  return signer.ask(asked).then(() => 'answered', outcome)
}

describe('an agent signs within its own policy and that of the wallet:', () => {
  test('a request that both allow is signed', async () => {
    expect(await send(FRIEND, '0xa')).toBe('signed')
  })

  test('a request that the policy of the wallet denies is denied', async () => {
    expect(await send(STRANGER, '0x1')).toMatch(/^policy_violation: /)
  })

  test('a request that its own policy denies is denied, and its app is not bound by that policy', async () => {
    expect(await send(FRIEND, '0xb')).toMatch(/^policy_violation: the agent's policy: /)
    expect(await send(FRIEND, '0xb', { agent: undefined as never })).toBe('signed')
  })

  test('its policy also applies on a wallet without one', async () => {
    const made = signer.agents.create(
      { appId: 'app-1', walletId: other, policyId: atMostTen, expiresAt: null },
      Date.now(),
    )
    const path = `/v1/wallets/${other}/rpc`
    expect(await send(STRANGER, '0xa', { path, agent: made })).toBe('signed')
    expect(await send(STRANGER, '0xb', { path, agent: made })).toMatch(/^policy_violation: /)
  })

  test("a spending window of its policy counts only the agent's spending", async () => {
    const window = { field_source: 'spending_window', period: 3600, field: 'native' }
    const spender = create(await policy([{ ...window, operator: 'lte', value: '15' }]))
    expect(await send(FRIEND, '0x64', { agent: undefined as never })).toBe('signed')
    expect(await send(FRIEND, '0xa', { agent: spender })).toBe('signed')
    expect(await send(FRIEND, '0xa', { agent: spender })).toMatch(/^policy_violation: /)
    expect(await send(FRIEND, '0x5', { agent: spender })).toBe('signed')
  })

  test('a rule in both policies is charged once', async () => {
    const window = { field_source: 'spending_window', period: 3600, field: 'native' }
    const capped = await policy([{ ...window, operator: 'lte', value: '15' }])
    const id = await wallet([capped])
    const both = signer.agents.create(
      { appId: 'app-1', walletId: id, policyId: capped, expiresAt: null },
      Date.now(),
    )
    const path = `/v1/wallets/${id}/rpc`
    expect(await send(FRIEND, '0xf', { path, agent: both })).toBe('signed')
    expect(await send(FRIEND, '0x1', { path, agent: both })).toMatch(/^policy_violation: /)
  })
})

describe('an agent has no access to anything else:', () => {
  const beyond = Object.entries(WALLET_ROUTES as Readonly<Record<string, WalletRoute>>).filter(
    ([, { agents, by }]) => agents !== true && by === 'signer',
  )

  test.each(beyond)('it is refused for %s', async (_, { method, path }) => {
    const ids: Readonly<Record<string, string>> = { wallet_id: walletId, policy_id: toFriend }
    const filled = path.replace(/\{(\w+)\}/g, (__, name: string) => ids[name] ?? 'some-id')
    expect(await ask({ method: method as 'POST', path: filled, agent })).toMatch(
      /^(agent_forbidden: the credentials of an agent do not allow|invalid_data: )/,
    )
  })

  test('it reads its own wallet and no other, in any spelling', async () => {
    expect(await ask({ method: 'GET', path: `/v1/wallets/${walletId}`, agent })).toBe('answered')
    for (const path of [
      `/v1/wallets/${other}`,
      `/api/v1/wallets/${other}`,
      `/v1/wallets/${other}/`,
      `/v1/wallets/${other}?include_archived=true`,
    ]) {
      expect(await ask({ method: 'GET', path, agent })).toBe(
        `agent_forbidden: the credentials of the agent are for the wallet ${walletId} only`,
      )
    }
    expect(await send(FRIEND, '0x1', { path: `/v1/wallets/${other}/rpc` })).toMatch(
      /^agent_forbidden: /,
    )
    const body = { params: { hash: `0x${'11'.repeat(32)}` } }
    const raw = signer.sign({ path: `/v1/wallets/${walletId}/raw_sign`, body, agent })
    expect(await raw.then(() => 'signed', outcome)).toMatch(/^agent_forbidden: /)
  })

  test('it cannot replace a transaction of another wallet, which looks nonexistent', async () => {
    const path = `/v1/wallets/${other}/rpc`
    await send(FRIEND, '0x1', { path, agent: undefined as never, requestId: 'of-another' })
    await send(FRIEND, '0x2', { agent: undefined as never, requestId: 'of-its-own' })
    const replaced = (id: string) =>
      signer
        .sign(
          { path: `/v1/transactions/${id}/replace`, agent },
          { ...FILLED, nonce: nonce - 1n, maxFeePerGas: 100n, maxPriorityFeePerGas: 100n },
        )
        .then(() => 'signed', outcome)
    const [foreign, unknown] = [await replaced('of-another'), await replaced('nowhere')]
    expect(foreign).toMatch(/^agent_forbidden: .*not one of its transactions$/)
    expect(foreign.replace('of-another', 'nowhere')).toBe(unknown)
    expect(await replaced('of-its-own')).toBe('signed')
  })
})

describe('the identity of an agent', () => {
  test('gives one answer for wrong secrets and unknown agents', async () => {
    const wrong: NewAgent[] = [
      { ...agent, agentSecret: 'x'.repeat(43) },
      { ...agent, agentSecret: agent.agentSecret.slice(0, -1) },
      { ...agent, agentId: 'agent_nobody' },
      { agentId: 'app-1', agentSecret: agent.agentSecret },
    ]
    for (const one of wrong) {
      const refused = 'unauthorized: there is no agent with this id and secret'
      expect(await send(FRIEND, '0x1', { agent: one })).toBe(refused)
      const proof = { id: one.agentId, secret: one.agentSecret }
      expect(await signer.link.identify(proof).catch(outcome)).toBe(refused)
    }
    const proof = { id: agent.agentId, secret: agent.agentSecret }
    expect(await signer.link.identify(proof)).toEqual({ appId: 'app-1', walletId })
  })

  test('has no access in another app', async () => {
    expect(await send(FRIEND, '0x1', { app: 'app-2' })).toMatch(/^unauthorized: /)
  })

  test('is reported as revoked or expired only to a caller with its secret', async () => {
    const past = create(null, Date.now() - 1)
    expect(await send(FRIEND, '0x1', { agent: past })).toMatch(
      /^unauthorized: the credentials of the agent expired at /,
    )
    const revoked = create(atMostTen)
    expect(await send(FRIEND, '0x1', { agent: revoked })).toBe('signed')
    signer.agents.revoke(revoked.agentId, Date.now())
    expect(await send(FRIEND, '0x1', { agent: revoked })).toMatch(
      /^unauthorized: the credentials of the agent were revoked at /,
    )
    const guessed = { ...revoked, agentSecret: 'x'.repeat(43) }
    expect(await send(FRIEND, '0x1', { agent: guessed })).toBe(
      'unauthorized: there is no agent with this id and secret',
    )
  })

  test('keeps its policy until it is revoked', async () => {
    const own = await policy([])
    const user = create(own)
    const deletion: Ask = { method: 'DELETE', path: `/v1/policies/${own}` }
    expect(await ask(deletion)).toBe(
      `in_use: the policy ${own} is in use by the agent ${user.agentId}`,
    )
    signer.agents.revoke(user.agentId, Date.now())
    expect(await ask(deletion)).toBe('answered')
  })

  test('is in the audit log when it is created, signs, is refused and is revoked, without its secret', async () => {
    const noted = create(atMostTen)
    await send(FRIEND, '0x1', { agent: noted })
    await send(FRIEND, '0xb', { agent: noted })
    signer.agents.revoke(noted.agentId, Date.now())
    await send(FRIEND, '0x1', { agent: noted })
    const events = signer.audited().filter((event) => JSON.stringify(event).includes(noted.agentId))
    expect(events.map(({ kind, subject }) => [kind, subject])).toEqual([
      ['agent.created', noted.agentId],
      ['wallet.signed', walletId],
      ['wallet.refused', walletId],
      ['agent.revoked', noted.agentId],
    ])
    expect(events.map(({ details }) => details.agent)).toEqual([
      undefined,
      noted.agentId,
      noted.agentId,
      undefined,
    ])
    expect(JSON.stringify(signer.audited())).not.toContain(noted.agentSecret)
  })

  test('is stored with the hash of its secret only', () => {
    const rows = signer.database.prepare('SELECT * FROM agents').all()
    const kept = rows.map((row) => JSON.stringify(row)).join()
    expect(kept).toContain(agent.agentId)
    expect(kept).not.toContain(agent.agentSecret)
  })
})
