import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeHome, removeHome } from '../support/node/daemon.ts'
import { exchange, type RawResponse } from '../support/node/raw-socket.ts'
import { makeRandom, runSeed } from '../support/random.ts'
import type { WalletApp } from '../support/wallet/wallet-node.ts'
import { basic, HandDrivenNode } from './service/hand-driven-node.ts'

const REQUESTS = 10_000
const PARALLEL = 16
const SEED = runSeed()

const home = makeHome()
let node: HandDrivenNode
let app: WalletApp
let wallet: string

beforeAll(async () => {
  node = await HandDrivenNode.start(home, ['--wallets.rate-limit', '0'])
  app = await node.createApp('malformed')
  wallet = (await node.make(app, '/v1/wallets', { chain_type: 'ethereum' })).id
})
afterAll(async () => {
  await node?.daemon.stop()
  removeHome(home)
})

/** Returns a valid signing request. */
function rightRequest(): string[] {
  const body = JSON.stringify({ method: 'personal_sign', params: { message: 'hello' } })
  return [
    `POST /v1/wallets/${wallet}/rpc HTTP/1.1`,
    'host: localhost',
    `authorization: ${basic(app)}`,
    `wallet-app-id: ${app.appId}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ]
}

const BODIES: readonly string[] = [
  '',
  '[',
  '{"method":"personal_sign"',
  '{"method":"personal_sign","method":"secp256k1_sign","params":{"message":"x"}',
  'null',
  '[]',
  '"x"',
  '1e999',
  '{"__proto__":{"method":"personal_sign"}}',
  '{"method":"personal_sign","params":{"message":"\\ud800"}}',
  '{"method":"personal_sign","params":{"message":1}}',
  '{"method":"personal_sign","params":[]}',
  '{"method":"eth_sendTransaction","params":{"transaction":{"value":90071992547409930}}}',
  '{"method":"eth_sendTransaction","caip2":"eip155:-1","params":{"transaction":{}}}',
  '{"method":"eth_sign","params":{}}',
  `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
  `{"method":"personal_sign","params":{"message":"${'x'.repeat(70_000)}`,
]

const CREDENTIALS: readonly string[] = [
  '',
  'Basic',
  'Basic =',
  'Basic %%%%',
  `Basic ${'A'.repeat(4_000)}`,
  'Bearer x',
  `Basic ${Buffer.from('no colon').toString('base64')}`,
  `Basic ${Buffer.from(':').toString('base64')}`,
]

const PATHS: readonly string[] = [
  '/v1/wallets/%00/rpc',
  '/v1/wallets/../apps',
  '/v1//wallets',
  '/v2/wallets',
  `/v1/wallets/${'w'.repeat(3_000)}/rpc`,
  '/v1/wallets?limit=-1',
  '/v1/wallets?cursor=%ff',
]

/** Returns a valid request with one or more faults, none of which may be executed. */
class Malformer {
  readonly #random: () => number

  constructor(random: () => number) {
    this.#random = random
  }

  #pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.#random() * items.length)] as T
  }

  request(): string {
    const lines = rightRequest()
    const [body] = lines.splice(-1)
    const kind = this.#pick(['body', 'credentials', 'path', 'bytes', 'header', 'length'] as const)
    if (kind === 'body') return this.#withBody(lines, this.#pick(BODIES))
    if (kind === 'length') {
      const cut = (body as string).slice(0, Math.floor(this.#random() * (body?.length ?? 0)))
      return this.#withBody(lines, cut)
    }
    if (kind === 'credentials') lines[2] = `authorization: ${this.#pick(CREDENTIALS)}`
    if (kind === 'path') lines[0] = `POST ${this.#pick(PATHS)} HTTP/1.1`
    if (kind === 'header') {
      lines.splice(
        3,
        0,
        this.#pick(['wallet-app-id: x', 'privy-app-id: x', 'wallet-request-expiry: 1']),
      )
    }
    const text = this.#withBody(lines, body as string)
    return kind === 'bytes' ? this.#damaged(text) : text
  }

  #withBody(head: readonly string[], body: string): string {
    const lines = head.map((line) =>
      line.startsWith('content-length:') ? `content-length: ${Buffer.byteLength(body)}` : line,
    )
    return [...lines, body].join('\r\n')
  }

  /** A change of any byte of the credentials is a fault. */
  #damaged(text: string): string {
    const start = text.indexOf('Basic ') + 6
    const at = start + Math.floor(this.#random() * 40)
    const code = text.charCodeAt(at) === 0x41 ? 'B' : 'A'
    return text.slice(0, at) + code + text.slice(at + 1)
  }
}

test(`none of ${REQUESTS} malformed requests is executed, and each gets a response (seed ${SEED})`, async () => {
  const malformer = new Malformer(makeRandom(SEED))
  const seen = new Map<number, number>()
  let left = REQUESTS
  const worker = async () => {
    while (left-- > 0) {
      const text = malformer.request()
      const answer: RawResponse = await exchange(node.port, text)
      const what = `seed ${SEED}: ${text.slice(0, 300)} -> ${answer.status} ${answer.body.slice(0, 300)}`
      expect(answer.status, what).toBeGreaterThanOrEqual(400)
      expect(answer.status, what).toBeLessThan(500)
      if (answer.body.startsWith('{')) {
        expect(JSON.parse(answer.body), what).toMatchObject({
          error: expect.any(String),
          code: expect.any(String),
        })
      }
      expect(answer.body, what).not.toContain(app.appSecret)
      seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: PARALLEL }, worker))
  process.stderr.write(`malformed: ${JSON.stringify(Object.fromEntries(seen))}\n`)
  expect([...seen.keys()].sort()).toEqual(expect.arrayContaining([400, 401, 404]))
  const alive = await exchange(node.port, rightRequest().join('\r\n'))
  expect(alive.status).toBe(200)
  expect(node.daemon.output()).not.toMatch(
    /started again|is restarted|a request to the wallets failed/,
  )
})
