import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  encodeFrame,
  MAX_FRAME_BYTES,
  SignerFrameReader,
} from '../../../../host/wallet/signer/frame.ts'
import { makeRandom, runSeed } from '../../../support/random.ts'
import { newAuthorizationKey } from '../../../support/wallet/authorization-key.ts'
import { askedOf, startSigner, type TestSigner } from '../../../support/wallet/signer-socket.ts'

const seed = runSeed()
const owner = newAuthorizationKey()

let signer: TestSigner
let id: string

beforeAll(async () => {
  signer = await startSigner()
  const body = { chain_type: 'ethereum', owner: { public_key: owner.publicKey } }
  id = (await signer.ask({ path: '/v1/wallets', body })).id as string
})
afterAll(() => signer.close())

/** Opens a raw connection to the signer. */
async function open(): Promise<{ socket: Socket; answers: unknown[]; closed: Promise<unknown> }> {
  const socket = connect(signer.socket)
  const answers: unknown[] = []
  const reader = new SignerFrameReader()
  socket.on('data', (piece) => answers.push(...reader.push(piece as Buffer)))
  socket.on('error', () => {})
  const closed = once(socket, 'close')
  await once(socket, 'connect')
  return { socket, answers, closed }
}

/** Sends a message and returns its answer. */
async function exchange(socket: Socket, answers: unknown[], message: unknown): Promise<unknown> {
  const before = answers.length
  socket.write(encodeFrame(message))
  while (answers.length === before) await once(socket, 'data')
  return answers.at(-1)
}

async function expectServed(): Promise<void> {
  const body = { method: 'personal_sign', params: { message: 'x' } }
  const path = `/v1/wallets/${id}/rpc`
  expect((await signer.sign({ path, body, keys: [owner] })).signed.kind).toBe('signature')
}

function header(length: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(length)
  return bytes
}

describe('the signer closes a connection, and no other one, that sends', () => {
  test.each<[string, Buffer]>([
    ['a length of 4 GiB', header(0xffffffff)],
    ['a length beyond the bound', header(MAX_FRAME_BYTES + 1)],
    ['text of another protocol', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['a message of no bytes', header(0)],
    ['a message that is not JSON', Buffer.concat([header(1), Buffer.from('{')])],
    ['a message that is not UTF-8', Buffer.concat([header(3), Buffer.from([0x22, 0xff, 0x22])])],
  ])('%s', async (_, bytes) => {
    const { socket, answers, closed } = await open()
    socket.write(bytes)
    await closed
    expect(answers).toEqual([])
    await expectServed()
  })

  test('half a message, when it hangs up', async () => {
    const frame = encodeFrame({
      id: 1,
      kind: 'ask',
      asked: askedOf({ path: '/v1/wallets', body: {} }),
    })
    const { socket, closed } = await open()
    socket.end(frame.subarray(0, frame.length - 1))
    await closed
    await expectServed()
  })
})

test('the signer reassembles messages however they are split', () => {
  const random = makeRandom(seed)
  const messages = Array.from({ length: 200 }, (_, at) => ({
    at,
    text: 'é'.repeat(random() * 300),
  }))
  const bytes = Buffer.concat(messages.map((message) => encodeFrame(message)))
  const reader = new SignerFrameReader()
  const read: unknown[] = []
  for (let at = 0; at < bytes.length; ) {
    const length = 1 + Math.floor(random() ** 3 * 2_000)
    read.push(...reader.push(bytes.subarray(at, at + length)))
    at += length
  }
  expect(read, `seed ${seed}`).toEqual(messages)
})

const asked = () => askedOf({ path: `/v1/wallets/${id}`, method: 'GET' })

test.each<[string, () => unknown]>([
  ['nothing', () => null],
  ['an array', () => []],
  ['no number', () => ({ kind: 'ask', asked: asked() })],
  ['a number below zero', () => ({ id: -1, kind: 'ask', asked: asked() })],
  ['no kind', () => ({ id: 1, asked: asked() })],
  ['another kind', () => ({ id: 1, kind: 'constructor', asked: asked() })],
  ['no request', () => ({ id: 1, kind: 'ask' })],
  ['no app', () => ({ id: 1, kind: 'ask', asked: { ...asked(), appId: '' } })],
  [
    'a signature that is a number',
    () => ({
      id: 1,
      kind: 'sign',
      asked: { ...asked(), request: { ...asked().request, signatures: [1] } },
    }),
  ],
  [
    'a header that is an object',
    () => ({
      id: 1,
      kind: 'sign',
      asked: { ...asked(), request: { ...asked().request, headers: { 'privy-app-id': {} } } },
    }),
  ],
  [
    'a body that is an object',
    () => ({
      id: 1,
      kind: 'sign',
      asked: { ...asked(), request: { ...asked().request, body: {} } },
    }),
  ],
  [
    'another method',
    () => ({
      id: 1,
      kind: 'ask',
      asked: { ...asked(), request: { ...asked().request, method: 'TRACE' } },
    }),
  ],
  [
    'a filling that is a number',
    () => ({
      id: 1,
      kind: 'sign',
      asked: asked(),
      filled: { chainId: 1, nonce: '0x1', gas: '0x1' },
    }),
  ],
  [
    'a filling below zero',
    () => ({
      id: 1,
      kind: 'sign',
      asked: asked(),
      filled: { chainId: '0x1', nonce: '-0x1', gas: '0x1' },
    }),
  ],
  [
    'a filling without a nonce',
    () => ({ id: 1, kind: 'sign', asked: asked(), filled: { chainId: '0x1', gas: '0x1' } }),
  ],
])('a message with %s is refused with an explanation', async (_, message) => {
  const { socket, answers } = await open()
  expect(await exchange(socket, answers, message())).toMatchObject({
    error: { code: 'invalid_data', message: expect.any(String) },
  })
  socket.destroy()
})

test.each([
  '/v1/wallets/../wallets',
  '/v1/wallets/%2e%2e',
  '//v1/wallets',
  '/v2/wallets',
  '/v1',
  '',
  '/v1/wallets/a b',
  '/v1/webhooks',
  `/v1/wallets/${'a'.repeat(65)}`,
])('the signer serves nothing at "%s"', async (path) => {
  await expect(signer.ask({ method: 'GET', path })).rejects.toMatchObject({ code: 'not_found' })
})

test(`ten thousand random messages each get an answer, and none a signature (seed ${seed})`, async () => {
  const random = makeRandom(seed)
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
  const scalars = [
    null,
    true,
    0,
    -1,
    1e300,
    2 ** 53,
    '',
    '0x',
    '__proto__',
    '\u0000',
    'a'.repeat(300),
    {},
    [],
  ]
  const names = [
    'id',
    'kind',
    'asked',
    'filled',
    'appId',
    'requestId',
    'request',
    'method',
    'path',
    'body',
    'headers',
    'signatures',
    'params',
    'transaction',
    'toString',
  ]
  const value = (depth: number): unknown => {
    if (depth === 0 || random() < 0.4) return pick(scalars)
    if (random() < 0.3) return Array.from({ length: random() * 4 }, () => value(depth - 1))
    return Object.fromEntries(
      Array.from({ length: random() * 5 }, () => [pick(names), value(depth - 1)]),
    )
  }
  /** Returns a valid message with one member, at any depth, replaced or deleted. */
  const damaged = (good: unknown): unknown => {
    if (typeof good !== 'object' || good === null || random() < 0.15) return value(2)
    const keys = Object.keys(good)
    if (keys.length === 0) return value(2)
    const key = pick(keys)
    const members: Record<string, unknown> = { ...(good as Record<string, unknown>) }
    if (random() < 0.1) delete members[key]
    else members[key] = damaged(members[key])
    return Array.isArray(good) ? Object.values(members) : members
  }
  const bodies = [
    { method: 'personal_sign', params: { message: 'x' } },
    { method: 'eth_signTransaction', params: { transaction: { to: null, chain_id: 1 } } },
    { policy_ids: [], owner: null },
    { chain_type: 'ethereum', additional_signers: [{ signer_id: 'x' }] },
    { version: '1.0', name: 'x', chain_type: 'ethereum', rules: [] },
  ]
  const paths = [
    `/v1/wallets/${id}/rpc`,
    `/v1/wallets/${id}`,
    '/v1/wallets',
    '/v1/policies',
    `/v1/wallets/${id}/export`,
  ]
  const question = (number: number): unknown => {
    const good = askedOf({
      method: pick(['POST', 'PATCH', 'GET', 'DELETE']),
      path: pick(paths),
      body: damaged(pick(bodies)),
    })
    const message = {
      id: number,
      kind: pick(['ask', 'sign']),
      asked: good,
      filled: { chainId: '0x1', nonce: '0x0', gas: '0x1', gasPrice: '0x1' },
    }
    return random() < 0.5 ? message : { ...(damaged(message) as object), id: number }
  }
  const { socket, answers } = await open()
  const count = 10_000
  for (let number = 0; number < count; number++) {
    if (!socket.write(encodeFrame(question(number)))) await once(socket, 'drain')
  }
  while (answers.length < count) await once(socket, 'data')
  socket.destroy()
  const found = answers as { id: number; value?: { signed?: unknown }; error?: { code: string } }[]
  expect(new Set(found.map((answer) => answer.id)).size).toBe(count)
  expect(found.filter(({ value: answered }) => answered?.signed !== undefined)).toEqual([])
  expect(found.filter(({ error }) => error?.code === 'internal_error')).toEqual([])
  expect(signer.logged.filter((line) => line.includes('fault'))).toEqual([])
  await expectServed()
})
