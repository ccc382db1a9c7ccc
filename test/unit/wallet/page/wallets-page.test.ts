import { expect, test } from 'vitest'
import { localPage } from '../../../../host/api/server/local-page.ts'
import type { HttpRequest, HttpResponse } from '../../../../host/api/server/server.ts'
import { renderWallets } from '../../../../host/wallet/page/wallets-page.ts'
import type { WalletsSource } from '../../../../host/wallet/page/wallets-source.ts'
import type { ApiPolicy } from '../../../../host/wallet/protocol/policy-shapes.ts'
import type { ApiWallet } from '../../../../host/wallet/protocol/wallet.ts'

const EVIL = '<script>alert(1)</script>"&\''
const ESCAPED = '&lt;script&gt;alert(1)&lt;/script&gt;&quot;&amp;&#39;'

const WALLET: ApiWallet = {
  id: 'w1',
  address: '0x00000000000000000000000000000000000000aA',
  public_key: '0x02',
  chain_type: 'ethereum',
  policy_ids: ['p1'],
  owner_id: 'q1',
  additional_signers: [{ signer_id: 'q2' }],
  display_name: EVIL,
  external_id: null,
  created_at: 0,
  exported_at: null,
  imported_at: null,
  archived_at: null,
}

const POLICY: ApiPolicy = {
  id: 'p1',
  version: '1.0',
  name: EVIL,
  chain_type: 'ethereum',
  rules: [
    {
      id: 'r1',
      name: EVIL,
      method: 'eth_sendTransaction',
      action: 'ALLOW',
      conditions: [
        { field_source: 'ethereum_transaction', field: 'value', operator: 'lte', value: '5' },
        {
          field_source: 'ethereum_transaction',
          field: 'to',
          operator: 'in',
          value: ['0xa', '0xb'],
        },
      ],
    },
  ],
  owner_id: null,
  created_at: 0,
}

const SOURCE: WalletsSource = {
  apps: () => [{ id: 'a1', name: EVIL }],
  wallets: async () => [WALLET],
  policies: async () => [POLICY],
  balances: async () => [{ caip2: 'eip155:1', text: '0.5 SEI' }],
  decisions: () => [
    {
      at: 0,
      appId: 'a1',
      walletId: 'w1',
      method: EVIL,
      allowed: false,
      reason: EVIL,
      rules: [
        {
          policy: 'p1',
          rule: 'r1',
          action: 'ALLOW',
          matches: false,
          conditions: [
            { field: 'value', operator: 'lte', expected: '5', actual: '6', holds: false },
            {
              field: 'to',
              operator: 'in',
              expected: [EVIL],
              actual: undefined,
              problem: EVIL,
              holds: false,
            },
          ],
        },
      ],
    },
  ],
  waiting: () => [{ since: 0, until: 1_000, appId: 'a1', request: EVIL, missing: EVIL }],
}

test('the wallets page shows wallets, policies, decisions with their values and pending requests as text', async () => {
  const html = await renderWallets(SOURCE)
  expect(html).not.toContain('<script')
  expect(html).not.toMatch(/<(?:form|a|button|input)[ >]/)
  expect(html).toContain(`<td>${ESCAPED}</td><td>${ESCAPED}</td><td><code>w1</code></td>`)
  expect(html).toContain('<td class="number">0.5 SEI on eip155:1</td>')
  expect(html).toContain('<code>q1, q2</code>')
  expect(html).toContain(
    'ALLOW eth_sendTransaction where ethereum_transaction.value lte 5 and ethereum_transaction.to in [0xa, 0xb]',
  )
  expect(html).toContain(
    `ALLOW r1 does not match (value lte 5: does not hold, it is 6; to in [${ESCAPED}]: does not hold, it is ${ESCAPED})`,
  )
  expect(html).toContain(`<td>1970-01-01T00:00:00.000Z</td><td><code>${ESCAPED}</code></td>`)
})

test('the wallets page shows everything except balances if a chain does not answer', async () => {
  const balances = () => Promise.reject(new Error('down'))
  expect(await renderWallets({ ...SOURCE, balances })).toContain(
    '<td class="number">unknown: a chain does not answer</td>',
  )
})

test('the wallets page says in each part that there is nothing if there is no app', async () => {
  const nothing = { ...SOURCE, apps: () => [], decisions: () => [], waiting: () => [] }
  expect((await renderWallets(nothing)).match(/Nothing yet\./g)).toHaveLength(4)
})

function request(change: Partial<HttpRequest>, headers: Record<string, string> = {}): HttpRequest {
  return {
    method: 'GET',
    path: '/_wallets',
    query: '',
    headers: new Map(Object.entries({ host: '127.0.0.1:8403', ...headers })),
    body: new Uint8Array(0),
    remoteAddress: '127.0.0.1',
    ...change,
  } as HttpRequest
}

test.each<[string, Partial<HttpRequest>, Record<string, string>, number]>([
  ['this machine', {}, {}, 200],
  ['this machine by its name', {}, { host: 'localhost:8403' }, 200],
  ['another machine', { remoteAddress: '10.0.0.2' }, {}, 403],
  ['a page of another site', {}, { host: 'evil.example' }, 403],
  ['somebody behind a proxy', {}, { 'x-forwarded-for': '10.0.0.2' }, 403],
  ['a writer', { method: 'POST' }, {}, 405],
])('the wallets page answers %s correctly', async (_, change, headers, status) => {
  const answer = (await localPage(async () => 'page')(request(change, headers))) as HttpResponse
  expect(answer.status).toBe(status)
  if (status !== 200) return
  expect(answer.headers).toMatchObject({ 'cache-control': 'no-store' })
  expect(answer.headers?.['content-security-policy']).toMatch(
    /^default-src 'none'; style-src 'sha256-/,
  )
})
