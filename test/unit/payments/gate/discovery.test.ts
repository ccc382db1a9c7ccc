import { expect, test } from 'vitest'
import type { HttpRequest, HttpResponse } from '../../../../host/api/server/server.ts'
import { discoveryHandler } from '../../../../host/payments/gate/discovery.ts'
import { JsonSource } from '../../../../host/payments/gate/json-source.ts'
import type { SoldResource } from '../../../../host/payments/gate/sold-resource.ts'
import { TOKEN, WEATHER } from '../../../support/payments/gate-fixture.ts'

const OTHER = { ...WEATHER.terms, asset: `0x${'0d'.repeat(20)}`, amount: 7n } as const

function sold(path: string, priced: object = { discovery: {} }): SoldResource {
  return {
    path,
    isTree: false,
    methods: ['POST', 'GET'],
    priced: { ...WEATHER, path, ...priced },
    source: new JsonSource(() => ({}), false),
  }
}

const RESOURCES = [
  sold('/secret', {}),
  ...Array.from({ length: 25 }, (_, at) => sold(`/r${at}`)),
  sold('/both', { discovery: { body: { q: 1 } }, otherTerms: [OTHER] }),
]

async function list(query: string, facts: object = {}, publicUrl?: string) {
  const handle = discoveryHandler(RESOURCES, { publicUrl, scheme: 'http' }, 1_700_000_000)
  const headers = new Map([['host', 'shop.example:81']])
  const request = { method: 'GET', query, headers, ...facts } as unknown as HttpRequest
  const answer = (await handle(request)) as HttpResponse
  return { ...answer, json: JSON.parse(answer.body as string) }
}

test('discoverable resources are listed in pages of 20, others never', async () => {
  const first = await list('')
  expect(first.status).toBe(200)
  expect(first.json).toMatchObject({
    x402Version: 2,
    pagination: { limit: 20, offset: 0, total: 26 },
  })
  const rest = await list('offset=20&limit=100')
  const urls = [...first.json.items, ...rest.json.items].map(
    ({ resource }: { readonly resource: string }) => resource,
  )
  expect(urls).toEqual(RESOURCES.slice(1).map(({ path }) => `http://shop.example:81${path}`))
  expect(JSON.stringify([first.json, rest.json])).not.toContain('secret')
})

test('an item has all terms, and how the resource is called', async () => {
  const { json } = await list('offset=25', {}, 'https://pay.example.com')
  const accepted = { scheme: 'exact', network: 'eip155:31337', payTo: WEATHER.terms.payTo }
  expect(json.items).toEqual([
    {
      resource: 'https://pay.example.com/both',
      type: 'http',
      x402Version: 2,
      accepts: [
        expect.objectContaining({ ...accepted, amount: '1000', asset: TOKEN }),
        expect.objectContaining({ ...accepted, amount: '7', asset: OTHER.asset }),
      ],
      lastUpdated: 1_700_000_000,
      description: 'The weather',
      mimeType: 'application/json',
      metadata: {
        description: 'The weather',
        mimeType: 'application/json',
        methods: ['POST', 'GET'],
      },
      extensions: {
        bazaar: expect.objectContaining({
          info: {
            input: { type: 'http', method: 'POST', bodyType: 'json', body: { q: 1 } },
            output: { type: 'json' },
          },
        }),
      },
    },
  ])
})

test('a type other than http has no resources', async () => {
  expect((await list('type=mcp')).json).toMatchObject({ items: [], pagination: { total: 0 } })
  expect((await list('type=http&limit=1')).json.items).toHaveLength(1)
})

test.each(['limit=0', 'limit=101', 'limit=-1', 'limit=1e1', 'limit=', 'limit=9999999999'])(
  'the parameter %s is refused with the rule',
  async (query) => {
    const { status, json } = await list(query)
    expect([status, json]).toEqual([400, { error: 'limit must be a number from 1 to 100' }])
  },
)

test('an offset that is no number is refused, and one beyond the end gives no items', async () => {
  expect((await list('offset=x')).status).toBe(400)
  expect((await list('offset=26')).json.items).toEqual([])
})

test('only GET and HEAD are taken', async () => {
  const { status, headers } = await list('', { method: 'POST' })
  expect([status, headers]).toMatchObject([405, { allow: 'GET, HEAD' }])
})
