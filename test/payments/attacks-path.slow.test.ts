import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeHome, removeHome } from '../support/node/daemon.ts'
import type { RawHeaders, RawResponse } from '../support/node/raw-socket.ts'
import { TRANSPORTS } from '../support/node/server-fixture.ts'
import {
  type GateNode,
  initGateHome,
  PAY_TO,
  PRICE,
  startGateNode,
} from '../support/payments/gate-node.ts'
import { type CountingUpstream, SECRET, startCountingUpstream } from './counting-upstream.ts'
import { expectUncached } from './expectations.ts'

const OPTIONS = ['--consensus.block-time', '50ms', '--evm.rpc-server']
const OUTSIDE = 'beside the folder'

/** Spellings of a path that a router and the server behind it may read differently. */
const TRICKS = (path: string): readonly string[] => {
  const name = path.slice(1)
  const hex = (text: string) =>
    [...text].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('')
  return [
    `/${path}`,
    `//${path}`,
    `/.${path}`,
    `/x/..${path}`,
    `/%2e${path}`,
    `/x/%2e%2e${path}`,
    `/x/.%2E${path}`,
    `/..${path}`,
    `${path}/`,
    `${path}/.`,
    `${path}//`,
    `${path}%2f`,
    `/%2f${name}`,
    `${path}%00`,
    `${path}%20`,
    `${path}.`,
    `${path};a=b`,
    `${path}?`,
    `${path}?x=1`,
    `${path}?x=${path}`,
    `${path}#x`,
    `${path}%23`,
    `${path}%3f`,
    `/${hex(name.slice(0, 1))}${name.slice(1)}`,
    `/${hex(name)}`,
    `/%25${name.charCodeAt(0).toString(16)}${name.slice(1)}`,
    path.toUpperCase(),
    `/${name.slice(0, 1).toUpperCase()}${name.slice(1)}`,
    `\\${name}`,
    `/\\${name}`,
    `/x\\..\\${name}`,
    `/${name.slice(0, 1)}%c0%80${name.slice(1)}`,
    `http://localhost${path}`,
    `http://elsewhere.example${path}`,
  ]
}

describe.each(TRANSPORTS)('a gate on %s', (transport) => {
  const home = makeHome()
  const folder = join(home, 'sold')
  let upstream: CountingUpstream
  let gate: GateNode

  beforeAll(async () => {
    upstream = await startCountingUpstream()
    mkdirSync(join(folder, 'deep'), { recursive: true })
    writeFileSync(join(folder, 'page.txt'), SECRET)
    writeFileSync(join(folder, 'deep', 'page.txt'), SECRET)
    writeFileSync(join(home, 'outside.txt'), OUTSIDE)
    await initGateHome(
      home,
      `
[[payments.resource]]
path = "/behind"
upstream = "${upstream.url}"
price = "0.001"

[[payments.resource]]
path = "/files"
root = ${JSON.stringify(folder)}
price = "0.001"
`,
    )
    gate = await startGateNode(home, [...OPTIONS, transport], '/behind')
  })

  afterAll(async () => {
    await gate?.daemon.stop()
    await upstream?.close()
    removeHome(home)
  })

  function expectNothing(answer: RawResponse): void {
    expect(answer.body).not.toContain(SECRET)
    expect(answer.body).not.toContain(OUTSIDE)
    expect([400, 402, 403, 404, 405, 431, 501, 505]).toContain(answer.status)
    expect(upstream.reached).toEqual([])
  }

  async function askUnpaid(method: string, target: string, headers?: RawHeaders): Promise<void> {
    // A server may close the connection instead of responding to an invalid target.
    const answer = await gate.ask(method, target, headers).catch((error: Error) => error)
    if (answer instanceof Error) expect(answer.message).toMatch(/^closed/)
    else expectNothing(answer)
  }

  describe.each(['/behind', '/files/page.txt', '/files/deep/page.txt'])('selling %s', (path) => {
    test('does not serve it without payment for any spelling of its path', async () => {
      for (const target of TRICKS(path)) await askUnpaid('GET', target)
    })

    const methods = ['HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND', 'get', 'GETX']
    test.each(methods)('does not serve it without payment for the method %s', async (method) => {
      await askUnpaid(method, path, method === 'HEAD' ? [] : [['content-length', '0']])
    })

    test('answers OPTIONS without serving it', async () => {
      const answer = await gate.ask('OPTIONS', path)
      expect(answer.status).toBe(204)
      expect(answer.body).toBe('')
      expect(upstream.reached).toEqual([])
    })

    test('answers HEAD like GET, without a body', async () => {
      const [head, get] = await Promise.all([gate.ask('HEAD', path), gate.ask('GET', path)])
      expect([head.status, get.status]).toEqual([402, 402])
      expect(head.body).toBe('')
      expect(head.headers.get('content-type')).toEqual(get.headers.get('content-type'))
    })

    const requests: readonly (readonly [string, RawHeaders])[] = [
      ['that names another method', [['x-http-method-override', 'OPTIONS']]],
      [
        'that names another path',
        [
          ['x-original-url', '/'],
          ['x-rewrite-url', '/'],
        ],
      ],
      ['for a part of it', [['range', 'bytes=0-3']]],
      [
        'for what has changed since',
        [
          ['if-none-match', '"1"'],
          ['if-modified-since', new Date().toUTCString()],
        ],
      ],
      [
        'that upgrades',
        [
          ['connection', 'upgrade'],
          ['upgrade', 'websocket'],
          ['sec-websocket-version', '13'],
          ['sec-websocket-key', 'AAAAAAAAAAAAAAAAAAAAAA=='],
        ],
      ],
      [
        'that says a proxy has let it in',
        [
          ['x-forwarded-for', '127.0.0.1'],
          ['x-real-ip', '127.0.0.1'],
        ],
      ],
      [
        'that says it has paid',
        [
          ['x-payment-response', 'eyJzdWNjZXNzIjp0cnVlfQ=='],
          ['payment-response', 'eyJzdWNjZXNzIjp0cnVlfQ=='],
        ],
      ],
      ['with an authorization', [['authorization', 'Basic YWRtaW46YWRtaW4=']]],
    ]
    test.each(requests)(
      'does not serve it without payment for a request %s',
      async (_, headers) => {
        await askUnpaid('GET', path, headers)
      },
    )
  })

  test('serves no file outside its folder, paid or not', async () => {
    for (const up of ['..', '%2e%2e', '.%2e', '%2e.', '..%2f..', '..\\..', '..%5c..']) {
      for (const target of [`/files/${up}/outside.txt`, `/files/deep/${up}/${up}/outside.txt`]) {
        await askUnpaid('GET', target)
      }
    }
  })

  test('marks a paid response as uncacheable', async () => {
    for (const target of ['/behind', '/files/page.txt']) {
      const payer = gate.payer(0)
      const txHash = await payer.pay(PAY_TO, PRICE)
      const payload = { txHash, amount: String(PRICE), from: payer.address }
      const answer = await gate.show(target, payload)
      expect(answer.status, answer.body).toBe(200)
      expect(answer.body).toContain(SECRET)
      expectUncached(answer)
    }
    expect(upstream.reached).toEqual(['GET /behind'])
  })
})
