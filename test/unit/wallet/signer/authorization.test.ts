import { sign as signDer } from 'node:crypto'
import canonicalize from 'canonicalize'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SignerRequest } from '../../../../host/wallet/signer/signer-link.ts'
import { authorize, newAuthorizationKey } from '../../../support/wallet/authorization-key.ts'
import {
  type Ask,
  askedOf,
  PUBLIC_URL,
  SECOND_URL,
  startSigner,
  type TestSigner,
} from '../../../support/wallet/signer-socket.ts'

const HOUR = 3_600_000

/** Order of P-256. */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

const [owner, second, third, stranger] = Array.from({ length: 4 }, newAuthorizationKey) as [
  ReturnType<typeof newAuthorizationKey>,
  ReturnType<typeof newAuthorizationKey>,
  ReturnType<typeof newAuthorizationKey>,
  ReturnType<typeof newAuthorizationKey>,
]

const MESSAGE = { method: 'personal_sign', params: { message: 'hello' } }

let signer: TestSigner
let owned: string
let unowned: string

beforeAll(async () => {
  signer = await startSigner()
  const wallet = await create({ owner: { public_key: owner.publicKey } })
  owned = wallet.id as string
  unowned = (await create({})).id as string
})
afterAll(() => signer.close())

function create(members: object) {
  return signer.ask({ path: '/v1/wallets', body: { chain_type: 'ethereum', ...members } })
}

async function quorum(members: object): Promise<string> {
  return (await signer.ask({ path: '/v1/key_quorums', body: members })).id as string
}

const rpc = (id: string, ask: Partial<Ask> = {}): Ask => ({
  path: `/v1/wallets/${id}/rpc`,
  body: MESSAGE,
  ...ask,
})

async function codeOf(answer: Promise<unknown>): Promise<string> {
  return await answer.then(
    () => 'signed',
    ({ code }) => code,
  )
}

/** Returns an ask whose request was changed after it was signed. */
function altered(
  ask: Ask,
  change: (request: SignerRequest['request']) => Partial<SignerRequest['request']>,
): SignerRequest {
  const asked = askedOf(ask)
  return { ...asked, request: { ...asked.request, ...change(asked.request) } }
}

/** Returns the same signature with the other s: also valid, but different bytes. */
function malleated(signature: string): string {
  const der = Buffer.from(signature, 'base64')
  const lengthR = der[3] as number
  const r = der.subarray(4, 4 + lengthR)
  const s = BigInt(`0x${der.subarray(6 + lengthR).toString('hex')}`)
  let digits = (ORDER - s).toString(16)
  if (digits.length % 2 === 1) digits = `0${digits}`
  if (Number.parseInt(digits.slice(0, 2), 16) >= 0x80) digits = `00${digits}`
  const other = Buffer.from(digits, 'hex')
  const body = Buffer.concat([Buffer.from([2, r.length]), r, Buffer.from([2, other.length]), other])
  return Buffer.concat([Buffer.from([0x30, body.length]), body]).toString('base64')
}

describe('a request that its owner has signed', () => {
  test.each<[string, Partial<Ask>]>([
    ['with the headers of privy', {}],
    ['with the headers of wallet', { family: 'wallet' }],
    ['over the second public URL', { url: SECOND_URL }],
    ['with an idempotency key', { idempotencyKey: 'key-1' }],
    ['with an expiry', { expiry: Date.now() + HOUR }],
    ['with both', { idempotencyKey: 'key-2', expiry: Date.now() + 71 * HOUR }],
  ])('is accepted %s', async (_, ask) => {
    expect(await codeOf(signer.sign(rpc(owned, { keys: [owner], ...ask })))).toBe('signed')
  })

  test('is accepted with a signature over the path with /api', async () => {
    const path = `/api/v1/wallets/${owned}/rpc`
    expect(await codeOf(signer.sign(rpc(owned, { path, keys: [owner] })))).toBe('signed')
  })

  test('is accepted in any order of its members', async () => {
    const asked = askedOf(rpc(owned, { keys: [owner] }))
    const body = '{ "params": {"message":"\\u0068ello"},\n"method":"personal_sign" }'
    const request = { ...asked.request, body }
    expect(await codeOf(signer.link.sign({ ...asked, request }))).toBe('signed')
  })

  test.each([
    ['', ''],
    ['', {}],
    ['{}', ''],
    ['{}', {}],
  ])('is accepted without a body: sent as "%s", signed as %j', async (body, signed) => {
    const path = `/v1/wallets/${(await create({ owner: { public_key: owner.publicKey } })).id}/archive`
    const asked = altered({ path }, ({ headers }) => ({
      body,
      signatures: [
        authorize(
          { version: 1, method: 'POST', url: PUBLIC_URL + path, body: signed, headers },
          owner,
        ),
      ],
    }))
    expect(await codeOf(signer.link.ask(asked))).toBe('signed')
  })

  test('is accepted with the other valid s, and is the same approval', async () => {
    const asked = altered(rpc(owned, { keys: [owner] }), ({ signatures }) => ({
      signatures: signatures.map(malleated),
    }))
    expect(await codeOf(signer.link.sign(asked))).toBe('signed')
  })
})

describe('the signer refuses a request that', () => {
  test('has no signature, with the error that clients expect', async () => {
    await expect(signer.sign(rpc(owned))).rejects.toMatchObject({
      code: 'missing_or_empty_authorization_header',
      message: 'Missing `privy-authorization-signature` header',
    })
    await expect(signer.sign(rpc(owned, { family: 'wallet' }))).rejects.toMatchObject({
      message: 'Missing `wallet-authorization-signature` header',
    })
  })

  const signed = (ask: Partial<Ask> = {}) => rpc(owned, { keys: [owner], ...ask })
  const changed = (body: object) => JSON.stringify(body)
  test.each<[string, () => SignerRequest]>([
    ['a stranger has signed', () => askedOf(signed({ keys: [stranger] }))],
    [
      'says something else than what was signed',
      () =>
        altered(signed(), () => ({
          body: changed({ method: 'personal_sign', params: { message: 'hellp' } }),
        })),
    ],
    [
      'has a member more',
      () => altered(signed(), () => ({ body: changed({ ...MESSAGE, caip2: 'eip155:1' }) })),
    ],
    [
      'was signed for a URL that is not public',
      () => askedOf(signed({ url: 'https://evil.example' })),
    ],
    [
      'was signed for a URL with a slash at its end',
      () => askedOf(signed({ url: `${SECOND_URL}/` })),
    ],
    ['was signed without /api', () => altered(signed(), ({ path }) => ({ path: `/api${path}` }))],
    [
      'was signed for another wallet',
      () => altered(rpc(unowned, { keys: [owner] }), () => ({ path: `/v1/wallets/${owned}/rpc` })),
    ],
    [
      'was signed with the headers of the other family',
      () => altered(signed(), () => ({ headers: { 'wallet-app-id': 'app-1' } })),
    ],
    [
      'has another idempotency key',
      () =>
        altered(signed({ idempotencyKey: 'a' }), ({ headers }) => ({
          headers: { ...headers, 'privy-idempotency-key': 'b' },
        })),
    ],
    [
      'has lost its expiry',
      () =>
        altered(signed({ expiry: Date.now() + HOUR }), () => ({
          headers: { 'privy-app-id': 'app-1' },
        })),
    ],
    [
      'expires later than was signed',
      () =>
        altered(signed({ expiry: Date.now() + HOUR }), ({ headers }) => ({
          headers: { ...headers, 'privy-request-expiry': `${Date.now() + 2 * HOUR}` },
        })),
    ],
    [
      'has a signature cut short',
      () =>
        altered(signed(), ({ signatures: [text = ''] }) => ({
          signatures: [Buffer.from(text, 'base64').subarray(0, -1).toString('base64')],
        })),
    ],
    [
      'has a signature with a byte more',
      () =>
        altered(signed(), ({ signatures: [text = ''] }) => ({
          signatures: [
            Buffer.concat([Buffer.from(text, 'base64'), Buffer.of(0)]).toString('base64'),
          ],
        })),
    ],
    [
      'has a signature in another base64',
      () =>
        altered(signed(), ({ signatures: [text = ''] }) => ({
          signatures: [`${text.slice(0, 4)}\n${text.slice(4)}`],
        })),
    ],
    ['has an empty signature', () => altered(signed(), () => ({ signatures: [''] }))],
    [
      'has a signature of 64 bytes',
      () =>
        altered(signed(), ({ body }) => ({
          signatures: [
            signDer('sha256', Buffer.from(body), {
              key: owner.privateKey,
              dsaEncoding: 'ieee-p1363',
            }).toString('base64'),
          ],
        })),
    ],
    [
      'was signed over its body alone',
      () =>
        altered(signed(), ({ body }) => ({
          signatures: [
            signDer(
              'sha256',
              Buffer.from(canonicalize(JSON.parse(body)) as string),
              owner.privateKey,
            ).toString('base64'),
          ],
        })),
    ],
  ])('has this defect: %s', async (_, asked) => {
    expect(await codeOf(signer.link.sign(asked()))).toBe('zero_correct_authorization_signatures')
  })

  test('is signed by a stranger in addition to the owner', async () => {
    const code = 'incorrect_quantity_of_authorization_signatures'
    expect(await codeOf(signer.sign(signed({ keys: [owner, stranger] })))).toBe(code)
    expect(await codeOf(signer.sign(signed({ keys: [stranger, owner] })))).toBe(code)
  })

  test('has more signatures than the limit', async () => {
    const keys = Array.from({ length: 21 }, () => owner)
    expect(await codeOf(signer.sign(signed({ keys })))).toBe(
      'incorrect_quantity_of_authorization_signatures',
    )
  })

  test.each([
    ['a moment ago', -1],
    ['an hour ago', -HOUR],
    ['in more than 72 hours', 73 * HOUR],
  ])('expires %s', async (_, milliseconds) => {
    const expiry = Date.now() + milliseconds
    expect(await codeOf(signer.sign(signed({ expiry })))).toBe('request_expired')
    // It applies to unsigned requests too: the sender no longer wanted it executed.
    expect(await codeOf(signer.sign(rpc(unowned, { expiry })))).toBe('request_expired')
  })

  test.each(['soon', '1e13', '-5', '0x1234', ''])('expires at "%s"', async (expiry) => {
    const asked = altered(signed(), ({ headers }) => ({
      headers: { ...headers, 'privy-request-expiry': expiry },
    }))
    expect(await codeOf(signer.link.sign(asked))).toBe('invalid_data')
  })

  test('has headers of both families', async () => {
    const asked = altered(signed(), ({ headers }) => ({
      headers: { ...headers, 'wallet-app-id': 'app-1' },
    }))
    expect(await codeOf(signer.link.sign(asked))).toBe('invalid_data')
  })

  test('names another app in the signed payload', async () => {
    const asked = { ...askedOf(signed({ app: 'app-2' })), appId: 'app-1' }
    expect(await codeOf(signer.link.sign(asked))).toBe('unauthorized')
  })

  test('is for a wallet of another app, as if that did not exist', async () => {
    expect(await codeOf(signer.sign(signed({ app: 'app-2' })))).toBe('not_found')
    const get = { method: 'GET', path: `/v1/wallets/${owned}`, app: 'app-2' } as const
    expect(await codeOf(signer.ask(get))).toBe('not_found')
  })
})

describe('a service that requires expiries', () => {
  test('refuses a signed request without one and accepts one with it', async () => {
    const strict = await startSigner({
      authorization: { publicUrls: [SECOND_URL], requireExpiry: true },
    })
    const { id } = await strict.ask({
      path: '/v1/wallets',
      body: { chain_type: 'ethereum', owner: { public_key: owner.publicKey } },
    })
    const ask = rpc(id as string, { keys: [owner], url: SECOND_URL })
    expect(await codeOf(strict.sign(ask))).toBe('request_expired')
    expect(await codeOf(strict.sign({ ...ask, expiry: Date.now() + HOUR }))).toBe('signed')
    await strict.close()
  })
})

describe('a quorum of two in three', () => {
  let id: string
  beforeAll(async () => {
    const public_keys = [owner, second, third].map(({ publicKey }) => publicKey)
    const owner_id = await quorum({ public_keys, authorization_threshold: 2 })
    id = (await create({ owner_id })).id as string
  })

  test.each([
    ['the first two', [owner, second], 'signed'],
    ['the last and the first', [third, owner], 'signed'],
    ['all three', [owner, second, third], 'signed'],
    ['two, one of them twice', [owner, second, owner], 'signed'],
    ['one alone', [owner], 'insufficient_correct_authorization_signatures'],
    ['one twice', [owner, owner], 'insufficient_correct_authorization_signatures'],
    ['one three times', [third, third, third], 'insufficient_correct_authorization_signatures'],
    [
      'two and a stranger',
      [owner, second, stranger],
      'incorrect_quantity_of_authorization_signatures',
    ],
    ['a stranger', [stranger], 'zero_correct_authorization_signatures'],
  ])('is met by %s: %#', async (_, keys, code) => {
    expect(await codeOf(signer.sign(rpc(id, { keys })))).toBe(code)
  })

  test('is not met by one member whose signature is given in both of its forms', async () => {
    const asked = altered(rpc(id, { keys: [owner] }), ({ signatures: [text = ''] }) => ({
      signatures: [text, malleated(text)],
    }))
    expect(await codeOf(signer.link.sign(asked))).toBe(
      'insufficient_correct_authorization_signatures',
    )
  })

  test('is not met by two members that have signed different URLs', async () => {
    const one = askedOf(rpc(id, { keys: [owner] })).request.signatures
    const other = askedOf(rpc(id, { keys: [second], url: SECOND_URL })).request.signatures
    const asked = altered(rpc(id), () => ({ signatures: [...one, ...other] }))
    expect(await codeOf(signer.link.sign(asked))).toBe(
      'incorrect_quantity_of_authorization_signatures',
    )
  })
})

describe('a quorum within a quorum', () => {
  test('approves as one member if it has reached its own threshold', async () => {
    const inner = await quorum({
      public_keys: [second.publicKey, third.publicKey],
      authorization_threshold: 2,
    })
    const owner_id = await quorum({
      public_keys: [owner.publicKey],
      key_quorum_ids: [inner],
      authorization_threshold: 2,
    })
    const id = (await create({ owner_id })).id as string
    expect(await codeOf(signer.sign(rpc(id, { keys: [owner, second, third] })))).toBe('signed')
    const few = 'insufficient_correct_authorization_signatures'
    expect(await codeOf(signer.sign(rpc(id, { keys: [owner, second] })))).toBe(few)
    expect(await codeOf(signer.sign(rpc(id, { keys: [second, third] })))).toBe(few)
    await expect(quorum({ key_quorum_ids: [owner_id] })).rejects.toMatchObject({
      code: 'invalid_data',
    })
  })

  test('counts a key once, even if it occurs in several places', async () => {
    const inner = await quorum({ public_keys: [owner.publicKey] })
    const owner_id = await quorum({
      public_keys: [owner.publicKey],
      key_quorum_ids: [inner],
      authorization_threshold: 2,
    })
    const id = (await create({ owner_id })).id as string
    expect(await codeOf(signer.sign(rpc(id, { keys: [owner] })))).toBe(
      'insufficient_correct_authorization_signatures',
    )
  })
})

describe('an additional signer', () => {
  const allow = (message: string) => ({
    version: '1.0',
    name: message,
    chain_type: 'ethereum',
    rules: [
      {
        name: message,
        method: 'personal_sign',
        action: 'ALLOW',
        conditions: [{ field_source: 'message', field: 'content', operator: 'eq', value: message }],
      },
    ],
  })
  const say = (message: string) => ({ method: 'personal_sign', params: { message } })
  let id: string

  beforeAll(async () => {
    const [own, other] = await Promise.all(
      ['for the owner', 'for the signer'].map(async (text) => {
        return (await signer.ask({ path: '/v1/policies', body: allow(text) })).id as string
      }),
    )
    const signers = await Promise.all(
      [second, third].map(({ publicKey }) => quorum({ public_keys: [publicKey] })),
    )
    const wallet = await create({
      owner: { public_key: owner.publicKey },
      policy_ids: [own],
      additional_signers: [
        { signer_id: signers[0], override_policy_ids: [other] },
        { signer_id: signers[1] },
      ],
    })
    id = wallet.id as string
  })

  test.each([
    ['the owner', owner, 'for the owner', 'signed'],
    ['the owner', owner, 'for the signer', 'policy_violation'],
    ['a signer', second, 'for the signer', 'signed'],
    ['a signer', second, 'for the owner', 'policy_violation'],
    ['a signer without policies of its own', third, 'for the owner', 'signed'],
    ['a signer without policies of its own', third, 'for the signer', 'policy_violation'],
  ])('has %s evaluated by its own policies: %#', async (_, key, message, code) => {
    expect(await codeOf(signer.sign(rpc(id, { keys: [key], body: say(message) })))).toBe(code)
  })

  test('cannot sign together with another one, since it is unclear whose policies apply', async () => {
    const keys = [second, third]
    expect(await codeOf(signer.sign(rpc(id, { keys, body: say('for the owner') })))).toBe(
      'incorrect_quantity_of_authorization_signatures',
    )
  })

  test.each<[string, 'PATCH' | 'POST', string, object]>([
    ['policies', 'PATCH', '', { policy_ids: [] }],
    ['signers', 'PATCH', '', { additional_signers: [] }],
    ['owner', 'PATCH', '', { owner: null }],
    ['state', 'POST', '/archive', {}],
  ])('cannot change the %s of the wallet', async (_, method, below, body) => {
    const path = `/v1/wallets/${id}${below}`
    expect(await codeOf(signer.ask({ method, path, body, keys: [second] }))).toBe(
      'zero_correct_authorization_signatures',
    )
    expect(await codeOf(signer.ask({ method, path, body }))).toBe(
      'missing_or_empty_authorization_header',
    )
  })
})
