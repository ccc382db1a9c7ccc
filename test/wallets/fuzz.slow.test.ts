import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { makeHome, removeHome } from '../support/node/daemon.ts'
import { makeRandom, runSeed } from '../support/random.ts'
import type { WalletApp } from '../support/wallet/wallet-node.ts'
import { basic, HandDrivenNode } from './service/hand-driven-node.ts'
import { type Schema, SchemaValues } from './service/schema-values.ts'

const REQUESTS = 4_000
const PARALLEL = 16
const SEED = runSeed()

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly { name: string; in: string; schema: Schema; $ref?: string }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: Schema }>> }
  readonly responses: Readonly<Record<string, { content: Record<string, { schema: Schema }> }>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const home = makeHome()
let node: HandDrivenNode
let app: WalletApp
let document: Document

beforeAll(async () => {
  node = await HandDrivenNode.start(home)
  app = await node.createApp('fuzzed')
  document = (await (await fetch(`${node.url}/v1/openapi.json`)).json()) as Document
})

afterAll(async () => {
  await node?.daemon.stop()
  removeHome(home)
})

/** Ids of existing objects by their name in paths. Those made during the test are added. */
type Things = Map<string, string[]>

const MADE_BY: Readonly<Record<string, string>> = {
  createWallet: 'wallet_id',
  createPolicy: 'policy_id',
  createKeyQuorum: 'key_quorum_id',
  createWebhook: 'webhook_id',
  createRule: 'rule_id',
}

async function makeThings(): Promise<Things> {
  const bodies: Record<string, [path: string, body: object]> = {
    wallet_id: ['wallets', { chain_type: 'ethereum' }],
    policy_id: [
      'policies',
      {
        version: '1.0',
        name: 'all',
        chain_type: 'ethereum',
        rules: [{ name: 'all', method: '*', action: 'ALLOW', conditions: [] }],
      },
    ],
    webhook_id: ['webhooks', { url: 'https://example.com/' }],
  }
  const things: Things = new Map()
  for (const [name, [path, body]] of Object.entries(bodies)) {
    const { id } = await node.make(app, `/v1/${path}`, body)
    things.set(name, [id])
  }
  return things
}

/** Returns parsers of an operation's responses, by status. */
function readersOf({ responses }: Operation): Map<number, z.ZodType> {
  return new Map(
    Object.entries(responses).map(([status, { content }]) => {
      const schema = content['application/json']?.schema as Schema
      const name = schema.$ref?.slice('#/components/schemas/'.length)
      const found = name === undefined ? schema : document.components.schemas[name]
      return [Number(status), z.fromJSONSchema(found as never)]
    }),
  )
}

test(`each of ${REQUESTS} requests generated from the OpenAPI document gets a documented response (seed ${SEED})`, async () => {
  const random = makeRandom(SEED)
  const identity = { authorization: basic(app), 'wallet-app-id': app.appId }
  const things = await makeThings()
  const ids = [...[...things.values()].flat(), 'nobody']
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      return { path, method: method.toUpperCase(), operation, readers: readersOf(operation) }
    }),
  )
  expect(operations.length).toBeGreaterThan(30)
  const seen = new Map<number, number>()
  const answered = new Set<string>()
  let left = REQUESTS
  const worker = async () => {
    while (left-- > 0) {
      const values = new SchemaValues(random, left % 3 === 0 ? 0 : 0.02, ids)
      const { path, method, operation, readers } = values.pick(operations)
      const target = path.replace(/\{([a-z_]+)\}/g, (_, name: string) =>
        values.pick(values.chance(0.9) ? (things.get(name) ?? ids) : ids),
      )
      const query = new URLSearchParams()
      for (const parameter of operation.parameters ?? []) {
        if (parameter.in === 'query' && values.chance(0.3)) {
          const value = values.value(parameter.schema)
          query.append(parameter.name, typeof value === 'string' ? value : JSON.stringify(value))
        }
      }
      const schema = operation.requestBody?.content['application/json']?.schema
      const body = schema === undefined ? undefined : JSON.stringify(values.value(schema))
      const extra = values.chance(0.2)
        ? { 'wallet-idempotency-key': values.pick(['a', 'b', 'c']) }
        : {}
      const text = query.size === 0 ? target : `${target}?${query}`
      const response = await fetch(`${node.url}${text}`, {
        method,
        headers: { ...identity, 'content-type': 'application/json', ...extra },
        ...(body !== undefined && { body }),
      })
      const { status } = response
      const answer = (await response.json()) as { readonly id: string }
      const what = `seed ${SEED}: ${method} ${text} ${body?.slice(0, 2000)} -> ${status} ${JSON.stringify(answer).slice(0, 500)}`
      const reader = readers.get(status)
      if (reader === undefined || status >= 500) throw new Error(`not in the document: ${what}`)
      const result = reader.safeParse(answer)
      if (!result.success) throw new Error(`not of its shape: ${what}: ${result.error}`)
      seen.set(status, (seen.get(status) ?? 0) + 1)
      if (status !== 200) continue
      answered.add(operation.operationId)
      const kind = MADE_BY[operation.operationId]
      if (kind !== undefined) things.set(kind, [...(things.get(kind) ?? []), answer.id].slice(-5))
    }
  }
  await Promise.all(Array.from({ length: PARALLEL }, worker))
  process.stderr.write(
    `${JSON.stringify(Object.fromEntries(seen))}, 200 from ${answered.size} of ${operations.length}\n`,
  )
  expect(answered.size).toBeGreaterThan(operations.length / 2)
  expect(node.daemon.output()).not.toMatch(
    /a request to the wallets failed|started again|is restarted/,
  )
})
