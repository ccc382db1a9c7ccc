import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeHome, removeHome } from '../support/node/daemon.ts'
import { signDynamicFee } from '../support/node/dev-wallet.ts'
import type { WalletApp } from '../support/wallet/wallet-node.ts'
import { type Answer, type AskOptions, HandDrivenNode } from './service/hand-driven-node.ts'
import {
  HandKey,
  type HandRequest,
  otherSignature,
  payloadText,
} from './service/hand-made-request.ts'

// Request signatures over real sockets, each with one fault.

const home = makeHome()
const owner = new HandKey()
const stranger = new HandKey()
const BODY = { method: 'personal_sign', params: { message: 'hello' } }
const NONE = 'zero_correct_authorization_signatures'
let node: HandDrivenNode
let app: WalletApp
let wallet: string
/** Another wallet of the same owner. */
let second: string

async function ownedWallet(): Promise<string> {
  const body = { chain_type: 'ethereum', owner: { public_key: owner.public } }
  return (await node.make(app, '/v1/wallets', body)).id
}

beforeAll(async () => {
  node = await HandDrivenNode.start(home)
  app = await node.createApp('agents')
  wallet = await ownedWallet()
  second = await ownedWallet()
})
afterAll(async () => {
  expect(await node?.daemon.stop()).toBe(0)
  removeHome(home)
})

const rpc = () => `/v1/wallets/${wallet}/rpc`

function ask(options: AskOptions = {}, body: unknown = BODY, path = rpc()): Promise<Answer> {
  return node.ask(app, 'POST', path, body, { signedBy: [owner], ...options })
}

/** Returns the text that the owner signs for the usual request. */
function signedText(options: AskOptions = {}, base = node.url): string {
  return payloadText(base, node.request(app, 'POST', rpc(), BODY, options))
}

function expectSigned({ status, body, text }: Answer): void {
  expect({ status, text }).toMatchObject({ status: 200 })
  expect(body.data.signature).toMatch(/^0x[0-9a-f]{130}$/)
}

function expectRefused(answer: Answer, status: number, code: string): void {
  const { body, text } = answer
  expect({ status: answer.status, code: body?.code }, text).toEqual({ status, code })
  expect(text).not.toMatch(/"signature"|"data"/)
}

test('the base request of these tests is accepted, with both header families and base URLs', async () => {
  expectSigned(await ask())
  expectSigned(await ask({ family: 'privy' }))
  expectSigned(await ask({ base: `http://localhost:${node.port}` }))
  expectSigned(await ask({}, BODY, `/api${rpc()}`))
})

test('a request with reordered members and added spaces is the same request', async () => {
  const body = `{ "params" : {"message":"hello"}, "method" :"personal_sign" }`
  expectSigned(await ask({ sent: (request) => ({ ...request, body }) }))
})

test('the other valid signature of the same key is accepted and does not make a new request', async () => {
  const signatures = otherSignature(owner, signedText()).toString('base64')
  expectSigned(await ask({ signatures }))
})

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

test.each<[string, () => string, string]>([
  ['none', () => '', 'missing_or_empty_authorization_header'],
  ['only commas', () => ' , ,', 'missing_or_empty_authorization_header'],
  ['of another key', () => base64(stranger.sign(signedText())), NONE],
  ['cut off by a byte', () => base64(owner.sign(signedText()).subarray(0, -1)), NONE],
  ['longer by a byte', () => base64(Buffer.concat([owner.sign(signedText()), Buffer.of(0)])), NONE],
  ['cut off as text', () => base64(owner.sign(signedText())).slice(0, -5), NONE],
  ['r and s without DER', () => base64(owner.sign(signedText(), 'ieee-p1363')), NONE],
  ['of zeros', () => base64(Buffer.from('3006020100020100', 'hex')), NONE],
  ['an empty sequence', () => base64(Buffer.from('3000', 'hex')), NONE],
  ['no base64', () => '!!!!', NONE],
  ['as hex', () => owner.sign(signedText()).toString('hex'), NONE],
  ['of the text before it was canonical', () => base64(owner.sign(JSON.stringify(BODY))), NONE],
  ['of an empty text', () => base64(owner.sign('')), NONE],
  [
    'beside one that is none',
    () => `${base64(owner.sign(signedText()))},AAAA`,
    'incorrect_quantity_of_authorization_signatures',
  ],
  [
    'beside one of another key',
    () => [owner, stranger].map((key) => base64(key.sign(signedText()))).join(','),
    'incorrect_quantity_of_authorization_signatures',
  ],
])('a request whose signature is %s is refused', async (_, signatures, code) => {
  expectRefused(await ask({ signatures: signatures() }), 401, code)
})

test('a request with four thousand signatures is refused', async () => {
  const answer = await ask({ signatures: 'AA,'.repeat(4_000) })
  expect(answer.status).toBeGreaterThanOrEqual(400)
  expect(answer.status).toBeLessThan(500)
  expect(answer.text).not.toContain('"signature"')
})

type Change = (request: HandRequest) => HandRequest

function withBody(body: unknown): Change {
  return (request) => ({ ...request, body: JSON.stringify(body) })
}

function withHeaders(change: Readonly<Record<string, string | undefined>>): Change {
  return (request) => {
    const all = { ...request.headers, ...change }
    const left = Object.entries(all).filter(([, value]) => value !== undefined)
    return { ...request, headers: Object.fromEntries(left) as Record<string, string> }
  }
}

const IN_A_MINUTE = String(Date.now() + 60_000)
const IN_TWO = String(Date.now() + 120_000)

test.each<[string, AskOptions['headers'], Change]>([
  ['another message', {}, withBody({ ...BODY, params: { message: 'hello!' } })],
  ['another case of the message', {}, withBody({ ...BODY, params: { message: 'Hello' } })],
  ['a text that looks the same', {}, withBody({ ...BODY, params: { message: 'hеllo' } })],
  ['another encoding', {}, withBody({ ...BODY, params: { message: 'hello', encoding: 'utf-8' } })],
  ['a member more', {}, withBody({ ...BODY, chain_type: 'ethereum' })],
  [
    'a member twice, of which the last counts',
    {},
    (request) => ({
      ...request,
      body: request.body
        .replace('{"message":', '{"message":"hello","message":"x","m":')
        .replace(',"m":"hello"', ''),
    }),
  ],
  [
    'another wallet of the same owner',
    {},
    (request) => ({ ...request, path: `/v1/wallets/${second}/rpc` }),
  ],
  ['another base', {}, (request) => ({ ...request, path: `/api${request.path}` })],
  ['an idempotency key that was not signed', {}, withHeaders({ 'wallet-idempotency-key': 'a' })],
  [
    'without the signed idempotency key',
    { 'idempotency-key': 'b' },
    withHeaders({ 'wallet-idempotency-key': undefined }),
  ],
  [
    'another idempotency key',
    { 'idempotency-key': 'c' },
    withHeaders({ 'wallet-idempotency-key': 'd' }),
  ],
  ['an expiry that was not signed', {}, withHeaders({ 'wallet-request-expiry': IN_A_MINUTE })],
  [
    'a later expiry',
    { 'request-expiry': IN_A_MINUTE },
    withHeaders({ 'wallet-request-expiry': IN_TWO }),
  ],
  [
    'without the signed expiry',
    { 'request-expiry': IN_A_MINUTE },
    withHeaders({ 'wallet-request-expiry': undefined }),
  ],
])('a signed request is refused after this change: %s', async (_, headers, sent) => {
  expectRefused(await ask({ headers: headers ?? {}, sent }), 401, NONE)
})

test('a request with the headers of another family than the signed one is refused', async () => {
  const text = signedText({ family: 'wallet' })
  const signatures = base64(owner.sign(text))
  expectRefused(await ask({ family: 'privy', signatures }), 401, NONE)
})

test('a request with different headers of both families is refused', async () => {
  const more = [['privy-idempotency-key', 'other']] as const
  expectRefused(await ask({ more }), 400, 'invalid_data')
})

test.each(['PUT', 'PATCH', 'DELETE'] as const)(
  'a signature for %s is invalid for POST',
  async (method) => {
    const text = payloadText(node.url, node.request(app, method, rpc(), BODY))
    expectRefused(await ask({ signatures: base64(owner.sign(text)) }), 401, NONE)
  },
)

test.each(['http://evil.example', 'https://127.0.0.1:1', 'http://127.0.0.1', ''])(
  'a signature for the base URL "%s" is refused',
  async (base) => {
    const more = base === '' ? [] : ([['x-forwarded-host', new URL(base).host]] as const)
    expectRefused(await ask({ base, more }), 401, NONE)
  },
)

test('a request with an unsigned query is refused', async () => {
  const sent: Change = (request) => ({ ...request, path: `${request.path}?x=1` })
  const answer = await ask({ sent })
  expect([400, 401]).toContain(answer.status)
  expect(answer.text).not.toContain('"signature"')
})

test('a request with two signature headers is refused', async () => {
  const more = [['wallet-authorization-signature', base64(stranger.sign(signedText()))]] as const
  const answer = await ask({ more })
  expect([400, 401]).toContain(answer.status)
  expect(answer.text).not.toContain('"data"')
})

test.each<[string, number, number, string]>([
  ['a second ago', -1_000, 401, 'request_expired'],
  ['in 73 hours', 73 * 3_600_000, 401, 'request_expired'],
])('a request that expires %s is refused', async (_, after, status, code) => {
  const headers = { 'request-expiry': String(Date.now() + after) }
  expectRefused(await ask({ headers }), status, code)
})

test.each(['soon', '1e15', '-1', '0x10', '1.5', '99999999999999999999'])(
  'an expiry of %s is invalid',
  async (expiry) => {
    expectRefused(await ask({ headers: { 'request-expiry': expiry } }), 400, 'invalid_data')
  },
)

test('a transaction with an expiry is sent once, however often its request is repeated', async () => {
  const { address } = (await node.ask(app, 'GET', `/v1/wallets/${wallet}`)).body
  const chainId = node.daemon.ready.chainId
  const caip2 = `eip155:${chainId}`
  await fund(address)
  const transaction = { to: `0x${'11'.repeat(20)}`, value: '0x1', chain_id: chainId }
  const body = { method: 'eth_sendTransaction', caip2, params: { transaction } }
  const request = node.request(app, 'POST', rpc(), body, {
    headers: { 'request-expiry': String(Date.now() + 60_000) },
  })
  const text = payloadText(node.url, request)
  const show = (signature: Buffer) =>
    ask(
      {
        headers: { 'request-expiry': request.headers['wallet-request-expiry'] as string },
        signatures: base64(signature),
      },
      body,
    )
  const first = await show(owner.sign(text))
  expect({ status: first.status, text: first.text }).toMatchObject({ status: 200 })
  const { hash } = first.body
  expect(hash).toBe(first.body.data.hash)
  // The same signature, a new one, and the other valid one of the same text
  const signatures = [owner.sign(text), owner.sign(text), otherSignature(owner, text)]
  const again = await Promise.all([...signatures, ...signatures].map(show))
  expect(new Set(again.map((answer) => answer.body?.data?.hash ?? answer.text))).toEqual(
    new Set([hash]),
  )
  await expect.poll(() => call('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
  expect(await call('eth_getTransactionCount', address, 'pending')).toBe('0x1')
})

async function call(method: string, ...params: unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(node.daemon.ready.rpc, { method: 'POST', headers, body })
  return ((await response.json()) as { result: unknown }).result
}

/** Transfers one whole token from a dev account, for which the node signs. */
async function fund(to: string): Promise<void> {
  const raw = await signedTransfer(to)
  const hash = await call('eth_sendRawTransaction', raw)
  await expect.poll(() => call('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
}

async function signedTransfer(to: string): Promise<string> {
  return signDynamicFee(3, { nonce: 0, to: to as `0x${string}`, value: 10n ** 18n })
}
