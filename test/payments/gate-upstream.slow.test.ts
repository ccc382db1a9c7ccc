import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type HttpServer, serveHttp } from '../support/http-server.ts'
import { makeHome, removeHome } from '../support/node/daemon.ts'
import { RawSocket, requestText } from '../support/node/raw-socket.ts'
import { TRANSPORTS } from '../support/node/server-fixture.ts'
import {
  type GateNode,
  initGateHome,
  PAY_TO,
  PRICE,
  startGateNode,
} from '../support/payments/gate-node.ts'
import { firstVersionProof, header64 } from '../support/payments/hand-made-proof.ts'

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void

const TIMEOUT_MS = 1000
const PAYER = 0

describe.each(TRANSPORTS)('the gate on %s in front of an upstream', (transport) => {
  const home = makeHome()
  const seen: IncomingMessage[] = []
  let answer: Answer = (_, response) => response.end('{}')
  let gate: GateNode
  let upstream: HttpServer

  beforeAll(async () => {
    upstream = await serveHttp(async (request, response) => {
      seen.push(request)
      const body = await text(request).catch(() => undefined)
      if (body !== undefined) answer(request, response, body)
    })
    const { url } = upstream
    await initGateHome(
      home,
      `
[[payments.resource]]
path = "/api"
upstream = "${url}/base"
price = "0.001"
methods = ["GET", "POST"]

[[payments.resource]]
path = "/plain"
upstream = "${url}/plain"
price = "0.001"
style = "x402"

[[payments.resource]]
path = "/nobody"
upstream = "http://127.0.0.1:1"
price = "0.001"
`,
    )
    const options = ['--consensus.block-time', '50ms', '--evm.rpc-server', transport]
    options.push('--payments.upstream-timeout', `${TIMEOUT_MS}ms`)
    gate = await startGateNode(home, options, '/api')
  })
  afterAll(async () => {
    await gate?.daemon.stop()
    await upstream?.close()
    removeHome(home)
  })

  const pay = () => gate.payer(PAYER).pay(PAY_TO, PRICE)

  const proofOf = (txHash: Hex) => {
    const from = gate.payer(PAYER).address
    return header64(firstVersionProof(gate.network, { txHash, amount: `${PRICE}`, from }))
  }

  function show(path: string, txHash: Hex, init: RequestInit = {}): Promise<Response> {
    const headers = { ...init.headers, 'x-payment': proofOf(txHash) }
    return fetch(`http://127.0.0.1:${gate.port}${path}`, { ...init, headers })
  }

  test('forwards a paid request with the payment and without the proof', async () => {
    answer = (_, response, body) => {
      response.setHeader('content-type', 'application/json')
      response.setHeader('cache-control', 'public, max-age=600')
      response.setHeader('etag', '"x"')
      response.setHeader('x-own', 'kept')
      response.setHeader('connection', 'x-hop')
      response.setHeader('x-hop', 'dropped')
      response.end(`{ "got": ${JSON.stringify(body)}, "n": 1.10 }`)
    }
    // Request a challenge first, so that the payment is within its time window.
    expect((await fetch(`http://127.0.0.1:${gate.port}/api/a`, { method: 'POST' })).status).toBe(
      402,
    )
    const txHash = await pay()
    seen.length = 0
    const served = await show('/api/a%20b?x=%20y', txHash, {
      method: 'POST',
      body: 'hello',
      headers: {
        'x-asked': 'yes',
        range: 'bytes=0-1',
        'if-none-match': '"x"',
        'x-payment-payer': '0xfe',
        'x-forwarded-for': '10.0.0.1',
        'x-real-ip': '10.0.0.1',
        'cf-connecting-ip': '10.0.0.1',
        'true-client-ip': '10.0.0.1',
        forwarded: 'for=10.0.0.1',
        via: '1.1 proxy',
      },
    })
    expect(served.status).toBe(200)
    expect(await served.text()).toBe(
      `{ "got": "hello", "n": 1.10 ,"payment":{"isValid":true,"txHash":"${txHash}"}}`,
    )
    expect(served.headers.get('cache-control')).toBe('no-store')
    expect(served.headers.get('x-own')).toBe('kept')
    for (const name of ['etag', 'x-hop']) expect(served.headers.get(name)).toBe(null)
    const [request] = seen
    expect([request?.method, request?.url]).toEqual(['POST', '/base/api/a%20b?x=%20y'])
    const { headers = {} } = request ?? {}
    expect(headers).toMatchObject({
      'x-asked': 'yes',
      'x-payment-payer': gate.payer(PAYER).address,
      'x-payment-transaction': txHash,
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': `127.0.0.1:${gate.port}`,
    })
    const dropped = ['x-payment', 'payment-signature', 'range', 'if-none-match', 'x-real-ip']
    dropped.push('cf-connecting-ip', 'true-client-ip', 'forwarded', 'via')
    for (const name of dropped) expect(headers[name], name).toBe(undefined)
  })

  test('forwards an unchanged body in the x402 style', async () => {
    answer = (_, response) => {
      response.setHeader('content-type', 'application/json')
      response.end('{"a":1}')
    }
    await gate.challenge('/plain')
    const served = await show('/plain', await pay())
    expect([served.status, await served.text()]).toEqual([200, '{"a":1}'])
  })

  test.each([
    [
      'an error',
      500,
      (_: IncomingMessage, response: ServerResponse) => {
        response.statusCode = 500
        response.end('broken')
      },
    ],
    [
      'a payment that it asks for itself',
      502,
      (_: IncomingMessage, response: ServerResponse) => {
        response.statusCode = 402
        response.end()
      },
    ],
    ['a connection that it cuts', 502, (request: IncomingMessage) => request.socket.destroy()],
    ['nothing for too long', 504, () => {}],
  ])(
    'charges nothing if the upstream responds with %s, and accepts the same proof again',
    async (_, status, fault) => {
      await gate.challenge('/api')
      const txHash = await pay()
      answer = fault
      expect((await show('/api', txHash)).status).toBe(status)
      answer = (_, response) => response.end('served')
      const served = await show('/api', txHash)
      expect([served.status, await served.text()]).toEqual([200, 'served'])
      expect((await show('/api', txHash)).status).toBe(402)
    },
  )

  test('answers 502 and charges nothing if the upstream is unreachable', async () => {
    await gate.challenge('/nobody')
    const txHash = await pay()
    // More often than the attempts of a payment, since these do not count.
    for (let again = 0; again < 5; again++) {
      const answered = await show('/nobody', txHash)
      expect([answered.status, await answered.json()]).toEqual([502, { error: 'upstream failed' }])
    }
  })

  test('allows three attempts with one body for a payment, and no more', async () => {
    await gate.challenge('/api')
    const txHash = await pay()
    const post = (body: string) => show('/api', txHash, { method: 'POST', body })
    answer = (_, response) => {
      response.statusCode = 400
      response.end('bad')
    }
    seen.length = 0
    expect((await post('{"guess":1}')).status).toBe(400)
    for (const other of ['{"guess":2}', '']) {
      const refused = await post(other)
      const { invalidReason } = await refused.json()
      expect([refused.status, invalidReason]).toEqual([402, 'payment_of_other_request'])
    }
    for (let attempt = 0; attempt < 2; attempt++) {
      expect((await post('{"guess":1}')).status).toBe(400)
    }
    answer = (_, response) => response.end('served')
    const exhausted = await post('{"guess":1}')
    const { invalidReason } = await exhausted.json()
    expect([exhausted.status, invalidReason]).toEqual([402, 'payment_attempts_exhausted'])
    expect(seen).toHaveLength(3)
  })

  /** Location header of the upstream, and what a client receives. `GATE` and `UPSTREAM` stand for their hosts. */
  const REDIRECTS: readonly [sent: string, passed: string | undefined][] = [
    ['http://UPSTREAM/base/api/next?a=1#b', '/api/next?a=1#b'],
    ['/base/api/next', '/api/next'],
    ['next', '/next'],
    ['http://GATE/api/next', 'http://GATE/api/next'],
    ['http://evil.example/api', undefined],
    ['//evil.example/base/api', undefined],
    ['/base//evil.example/', '/evil.example/'],
    ['/other', undefined],
    ['/base/../admin', undefined],
    ['http://UPSTREAM@evil.example/base/api', undefined],
    ['javascript:alert(1)', undefined],
  ]

  test('rewrites a redirect to the upstream itself, answers 502 to any other, and charges for neither', async () => {
    await gate.challenge('/api')
    const own = `127.0.0.1:${gate.port}`
    const named = (text: string) =>
      text.replace('UPSTREAM', `127.0.0.1:${upstream.port}`).replace('GATE', own)
    for (const [sent, passed] of REDIRECTS) {
      const txHash = await pay()
      answer = (_, response) => response.writeHead(302, { location: named(sent) }).end()
      const redirected = await show('/api', txHash, { redirect: 'manual' })
      expect([redirected.status, redirected.headers.get('location')], sent).toEqual(
        passed === undefined ? [502, null] : [302, named(passed)],
      )
      answer = (_, response) => response.end('served')
      expect((await show('/api', txHash)).status, sent).toBe(200)
    }
  })

  test('removes the headers Location, Refresh and Alt-Svc if they lead clients to another host', async () => {
    await gate.challenge('/api')
    answer = (_, response) => {
      response.setHeader('refresh', '0; url=http://evil.example/')
      response.setHeader('alt-svc', 'h2="evil.example:443"')
      response.writeHead(201, { location: 'http://evil.example/made' }).end('made')
    }
    const made = await show('/api', await pay())
    expect([made.status, await made.text()]).toEqual([201, 'made'])
    for (const name of ['location', 'refresh', 'alt-svc']) {
      expect(made.headers.get(name), name).toBe(null)
    }
  })

  test('truncates the response if the upstream does, and accepts the proof again', async () => {
    await gate.challenge('/api')
    const txHash = await pay()
    answer = (request, response) => {
      response.write('first')
      setTimeout(() => request.socket.destroy(), 50)
    }
    await expect(show('/api', txHash).then((cut) => cut.text())).rejects.toThrow()
    answer = (_, response) => response.end('whole')
    expect(await (await show('/api', txHash)).text()).toBe('whole')
  })

  test('streams the response in pieces as the upstream sends them', async () => {
    await gate.challenge('/api')
    const txHash = await pay()
    let finish = () => {}
    answer = (_, response) => {
      response.write('first ')
      finish = () => response.end('last')
    }
    const served = await show('/api', txHash)
    const reader = (served.body as ReadableStream<Uint8Array>).getReader()
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('first ')
    finish()
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('last')
    expect((await reader.read()).done).toBe(true)
  })

  test('serves a client again if it disconnected before the first byte, but not after it', async () => {
    await gate.challenge('/api')
    const [first, second] = [await pay(), await pay()]
    const gone = new AbortController()
    const reached = new Promise<IncomingMessage>((resolve) => {
      answer = (request) => resolve(request)
    })
    const asked = show('/api', first, { signal: gone.signal })
    const request = await reached
    gone.abort()
    await expect(asked).rejects.toThrow()
    await once(request.socket, 'close')
    answer = (_, response) => response.end('served')
    // The claim is released after the gate has noticed the disconnection.
    await expect.poll(async () => (await show('/api', first)).status).toBe(200)

    const closed = new Promise((resolve) => {
      answer = (_, response) => {
        response.write('begun')
        const more = setInterval(() => response.write('more'), 20)
        response.on('close', () => {
          clearInterval(more)
          resolve(undefined)
        })
      }
    })
    const socket = await RawSocket.connect(gate.port)
    socket.send(requestText('GET', '/api', [['x-payment', proofOf(second)]]))
    await socket.until('begun')
    socket.destroy()
    await closed
    answer = (_, response) => response.end('served')
    const again = await show('/api', second)
    expect([again.status, (await again.json()).invalidReason]).toEqual([402, 'payment_spent'])
  })

  test('refuses unsold methods, and HEAD and OPTIONS neither spend a proof nor reach the upstream', async () => {
    await gate.challenge('/api')
    const txHash = await pay()
    seen.length = 0
    const refused = await show('/api', txHash, { method: 'DELETE' })
    expect([refused.status, refused.headers.get('allow')]).toEqual([
      405,
      'GET, POST, HEAD, OPTIONS',
    ])
    expect((await show('/api', txHash, { method: 'HEAD' })).status).toBe(402)
    expect((await show('/api', txHash, { method: 'OPTIONS' })).status).toBe(204)
    expect(seen).toEqual([])
    answer = (_, response) => response.end('served')
    expect((await show('/api', txHash)).status).toBe(200)
  })
})
