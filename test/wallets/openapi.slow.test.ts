import { createWalletClient, erc20Abi, type Hex, http, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { hardhat } from 'viem/chains'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { DEV_ACCOUNTS } from '../../host/base/dev-accounts.ts'
import { paymentTokenOf } from '../../host/evm/chain-types/payment-token.ts'
import { WALLET_ROUTES } from '../../host/wallet/protocol/route-table.ts'
import { makeHome, removeHome } from '../support/node/daemon.ts'
import { call } from '../support/node/json-rpc.ts'
import { makeRandom, runSeed } from '../support/random.ts'
import { AccessSite, owner } from './service/access-cell.ts'
import { type Answer, HandDrivenNode } from './service/hand-driven-node.ts'
import { type Schema, SchemaValues } from './service/schema-values.ts'

// Checks every route, method and member of the running service's OpenAPI document.

const SEED = runSeed()
const TOKEN = paymentTokenOf(31337n)

interface Operation {
  readonly parameters?: readonly { name: string; in: string }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: Schema }>> }
  readonly responses: Readonly<Record<string, { content: Record<string, { schema: Schema }> }>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const home = makeHome()
let site: AccessSite
let document: Document
let values: SchemaValues

beforeAll(async () => {
  const args = ['--dev.automine', 'true', '--wallets.webhook-allow-private', 'true']
  const node = await HandDrivenNode.start(home, args)
  await call(node.daemon.ready.rpc, 'evm_setAutomine', [false])
  site = new AccessSite(node, await node.createApp('walker'))
  document = (await (await fetch(`${node.url}/v1/openapi.json`)).json()) as Document
  const known = [await site.wallet('nobody'), await site.policy('nobody'), 'nobody']
  values = new SchemaValues(makeRandom(SEED), 0, known)
})
afterAll(async () => {
  expect(await site?.node.daemon.stop()).toBe(0)
  removeHome(home)
})

const OPERATIONS = Object.values(WALLET_ROUTES).map(({ method, path }) => ({
  route: `${method} ${path}`,
  method,
  path,
}))

function operationOf(path: string, method: string): Operation {
  return document.paths[path]?.[method.toLowerCase()] as Operation
}

/** Returns why a response does not match the document, or undefined if it does. */
function fault({ responses }: Operation, { status, body, text }: Answer): string | undefined {
  const schema = responses[status]?.content['application/json']?.schema
  if (schema === undefined) return `answers ${status}, which is not documented: ${text}`
  const name = schema.$ref?.slice('#/components/schemas/'.length)
  const shape = name === undefined ? schema : document.components.schemas[name]
  const { success, error } = z.fromJSONSchema(shape as never).safeParse(body)
  return success ? undefined : `answers ${status} ${text}: ${error.message}`
}

/** Returns a target for the route with an authorized caller: a quorum authorizes its own changes. */
async function targetOf(route: string) {
  const isOwned = route.includes('{key_quorum_id}')
  const target = await site.target(route, '', isOwned ? 'a key' : 'nobody', undefined)
  const signedBy = isOwned && target.method !== 'GET' ? [owner] : []
  return {
    ...target,
    ask: (path = target.path, body: unknown = target.body) =>
      site.node.ask(site.app, target.method, path, body, { signedBy }),
  }
}

/** Returns the alternative schemas of a body. */
function alternativesOf({ requestBody }: Operation): readonly Schema[] {
  const schema = requestBody?.content['application/json']?.schema
  return schema === undefined ? [] : (schema.anyOf ?? schema.oneOf ?? [schema])
}

function expectInvalid({ status, body, text }: Answer, says: string): void {
  expect({ status, code: body?.code, says: body?.error.includes(says) }, text).toEqual({
    status: 400,
    code: 'invalid_data',
    says: true,
  })
}

describe('the routes of the OpenAPI document:', () => {
  test.each(OPERATIONS)('$route answers as documented', async ({ route, path, method }) => {
    const operation = operationOf(path, method)
    const { ask } = await targetOf(route)
    const answer = await ask()
    expect(answer.status, answer.text).toBe(200)
    expect(fault(operation, answer)).toBeUndefined()
  })

  test.each(OPERATIONS)(
    '$route refuses undocumented parameters and members',
    async ({ route, path, method }) => {
      const operation = operationOf(path, method)
      const target = await targetOf(route)
      for (const name of ['nonsense', '__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
        const answer = await target.ask(`${target.path}?${name}=1`)
        if (path === '/v1/openapi.json') continue
        expectInvalid(answer, operation.parameters?.some((one) => one.in === 'query') ? name : '')
        expect(fault(operation, answer)).toBeUndefined()
      }
      if (method === 'GET') return
      const members = operation.requestBody === undefined ? {} : target.body
      const unknown = await target.ask(undefined, { ...members, nonsense: 1 })
      expectInvalid(unknown, operation.requestBody === undefined ? 'takes no body' : 'nonsense')
      for (const { required = [] } of alternativesOf(operation).slice(0, 1)) {
        for (const name of required) {
          // It may be required only in another alternative
          if (!Object.hasOwn(target.body ?? {}, name)) continue
          const { [name]: _, ...rest } = target.body as Record<string, unknown>
          expectInvalid(await target.ask(undefined, rest), name)
        }
      }
    },
  )

  test.each(OPERATIONS)(
    `$route accepts each of its documented members (seed ${SEED})`,
    async ({ route, path, method }) => {
      const operation = operationOf(path, method)
      for (const schema of alternativesOf(operation)) {
        for (const [name, member] of Object.entries(schema.properties ?? {})) {
          const target = await targetOf(route)
          const isOwn = alternativesOf(operation).length === 1
          const body = { ...(isOwn ? target.body : (values.value(schema) as object)) }
          const answer = await target.ask(undefined, { ...body, [name]: values.value(member) })
          expect(fault(operation, answer), name).toBeUndefined()
          expect(answer.text, name).not.toContain('has no member')
        }
      }
    },
    180_000,
  )

  test('no path has an undocumented method', async () => {
    for (const [path, operations] of Object.entries(document.paths)) {
      const filled = path.replace(/\{\w+\}/g, 'some-id')
      for (const method of ['GET', 'POST', 'PATCH', 'DELETE', 'PUT'] as const) {
        if (Object.hasOwn(operations, method.toLowerCase())) continue
        // A path without an id may match another with one: /v1/wallets/address
        const answer = await site.node.ask(site.app, method, filled)
        expect([405, 404], `${method} ${filled}`).toContain(answer.status)
        if (answer.status !== 405) continue
        const allowed = Object.keys(operations).map((name) => name.toUpperCase())
        expect(answer.headers.get('allow')?.[0]?.split(', ')).toEqual(
          expect.arrayContaining(allowed),
        )
      }
    }
  })
})

describe('the query parameters', () => {
  /** Returns the items of a page, by path and query. */
  const list = async (path: string) => {
    const { status, body, text } = await site.node.ask(site.app, 'GET', path)
    expect(status, text).toBe(200)
    return body as { data: { id: string }[]; next_cursor: string | null }
  }

  test.each([
    ['/v1/wallets', () => site.wallet('nobody')],
    ['/v1/policies', () => site.policy('nobody')],
    ['/v1/key_quorums', () => site.quorum([owner], 1)],
    [
      '/v1/webhooks',
      async () =>
        (await site.node.make(site.app, '/v1/webhooks', { url: 'http://127.0.0.1:9/' })).id,
    ],
  ])('limit and cursor page through %s', async (path, make) => {
    const made = [await make(), await make(), await make()]
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const query: string = cursor === '' ? 'limit=2' : `limit=2&cursor=${cursor}`
      const page = await list(`${path}?${query}`)
      expect(page.data.length).toBeLessThanOrEqual(2)
      seen.push(...page.data.map(({ id }) => id))
      cursor = page.next_cursor
    }
    expect(seen).toEqual(expect.arrayContaining(made))
    expect(new Set(seen).size).toBe(seen.length)
  })

  test('address and external_id find wallets, and archived ones only if requested', async () => {
    const body = { chain_type: 'ethereum', external_id: 'order-17' }
    const { id, address } = await site.node.make(site.app, '/v1/wallets', body)
    const ids = async (query: string) =>
      (await list(`/v1/wallets?${query}`)).data.map((one) => one.id)
    expect(await ids(`address=${address}`)).toEqual([id])
    expect(await ids('external_id=order-17&chain_type=ethereum')).toEqual([id])
    await site.node.make(site.app, `/v1/wallets/${id}/archive`, undefined)
    expect(await ids('external_id=order-17')).toEqual([])
    expect(await ids('external_id=order-17&include_archived=true')).toEqual([id])
    for (const path of ['', '/balance', '/transactions']) {
      const status = async (query: string) =>
        (await site.node.ask(site.app, 'GET', `/v1/wallets/${id}${path}${query}`)).status
      expect([await status(''), await status('?include_archived=true')]).toEqual([404, 200])
    }
    const restored = await site.node.make(site.app, `/v1/wallets/${id}/restore`, undefined)
    expect(restored).toMatchObject({ id, archived_at: null })
    expect(await ids('external_id=order-17')).toEqual([id])
    const rpc = { method: 'personal_sign', params: { message: 'signs again' } }
    expect((await site.node.ask(site.app, 'POST', `/v1/wallets/${id}/rpc`, rpc)).status).toBe(200)
  })

  test('hash and chain find transactions', async () => {
    const wallet = await site.wallet('nobody')
    const id = await site.transaction(wallet, 'nobody')
    const found = async (query: string) => {
      const path = `/v1/wallets/${wallet}/transactions?${query}`
      const { body } = await site.node.ask(site.app, 'GET', path)
      return body.transactions.map((one: { readonly id: string }) => one.id)
    }
    const { body } = await site.node.ask(site.app, 'GET', `/v1/transactions/${id}`)
    expect(await found(`tx_hash=${body.transaction_hash}`)).toEqual([id])
    expect(await found(`tx_hash=0x${'1'.repeat(64)}`)).toEqual([])
    expect(await found('chain=eip155:31337')).toEqual([id])
    expect(await found('chain=eip155:1')).toEqual([])
  })

  test('asset and token select the balance, and cause an error if invalid', async () => {
    const wallet = await site.wallet('nobody')
    const { address } = (await site.node.ask(site.app, 'GET', `/v1/wallets/${wallet}`)).body
    const account = privateKeyToAccount(DEV_ACCOUNTS[0]?.privateKey as Hex)
    const { rpc } = site.node.daemon.ready
    const transport = http(rpc)
    const bank = createWalletClient({ account, chain: hardhat, transport }).extend(publicActions)
    await call(rpc, 'anvil_setBalance', [address, '0xde0b6b3a7640000'])
    const paid = { address: TOKEN, abi: erc20Abi, functionName: 'transfer' } as const
    await bank.writeContract({ ...paid, args: [address, 1_500_000n] })
    await call(rpc, 'evm_mine', [])
    const read = (query: string) =>
      site.node.ask(site.app, 'GET', `/v1/wallets/${wallet}/balance?${query}`)
    const balances = async (query: string) => {
      const { body, text } = await read(query)
      expect(body.balances, text).toHaveLength(1)
      const [{ asset, chain, raw_value, raw_value_decimals, display_values }] = body.balances
      return [chain, asset, raw_value, raw_value_decimals, display_values[asset]]
    }
    const own = 'eip155:31337'
    const coins = [own, 'eth', `${10n ** 18n}`, 18, '1']
    const usdc = [own, 'usdc', '1500000', 6, '1.5']
    expect(await balances('')).toEqual(coins)
    expect(await balances('asset=eth')).toEqual(coins)
    expect(await balances(`asset=usdc&chain=${own}`)).toEqual(usdc)
    expect(await balances('asset=usdc')).toEqual(usdc)
    const token = TOKEN.toLowerCase()
    expect(await balances(`token=${own}:${TOKEN}`)).toEqual([own, token, '1500000', 6, '1.5'])
    expectInvalid(await read('asset=doge'), '"doge"')
    expectInvalid(await read(`token=${own}:${address}`), 'has no ERC-20 token')
    expectInvalid(await read('token=usdc'), 'pass chain and contract')
    expectInvalid(await read(`asset=usdc&token=${own}:${TOKEN}`), 'do not pass asset or chain')
    expectInvalid(await read('include_currency=usd'), 'include_currency')
    expect((await read('chain=eip155:1')).body.code).toBe('unsupported_chain')
  })
})
