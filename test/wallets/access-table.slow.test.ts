import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WALLET_ROUTES, type WalletRoute } from '../../host/wallet/protocol/route-table.ts'
import { makeHome, removeHome } from '../support/node/daemon.ts'
import { call } from '../support/node/json-rpc.ts'
import { AccessSite, cellOf, type Ownership, owner, second, signer } from './service/access-cell.ts'
import { basic, HandDrivenNode } from './service/hand-driven-node.ts'
import type { HandKey } from './service/hand-made-request.ts'
import { asApp, createAgent } from './toolkit/agent-credentials.ts'

// Checks each cell of the table in host/wallet/service/ACCESS.md against the service.

interface TableRow {
  /** Method and path. */
  readonly route: string
  /** Part of what the route does, or an empty string for all of it. */
  readonly what: string
  readonly cells: readonly string[]
}

const PAGE = readFileSync(new URL('../../host/wallet/service/ACCESS.md', import.meta.url), 'utf8')
const [, HEAD = '', LINES = ''] =
  /^\| \| (anonymous .*) \|\n\|[-|]+\|\n((?:\|.*\n)+)/m.exec(PAGE) ?? []
const COLUMNS = HEAD.split(' | ')
const ROWS: readonly TableRow[] = LINES.trim()
  .split('\n')
  .map((line) => {
    const [label = '', ...cells] = line.slice(2, -2).split(' | ')
    const [, route = '', what = ''] = /^`([^`]+)`(?:: (.*))?$/.exec(label) ?? []
    return { route, what, cells }
  })

/** The requests of a column. Each variant must get the same response. */
interface Column {
  readonly strict?: true
  readonly as: 'anonymous' | 'agent' | 'app'
  readonly variants: readonly { readonly owned: Ownership; readonly signedBy: readonly HandKey[] }[]
}

const unsigned = (owned: Ownership) => [{ owned, signedBy: [] }]
const byOwner = [
  { owned: 'a key', signedBy: [owner] },
  { owned: 'a quorum of two', signedBy: [owner, second] },
] as const

const ASKING: Readonly<Record<string, Column>> = {
  anonymous: { as: 'anonymous', variants: unsigned('nobody') },
  agent: { as: 'agent', variants: unsigned('nobody') },
  'agent, owned': { as: 'agent', variants: unsigned('a key') },
  'agent + owner': { as: 'agent', variants: byOwner.slice(0, 1) },
  app: { as: 'app', variants: unsigned('nobody') },
  'app, strict': { as: 'app', strict: true, variants: unsigned('nobody') },
  'app, owned': { as: 'app', variants: unsigned('a key') },
  'app + signer': { as: 'app', variants: [{ owned: 'a key', signedBy: [signer] }] },
  'app + part': { as: 'app', variants: [{ owned: 'a quorum of two', signedBy: [owner] }] },
  'app + owner': { as: 'app', variants: byOwner },
}

const homes = [makeHome(), makeHome()] as const
let usual: AccessSite
let strict: AccessSite
/** Credentials of an agent and its wallet, by the owner of the wallet. */
const agents = new Map<Ownership, { readonly walletId: string; readonly credentials: string }>()

async function openSite(home: string, args: readonly string[]): Promise<AccessSite> {
  const hooks = ['--wallets.webhook-allow-private', 'true']
  const node = await HandDrivenNode.start(home, ['--dev.automine', 'true', ...hooks, ...args])
  await call(node.daemon.ready.rpc, 'evm_setAutomine', [false])
  return new AccessSite(node, await node.createApp('table'))
}

beforeAll(async () => {
  ;[usual, strict] = await Promise.all([
    openSite(homes[0], []),
    openSite(homes[1], ['--wallets.policy-changes', 'owner']),
  ])
  for (const owned of ['nobody', 'a key'] as const) {
    const walletId = await usual.wallet(owned)
    const agent = await createAgent(homes[0], { app: usual.app.appId, wallet: walletId })
    agents.set(owned, { walletId, credentials: basic(asApp(agent)) })
  }
})
afterAll(async () => {
  for (const site of [usual, strict]) expect(await site?.node.daemon.stop()).toBe(0)
  for (const home of homes) removeHome(home)
})

/** Returns the service's response for a column. */
async function answerIn(column: Column, { route, what }: TableRow): Promise<string> {
  const site = column.strict === true ? strict : usual
  const answers = await Promise.all(
    column.variants.map(async ({ owned, signedBy }) => {
      const agent = column.as === 'agent' ? agents.get(owned) : undefined
      const { method, path, body } = await site.target(route, what, owned, agent?.walletId)
      const credentials =
        column.as === 'anonymous'
          ? basic({ ...site.app, appSecret: 'wrong' })
          : (agent?.credentials ?? basic(site.app))
      return cellOf(await site.node.ask(site.app, method, path, body, { signedBy, credentials }))
    }),
  )
  return [...new Set(answers)].join(' or ')
}

describe('the access table', () => {
  test('has every route and a column for each kind of caller', () => {
    const routes = Object.values(WALLET_ROUTES as Readonly<Record<string, WalletRoute>>)
    const named = routes.map(({ method, path }) => `${method} ${path}`)
    expect([...new Set(ROWS.map(({ route }) => route))].sort()).toEqual(named.sort())
    expect(COLUMNS).toEqual(Object.keys(ASKING))
  })

  test.each(ROWS)('has the correct cell for each caller of $route: $what', async (row) => {
    const answers = await Promise.all(Object.values(ASKING).map((column) => answerIn(column, row)))
    const said = (cells: readonly string[]) =>
      Object.fromEntries(COLUMNS.map((name, at) => [name, cells[at]]))
    expect(said(answers)).toEqual(said(row.cells))
  })
})
