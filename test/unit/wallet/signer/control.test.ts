import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeRandom, runSeed } from '../../../support/random.ts'
import {
  type AuthorizationKey,
  newAuthorizationKey,
} from '../../../support/wallet/authorization-key.ts'
import { type Ask, startSigner, type TestSigner } from '../../../support/wallet/signer-socket.ts'

const owner = newAuthorizationKey()
const next = newAuthorizationKey()
const owned = { owner: { public_key: owner.publicKey } }
const MESSAGE = { method: 'personal_sign', params: { message: 'hello' } }

let signer: TestSigner
beforeAll(async () => {
  signer = await startSigner()
})
afterAll(() => signer.close())

const post = (path: string, body: object, ask: Partial<Ask> = {}) =>
  signer.ask({ path, body, ...ask }) as Promise<Record<string, unknown> & { id: string }>
const get = (path: string) => signer.ask({ method: 'GET', path })
const wallet = (members: object = {}) => post('/v1/wallets', { chain_type: 'ethereum', ...members })
const allow = (method: string) => ({ name: method, method, action: 'ALLOW', conditions: [] })
const policy = (members: object = {}) =>
  post('/v1/policies', {
    version: '1.0',
    name: 'messages',
    chain_type: 'ethereum',
    rules: [allow('personal_sign')],
    ...members,
  })
const codeOf = (answer: Promise<unknown>): Promise<string> =>
  answer.then(
    () => 'done',
    ({ code }) => code,
  )

describe('a policy', () => {
  test('is changed only by its owner, with all its rules', async () => {
    const { id, rules } = await policy(owned)
    const [rule] = rules as [{ id: string }]
    const path = `/v1/policies/${id}`
    const changes: Ask[] = [
      { method: 'PATCH', path, body: { name: 'other' } },
      { method: 'PATCH', path, body: { owner: null } },
      { method: 'POST', path: `${path}/rules`, body: allow('*') },
      { method: 'PATCH', path: `${path}/rules/${rule.id}`, body: allow('*') },
      { method: 'DELETE', path: `${path}/rules/${rule.id}` },
      { method: 'DELETE', path },
    ]
    for (const ask of changes) {
      expect(await codeOf(signer.ask(ask))).toBe('missing_or_empty_authorization_header')
      expect(await codeOf(signer.ask({ ...ask, keys: [next] }))).toBe(
        'zero_correct_authorization_signatures',
      )
    }
    expect((await get(path)).rules).toEqual(rules)
    const keys = [owner]
    const made = await signer.ask({ ...(changes[2] as Ask), keys })
    expect(await get(`${path}/rules/${made.id}`)).toEqual(made)
    const changed = await signer.ask({ ...(changes[3] as Ask), keys })
    expect(changed).toEqual({ ...allow('*'), id: rule.id })
    expect((await get(path)).rules).toEqual([changed, made])
    expect(await signer.ask({ ...(changes[4] as Ask), keys })).toEqual({ success: true })
    expect((await get(path)).rules).toEqual([made])
    expect(await signer.ask({ ...(changes[5] as Ask), keys })).toEqual({ success: true })
    expect(await codeOf(get(path))).toBe('not_found')
  })

  test('cannot be deleted while a wallet uses it, which would otherwise sign everything', async () => {
    const { id } = await policy()
    const made = await wallet({ policy_ids: [id] })
    const remove: Ask = { method: 'DELETE', path: `/v1/policies/${id}` }
    expect(await codeOf(signer.ask(remove))).toBe('in_use')
    await signer.ask({ method: 'PATCH', path: `/v1/wallets/${made.id}`, body: { policy_ids: [] } })
    expect(await codeOf(signer.ask(remove))).toBe('done')
    expect(await codeOf(wallet({ policy_ids: [id] }))).toBe('not_found')
  })

  test('applies from its change on', async () => {
    const { id } = await policy()
    const made = await wallet({ policy_ids: [id] })
    const sign = () => codeOf(signer.sign({ path: `/v1/wallets/${made.id}/rpc`, body: MESSAGE }))
    expect(await sign()).toBe('done')
    const path = `/v1/policies/${id}`
    await signer.ask({ method: 'PATCH', path, body: { rules: [allow('eth_sendTransaction')] } })
    expect(await sign()).toBe('policy_violation')
    await signer.ask({ method: 'PATCH', path, body: { rules: [] } })
    expect(await sign()).toBe('policy_violation')
  })

  test('of another app does not exist', async () => {
    const { id } = await policy()
    const app = 'app-2'
    expect(
      await codeOf(post('/v1/wallets', { chain_type: 'ethereum', policy_ids: [id] }, { app })),
    ).toBe('not_found')
    expect(await codeOf(signer.ask({ method: 'GET', path: `/v1/policies/${id}`, app }))).toBe(
      'not_found',
    )
    expect(await codeOf(signer.ask({ method: 'DELETE', path: `/v1/policies/${id}`, app }))).toBe(
      'not_found',
    )
  })

  test('is required if the service signs nothing without one', async () => {
    const strict = await startSigner({ requirePolicy: true })
    const made = await strict.ask({ path: '/v1/wallets', body: { chain_type: 'ethereum' } })
    await expect(
      strict.sign({ path: `/v1/wallets/${made.id}/rpc`, body: MESSAGE }),
    ).rejects.toMatchObject({ code: 'policy_violation' })
    await strict.close()
  })
})

describe('a denial of the signer', () => {
  test('names the rule and is recorded', async () => {
    const { id } = await policy({ rules: [allow('eth_sendTransaction')] })
    const made = await wallet({ policy_ids: [id] })
    await expect(
      signer.sign({ path: `/v1/wallets/${made.id}/rpc`, body: MESSAGE }),
    ).rejects.toMatchObject({
      message: 'RPC request denied due to policy violation',
      details: { reason: 'no rule allows personal_sign', rules: [] },
    })
    expect(signer.audited().at(-1)).toMatchObject({ kind: 'wallet.refused', subject: made.id })
  })
})

describe('the owner of a wallet', () => {
  test('hands a wallet over and has no rights afterwards', async () => {
    const { id } = await wallet(owned)
    const path = `/v1/wallets/${id}`
    const hand: Ask = { method: 'PATCH', path, body: { owner: { public_key: next.publicKey } } }
    expect(await codeOf(signer.ask({ ...hand, keys: [next] }))).toBe(
      'zero_correct_authorization_signatures',
    )
    await signer.ask({ ...hand, keys: [owner] })
    const sign = (key: AuthorizationKey) =>
      codeOf(signer.sign({ path: `${path}/rpc`, body: MESSAGE, keys: [key] }))
    expect(await sign(owner)).toBe('zero_correct_authorization_signatures')
    expect(await sign(next)).toBe('done')
  })

  test('archives a wallet, which then signs nothing', async () => {
    const { id } = await wallet(owned)
    const path = `/v1/wallets/${id}`
    expect(await codeOf(post(`${path}/archive`, {}))).toBe('missing_or_empty_authorization_header')
    await post(`${path}/archive`, {}, { keys: [owner] })
    expect(await codeOf(signer.sign({ path: `${path}/rpc`, body: MESSAGE, keys: [owner] }))).toBe(
      'wallet_archived',
    )
  })

  test.each([
    ['a text', { public_key: 'owner' }],
    [
      'a key of another curve',
      {
        public_key:
          'MFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAEeb5mfvncu6xVoGKVzocLBwKb/NstzijZWfKBWxb4F5hIOtp3JqPEZV2k+/wOEQio/Re0SKaFVBmcR9CP+xDUuA==',
      },
    ],
  ])('cannot be %s', async (_, asked) => {
    expect(await codeOf(wallet({ owner: asked }))).toBe('invalid_data')
  })

  test('cannot be a quorum that does not exist', async () => {
    expect(await codeOf(wallet({ owner_id: 'nobody' }))).toBe('not_found')
    expect(await codeOf(wallet({ additional_signers: [{ signer_id: 'nobody' }] }))).toBe(
      'not_found',
    )
    await expect(wallet({ authorization_key_ids: ['nobody'] })).rejects.toMatchObject({
      code: 'invalid_authorization_key_ids',
      message: 'Invalid authorization key IDs',
    })
  })

  test('may be several registered keys, which then must all sign', async () => {
    const ids = await Promise.all(
      [owner, next].map(
        async ({ publicKey }) => (await post('/v1/key_quorums', { public_keys: [publicKey] })).id,
      ),
    )
    const both = await wallet({ authorization_key_ids: ids })
    const sign = (id: string, keys: AuthorizationKey[]) =>
      codeOf(signer.sign({ path: `/v1/wallets/${id}/rpc`, body: MESSAGE, keys }))
    expect(await sign(both.id, [owner])).toBe('insufficient_correct_authorization_signatures')
    expect(await sign(both.id, [owner, next])).toBe('done')
    const either = await wallet({ authorization_key_ids: ids, authorization_threshold: 1 })
    expect(await sign(either.id, [next])).toBe('done')
    const one = await wallet({ authorization_key_ids: [ids[0]] })
    expect(one.owner_id).toBe(ids[0])
  })
})

describe('a key quorum', () => {
  test('owns itself and cannot be deleted while it owns something', async () => {
    const { id } = await post('/v1/key_quorums', { public_keys: [owner.publicKey] })
    const path = `/v1/key_quorums/${id}`
    const patch: Ask = { method: 'PATCH', path, body: { public_keys: [next.publicKey] } }
    expect(await codeOf(signer.ask(patch))).toBe('missing_or_empty_authorization_header')
    expect(await codeOf(signer.ask({ ...patch, keys: [next] }))).toBe(
      'zero_correct_authorization_signatures',
    )
    const made = await wallet({ owner_id: id })
    await signer.ask({ ...patch, keys: [owner] })
    const sign = (key: AuthorizationKey) =>
      codeOf(signer.sign({ path: `/v1/wallets/${made.id}/rpc`, body: MESSAGE, keys: [key] }))
    expect(await sign(owner)).toBe('zero_correct_authorization_signatures')
    expect(await sign(next)).toBe('done')
    const remove: Ask = { method: 'DELETE', path, keys: [next] }
    expect(await codeOf(signer.ask(remove))).toBe('in_use')
  })

  test.each<[string, object]>([
    ['no members', {}],
    ['a member twice', { public_keys: [owner.publicKey, owner.publicKey] }],
    ['a member twice in two spellings', { public_keys: [owner.publicKey, compressed(owner)] }],
    ['a threshold of none', { public_keys: [owner.publicKey], authorization_threshold: 0 }],
    [
      'a threshold above its members',
      { public_keys: [owner.publicKey], authorization_threshold: 2 },
    ],
    ['users', { public_keys: [owner.publicKey], user_ids: ['someone'] }],
  ])('is refused with %s', async (_, members) => {
    expect(await codeOf(post('/v1/key_quorums', members))).toBe('invalid_data')
  })

  test('requires all members without a threshold', async () => {
    const public_keys = [owner.publicKey, next.publicKey]
    expect(await post('/v1/key_quorums', { public_keys })).toMatchObject({
      authorization_threshold: 2,
    })
  })
})

/** Returns the same key with a compressed point. */
function compressed({ publicKey }: AuthorizationKey): string {
  const der = Buffer.from(publicKey, 'base64')
  const point = der.subarray(-65)
  const short = Buffer.concat([Buffer.of(2 + ((point[64] as number) & 1)), point.subarray(1, 33)])
  const head = Buffer.from(der.subarray(0, der.length - 65))
  head[1] = (head[1] as number) - 32
  head[head.length - 2] = (head[head.length - 2] as number) - 32
  return Buffer.concat([head, short]).toString('base64')
}

test('wallets of an app are listed in pages', async () => {
  const app = 'app-list'
  const made: string[] = []
  for (let at = 0; at < 7; at++) {
    const body = { chain_type: 'ethereum', external_id: `w-${at}` }
    made.push((await post('/v1/wallets', body, { app })).id)
  }
  const found: string[] = []
  let cursor: unknown = ''
  for (let pages = 0; cursor !== null; pages++) {
    expect(pages).toBeLessThan(3)
    const query = cursor === '' ? '' : `&cursor=${cursor}`
    const page = await signer.ask({ method: 'GET', path: `/v1/wallets?limit=3${query}`, app })
    found.push(...(page.data as { id: string }[]).map(({ id }) => id))
    cursor = page.next_cursor
  }
  expect(found).toEqual(made)
  const one = await signer.ask({ method: 'GET', path: '/v1/wallets?external_id=w-4', app })
  expect(one).toMatchObject({ data: [{ id: made[4] }], next_cursor: null })
  const taken = post('/v1/wallets', { chain_type: 'ethereum', external_id: 'w-4' }, { app })
  expect(await codeOf(taken)).toBe('invalid_data')
})

const seed = runSeed()
test(`a quorum is met if a reference counts enough signatures of it (seed ${seed})`, async () => {
  const random = makeRandom(seed)
  const keys = Array.from({ length: 5 }, newAuthorizationKey)
  const some = (least: number) => {
    const chosen = keys.filter(() => random() < 0.5)
    return chosen.length >= least ? chosen : keys.slice(0, least)
  }
  const between = (most: number) => 1 + Math.floor(random() * most)
  for (let round = 0; round < 60; round++) {
    const direct = some(1)
    // No key is in two groups, since it would be unclear for which of them it signs.
    const inner = keys.filter((key) => !direct.includes(key))
    const needed = inner.length === 0 ? 0 : between(inner.length)
    const nested =
      inner.length === 0
        ? []
        : [
            (
              await post('/v1/key_quorums', {
                public_keys: inner.map(({ publicKey }) => publicKey),
                authorization_threshold: needed,
              })
            ).id,
          ]
    const threshold = between(direct.length + nested.length)
    const { id: owner_id } = await post('/v1/key_quorums', {
      public_keys: direct.map(({ publicKey }) => publicKey),
      key_quorum_ids: nested,
      authorization_threshold: threshold,
    })
    const { id } = await wallet({ owner_id })
    const signers = some(1)
    const order = [...signers, ...signers.filter(() => random() < 0.2)].sort(() => random() - 0.5)
    const approvals =
      signers.filter((key) => direct.includes(key)).length +
      (nested.length > 0 && signers.filter((key) => inner.includes(key)).length >= needed ? 1 : 0)
    const code = await codeOf(
      signer.sign({ path: `/v1/wallets/${id}/rpc`, body: MESSAGE, keys: order }),
    )
    expect(code, `round ${round}`).toBe(
      approvals >= threshold ? 'done' : 'insufficient_correct_authorization_signatures',
    )
  }
})
