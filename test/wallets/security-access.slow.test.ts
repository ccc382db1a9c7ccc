import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeHome, removeHome } from '../support/node/daemon.ts'
import { exchange, type RawHeaders, requestText } from '../support/node/raw-socket.ts'
import type { WalletApp } from '../support/wallet/wallet-node.ts'
import { type Answer, type AskOptions, basic, HandDrivenNode } from './service/hand-driven-node.ts'
import { HandKey, otherSignature, payloadText } from './service/hand-made-request.ts'

// What apps, owners, quorums and additional signers may do over real sockets, and where secrets may appear.

const home = makeHome()
const BODY = { method: 'personal_sign', params: { message: 'hello' } }
const [first, second, third, stranger] = [0, 1, 2, 3].map(() => new HandKey()) as [
  HandKey,
  HandKey,
  HandKey,
  HandKey,
]
const TOO_FEW = 'insufficient_correct_authorization_signatures'
const WRONG_COUNT = 'incorrect_quantity_of_authorization_signatures'
let node: HandDrivenNode
let ours: WalletApp
let theirs: WalletApp

beforeAll(async () => {
  node = await HandDrivenNode.start(home)
  ours = await node.createApp('ours')
  theirs = await node.createApp('theirs')
})
afterAll(async () => {
  expect(await node?.daemon.stop()).toBe(0)
  removeHome(home)
})

const rpcOf = (id: string) => `/v1/wallets/${id}/rpc`

async function newWallet(app: WalletApp, more: object = {}): Promise<string> {
  return (await node.make(app, '/v1/wallets', { chain_type: 'ethereum', ...more })).id
}

async function newQuorum(app: WalletApp, keys: readonly HandKey[], threshold: number) {
  const body = {
    public_keys: keys.map((key) => key.public),
    authorization_threshold: threshold,
    display_name: 'board',
  }
  return (await node.make(app, '/v1/key_quorums', body)).id as string
}

async function newPolicy(app: WalletApp, action: 'ALLOW' | 'DENY', method = 'personal_sign') {
  const rules = [{ name: action, method, action, conditions: [] }]
  const body = { version: '1.0', name: 'policy', chain_type: 'ethereum', rules }
  return (await node.make(app, '/v1/policies', body)).id as string
}

function expectCode({ status, body, text }: Answer, wanted: number, code: string): void {
  expect({ status, code: body?.code }, text).toEqual({ status: wanted, code })
}

describe('an app', () => {
  const base64 = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

  test('with wrong credentials gets the same error in all cases, which reveals nothing', async () => {
    const { appId, appSecret } = ours
    const wrong = [
      base64(`${appId}:`),
      base64(`${appId}:${'x'.repeat(appSecret.length)}`),
      base64(`${appId}:${appSecret.slice(0, -1)}`),
      base64(`${appId}:${appSecret} `),
      base64(`${appId}:${theirs.appSecret}`),
    ]
    const answers: Answer[] = []
    for (const credentials of wrong) {
      answers.push(await node.ask(ours, 'GET', '/v1/wallets', undefined, { credentials }))
    }
    const unknown = { appId: 'f'.repeat(appId.length), appSecret }
    answers.push(await node.ask(unknown, 'GET', '/v1/wallets'))
    for (const answer of answers) expectCode(answer, 401, 'unauthorized')
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  })

  test.each<[string, () => string]>([
    ['another scheme', () => `Bearer ${ours.appSecret}`],
    ['no base64', () => 'Basic !!!'],
    ['no colon', () => base64(ours.appSecret)],
    ['nothing', () => ''],
  ])('with %s as credentials is refused', async (_, credentials) => {
    const answer = await node.ask(ours, 'GET', '/v1/wallets', undefined, {
      credentials: credentials(),
    })
    expectCode(answer, 401, 'unauthorized')
  })

  test('other than the one in the credentials is refused', async () => {
    const credentials = basic(theirs)
    expectCode(
      await node.ask(ours, 'GET', '/v1/wallets', undefined, { credentials }),
      401,
      'unauthorized',
    )
  })

  test('cannot read, use, change or refer to anything of another app', async () => {
    const wallet = await newWallet(ours)
    const policy = await newPolicy(ours, 'ALLOW')
    const quorum = await newQuorum(ours, [first], 1)
    const signedBy = [first]
    const asked: readonly (readonly ['GET' | 'POST' | 'PATCH' | 'DELETE', string, object?])[] = [
      ['GET', `/v1/wallets/${wallet}`],
      ['POST', rpcOf(wallet), BODY],
      ['POST', `/v1/wallets/${wallet}/raw_sign`, { params: { hash: `0x${'11'.repeat(32)}` } }],
      ['PATCH', `/v1/wallets/${wallet}`, { policy_ids: [] }],
      ['POST', `/v1/wallets/${wallet}/archive`],
      ['GET', `/v1/wallets/${wallet}/balance`],
      ['GET', `/v1/wallets/${wallet}/transactions`],
      ['GET', `/v1/policies/${policy}`],
      ['PATCH', `/v1/policies/${policy}`, { name: 'mine' }],
      ['DELETE', `/v1/policies/${policy}`],
      ['GET', `/v1/key_quorums/${quorum}`],
      ['PATCH', `/v1/key_quorums/${quorum}`, { display_name: 'mine' }],
      ['DELETE', `/v1/key_quorums/${quorum}`],
    ]
    for (const [method, path, body] of asked) {
      const answer = await node.ask(theirs, method, path, body, { signedBy })
      expect({ method, path, status: answer.status }, answer.text).toEqual({
        method,
        path,
        status: 404,
      })
    }
    for (const more of [
      { policy_ids: [policy] },
      { owner_id: quorum },
      { additional_signers: [{ signer_id: quorum }] },
    ]) {
      const body = { chain_type: 'ethereum', ...more }
      const answer = await node.ask(theirs, 'POST', '/v1/wallets', body)
      expect([400, 404], JSON.stringify(more)).toContain(answer.status)
    }
    const { body } = await node.ask(theirs, 'GET', '/v1/wallets')
    expect(body.data.map(({ id }: { id: string }) => id)).not.toContain(wallet)
  })

  test("gets the SDKs' error for an unknown authorization key", async () => {
    const body = { chain_type: 'ethereum', authorization_key_ids: ['unknown'] }
    const answer = await node.ask(ours, 'POST', '/v1/wallets', body)
    expect([answer.status, answer.body.error]).toEqual([400, 'Invalid authorization key IDs'])
  })
})

describe('a quorum of two of three', () => {
  let wallet: string
  const ask = (options: AskOptions) => node.ask(ours, 'POST', rpcOf(wallet), BODY, options)

  beforeAll(async () => {
    const quorum = await newQuorum(ours, [first, second, third], 2)
    wallet = await newWallet(ours, { owner_id: quorum })
  })

  test.each<[string, readonly HandKey[]]>([
    ['two', [first, second]],
    ['two, in another order', [third, first]],
    ['all', [first, second, third]],
  ])('is met by %s', async (_, signedBy) => {
    expect((await ask({ signedBy })).status).toBe(200)
  })

  test.each<[string, readonly HandKey[], string]>([
    ['one', [first], TOO_FEW],
    ['one twice', [first, first], TOO_FEW],
    ['one, ten times', Array.from({ length: 10 }, () => second), TOO_FEW],
    ['one and a stranger', [first, stranger], WRONG_COUNT],
    ['two and a stranger', [first, second, stranger], WRONG_COUNT],
    ['a stranger', [stranger], 'zero_correct_authorization_signatures'],
  ])('is not met by %s', async (_, signedBy, code) => {
    expectCode(await ask({ signedBy }), 401, code)
  })

  test('is not met by both signatures of one key', async () => {
    const text = payloadText(node.url, node.request(ours, 'POST', rpcOf(wallet), BODY))
    const both = [first.sign(text), otherSignature(first, text)]
    const signatures = both.map((bytes) => bytes.toString('base64')).join(',')
    expectCode(await ask({ signatures }), 401, TOO_FEW)
  })

  test('is not met by two members who signed different requests', async () => {
    const other = { ...BODY, params: { message: 'other' } }
    const texts = [BODY, other].map((body) =>
      payloadText(node.url, node.request(ours, 'POST', rpcOf(wallet), body)),
    ) as [string, string]
    const signatures = [first.sign(texts[0]), second.sign(texts[1])]
    const answer = await ask({
      signatures: signatures.map((bytes) => bytes.toString('base64')).join(','),
    })
    expectCode(answer, 401, WRONG_COUNT)
  })

  test('has its pending requests on the wallets page until they are complete', async () => {
    const body = { ...BODY, params: { message: 'wait' } }
    const page = async () => (await fetch(`${node.url}/_wallets`)).text()
    await node.ask(ours, 'POST', rpcOf(wallet), body, { signedBy: [first] })
    const row = `<code>POST ${rpcOf(wallet)} personal_sign</code>`
    const waiting = (html: string) => html.slice(html.indexOf('id="waiting"')).split('<h2')[0]
    expect(waiting(await page())).toContain(row)
    const signedBy = [first, second]
    expect((await node.ask(ours, 'POST', rpcOf(wallet), body, { signedBy })).status).toBe(200)
    expect(await page()).toContain('<td>signed</td>')
  })
})

describe('owners and additional signers', () => {
  test('share a wallet: a signer may use it, and only the owner may change and export it', async () => {
    const denied = await newPolicy(ours, 'DENY')
    const allowed = await newPolicy(ours, 'ALLOW')
    const signer = await newQuorum(ours, [second], 1)
    const wallet = await newWallet(ours, {
      owner: { public_key: first.public },
      policy_ids: [denied],
      additional_signers: [{ signer_id: signer, override_policy_ids: [allowed] }],
    })
    const by = (signedBy: readonly HandKey[]) => ({ signedBy })
    expect((await node.ask(ours, 'POST', rpcOf(wallet), BODY, by([second]))).status).toBe(200)
    expectCode(
      await node.ask(ours, 'POST', rpcOf(wallet), BODY, by([first])),
      400,
      'policy_violation',
    )
    // The signer's own policies do not cover exports, and the signer may not act for the owner
    const recipient = { encryption_type: 'HPKE', recipient_public_key: new HandKey().public }
    const change = { policy_ids: [allowed] }
    const changes = [
      ['PATCH', `/v1/wallets/${wallet}`, change],
      ['POST', `/v1/wallets/${wallet}/export`, recipient],
      ['POST', `/v1/wallets/${wallet}/archive`, undefined],
    ] as const
    for (const [method, path, body] of changes) {
      for (const signedBy of [[], [second], [stranger], [first, second]]) {
        const answer = await node.ask(ours, method, path, body, by(signedBy))
        expect({ path, status: answer.status }, answer.text).toEqual({ path, status: 401 })
      }
    }
    expect(
      (await node.ask(ours, 'PATCH', `/v1/wallets/${wallet}`, change, by([first]))).status,
    ).toBe(200)
    expect((await node.ask(ours, 'POST', rpcOf(wallet), BODY, by([first]))).status).toBe(200)
  })

  test("can change a policy that has an owner only with that owner's signature", async () => {
    const rules = [{ name: 'all', method: '*', action: 'ALLOW', conditions: [] }]
    const common = { version: '1.0', name: 'owned', chain_type: 'ethereum' }
    const owner = { public_key: first.public }
    const { id } = await node.make(ours, '/v1/policies', { ...common, rules: [], owner })
    const path = `/v1/policies/${id}`
    for (const signedBy of [[], [second]]) {
      const asked = [
        await node.ask(ours, 'PATCH', path, { rules }, { signedBy }),
        await node.ask(ours, 'POST', `${path}/rules`, rules[0], { signedBy }),
        await node.ask(ours, 'DELETE', path, undefined, { signedBy }),
      ]
      expect(asked.map(({ status }) => status)).toEqual([401, 401, 401])
    }
    const signedBy = [first]
    expect((await node.ask(ours, 'PATCH', path, { rules }, { signedBy })).status).toBe(200)
  })

  test('get the reason of a policy denial in the format of the SDKs', async () => {
    const policy = await newPolicy(ours, 'ALLOW', 'eth_signTransaction')
    const wallet = await newWallet(ours, { policy_ids: [policy] })
    const answer = await node.ask(ours, 'POST', rpcOf(wallet), BODY)
    expectCode(answer, 400, 'policy_violation')
    expect(answer.body.error).toBe('RPC request denied due to policy violation')
    expect(answer.body.reason).toMatch(/\S/)
  })
})

describe('the wallet service', () => {
  /** Returns every file below a folder. */
  function filesOf(folder: string): string[] {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
    return entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name))
  }

  test('puts no secret into a log, a response, a wallet file or a process argument', async () => {
    const key = readFileSync(join(home, 'config/wallets_master_key'), 'latin1').trim()
    expect(key.length).toBeGreaterThanOrEqual(64)
    const secrets = [ours.appSecret, theirs.appSecret, key, basic(ours).slice(6)]
    // Failing requests of each kind that a log may mention
    await node.ask(ours, 'POST', '/v1/wallets', { [ours.appSecret]: ours.appSecret })
    await node.ask(ours, 'GET', `/v1/wallets/${ours.appSecret}`)
    // Errors about its own path and body may contain what the caller sent. Later errors may not
    node.refusals.length = 0
    await node.ask(ours, 'GET', '/v1/wallets', undefined, {
      credentials: `Basic ${ours.appSecret}`,
    })
    const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
    const told = processes.flatMap((pid) =>
      ['cmdline', 'environ'].map((name) => {
        try {
          return readFileSync(`/proc/${pid}/${name}`, 'latin1')
        } catch {
          return ''
        }
      }),
    )
    const files = filesOf(join(home, 'wallets'))
    // The search covers both databases, the processes and the log
    expect(files.filter((path) => /\/(?:signer|service)\.db$/.test(path))).toHaveLength(2)
    expect(told.join('\n')).toContain('signer-main')
    expect(node.daemon.output()).toContain('wallets')
    const places = {
      log: node.daemon.output(),
      answers: node.refusals.join('\n'),
      processes: told.join('\n'),
      ...Object.fromEntries(files.map((path) => [path, readFileSync(path, 'latin1')])),
    }
    for (const [place, text] of Object.entries(places)) {
      for (const secret of secrets) {
        for (const spelling of [secret, Buffer.from(secret).toString('base64')]) {
          expect(text.includes(spelling), `${place} has a secret`).toBe(false)
        }
      }
    }
  })

  test('sends responses that browsers do not cache, sniff or show to other origins', async () => {
    const { headers } = await node.ask(ours, 'GET', '/v1/wallets')
    expect(headers.get('cache-control')).toEqual(['no-store'])
    expect(headers.get('x-content-type-options')).toEqual(['nosniff'])
    const preflight: RawHeaders = [
      ['origin', 'https://evil.example'],
      ['access-control-request-method', 'POST'],
      ['access-control-request-headers', 'authorization'],
    ]
    const answer = await exchange(node.port, requestText('OPTIONS', '/v1/wallets', preflight))
    expect(answer.headers.has('access-control-allow-origin')).toBe(false)
  })

  test.each<[string, string]>([
    ['members of the prototype', '{"__proto__":{"chain_type":"ethereum"}}'],
    ['a constructor', '{"constructor":{"prototype":{"owner":1}},"chain_type":"ethereum"}'],
    ['a list', '[{"chain_type":"ethereum"}]'],
    ['a text', '"ethereum"'],
    ['a depth of ten thousand', `${'['.repeat(10_000)}${']'.repeat(10_000)}`],
    ['half a pair of surrogates', '{"chain_type":"ethereum","display_name":"\\ud800"}'],
    ['a number that loses digits', '{"chain_type":"ethereum","authorization_threshold":1e400}'],
  ])('refuses a body of %s', async (_, body) => {
    const sent = (request: object) => ({ ...request, body })
    const answer = await node.ask(ours, 'POST', '/v1/wallets', {}, { sent: sent as never })
    expectCode(answer, 400, 'invalid_data')
  })

  test('serves the wallets page to this machine only, and shows names as text', async () => {
    await newWallet(ours, { display_name: '<img src=x onerror=alert(1)>' })
    const own = await fetch(`${node.url}/_wallets`)
    expect(own.status).toBe(200)
    expect(own.headers.get('content-security-policy')).toMatch(/^default-src 'none'/)
    const html = await own.text()
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;')
    expect(html).not.toContain('<img')
    for (const secret of [ours.appSecret, theirs.appSecret]) expect(html).not.toContain(secret)
    const foreign: RawHeaders[] = [[['x-forwarded-for', '10.0.0.2']]]
    for (const headers of foreign) {
      expect((await exchange(node.port, requestText('GET', '/_wallets', headers))).status).toBe(403)
    }
    expect((await exchange(node.port, requestText('POST', '/_wallets'))).status).toBe(405)
  })
})
