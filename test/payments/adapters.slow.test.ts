import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import type { Hex } from '../../host/base/hex.ts'
import { PAYER, transferProof } from '../support/payments/gate-fixture.ts'
import { type SoldApp, startApp } from '../support/payments/sold-app.ts'
import { until } from '../support/until.ts'
import { FRAMEWORKS } from './shop/framework-apps.ts'

/** Spellings of `/weather` and of paths below `/files`, requested without payment. */
const TARGETS = [
  '//weather',
  '/./weather',
  '/free/../weather',
  '/%77eather',
  '/%2577eather',
  '/WEATHER',
  '/Weather/',
  '/weather/',
  '/weather//',
  '/weather?free',
  '/weather#free',
  '/free#/../weather',
  '/weather\u00a0',
  '/weather;free',
  '/wea\\ther',
  '\\weather',
  '/weather%00',
  '/weather%23',
  '/weather%3f',
  'http://127.0.0.1/weather',
  'http://a;/weather',
  'http://a@127.0.0.1/weather',
  '/files/../files/x',
  '/files',
  '/FILES/x',
  '/%66iles/x',
  '/files/..',
  '/files/x/../../free',
  '/files%2fx',
  '//files//x',
]

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

async function ask(app: SoldApp, path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(`${app.url}${path}`, init)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** Requests a challenge and pays for it. Returns the proof. */
async function paid(
  app: SoldApp,
  path: string,
): Promise<{ proof: Record<string, string>; txHash: Hex }> {
  expect((await ask(app, path)).status).toBe(402)
  const txHash = app.chain.pay()
  return { proof: { 'x-payment': transferProof(txHash) }, txHash }
}

/** Presents a proof until its claim is no longer in progress. */
async function askAgain(app: SoldApp, path: string, headers: HeadersInit): Promise<Answer> {
  for (;;) {
    const answer = await ask(app, path, { headers })
    if (!answer.text.includes('payment_in_progress')) return answer
  }
}

describe.each(FRAMEWORKS)('%s%s', (_, why, make) => {
  describe.skipIf(why !== '')('the adapter', () => {
    test('sells a paid resource once and passes the payment to the handler', async () => {
      const app = await startApp(make)
      const { proof, txHash } = await paid(app, '/weather')
      expect(app.log.ran).toEqual([])
      const { status, headers, text } = await ask(app, '/weather', { headers: proof })
      expect([status, JSON.parse(text)]).toEqual([
        200,
        { temperature: 21, payment: { isValid: true, txHash, payer: PAYER } },
      ])
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('x-payment-response')).toMatch(/^eyJ/)
      const second = await askAgain(app, '/weather', proof)
      expect([second.status, JSON.parse(second.text)]).toMatchObject([
        402,
        { error: 'Payment verification failed', invalidReason: 'payment_spent' },
      ])
      expect(app.log.ran).toEqual(['/weather'])
      expect(app.log.failures).toEqual([])
    })

    test('serves an unpriced resource to everyone', async () => {
      const app = await startApp(make)
      expect(await ask(app, '/free')).toMatchObject({ status: 200, text: 'free' })
    })

    test('serves only one of 50 concurrent requests with the same proof', async () => {
      const app = await startApp(make)
      const { proof } = await paid(app, '/weather')
      const asked = Array.from({ length: 50 }, () => ask(app, '/weather', { headers: proof }))
      const statuses = (await Promise.all(asked)).map(({ status }) => status)
      expect(statuses.filter((status) => status === 200)).toHaveLength(1)
      expect(statuses.filter((status) => status === 402)).toHaveLength(49)
      expect(app.log.ran).toEqual(['/weather'])
    })

    test.each(['/fails', '/throws', '/breaks'])(
      'serves %s again for the same proof after it failed',
      async (path) => {
        const app = await startApp(make)
        const { proof } = await paid(app, path)
        const first = await ask(app, path, { headers: proof }).catch(() => undefined)
        if (path !== '/breaks') expect(first?.status).toBeGreaterThanOrEqual(500)
        expect(await askAgain(app, path, proof)).toMatchObject({ status: 200, text: 'done' })
        expect((await askAgain(app, path, proof)).status).toBe(402)
        expect(app.log.ran).toEqual([path, path])
      },
    )

    test('allows a payment a limited number of failed attempts, all with the same body', async () => {
      const app = await startApp(make)
      const { proof } = await paid(app, '/refuses')
      const post = (body: string) =>
        ask(app, '/refuses', { method: 'POST', headers: proof, body }).then((answer) =>
          answer.status === 402 ? JSON.parse(answer.text).invalidReason : answer.status,
        )
      const again = async (body: string) => {
        let answer = await post(body)
        while (answer === 'payment_in_progress') answer = await post(body)
        return answer
      }
      const answers = []
      for (const body of ['1', '2', '', '1', '1', '1', '2']) answers.push(await again(body))
      expect(answers).toEqual([
        400,
        'payment_of_other_request',
        'payment_of_other_request',
        400,
        400,
        'payment_attempts_exhausted',
        'payment_of_other_request',
      ])
      expect(app.log.ran).toEqual(['/refuses', '/refuses', '/refuses'])
    })

    test('passes an unchanged body to its handler, unless it exceeds the limit of the seller', async () => {
      const app = await startApp(make, { maxBodyBytes: 100_000 })
      const { proof } = await paid(app, '/echo')
      const post = (body: string) => ask(app, '/echo', { method: 'POST', headers: proof, body })
      const tooLong = await post('x'.repeat(100_001))
      expect([tooLong.status, app.log.ran]).toEqual([413, []])
      const body = 'x'.repeat(100_000)
      expect(await post(body)).toMatchObject({ status: 200, text: body })
    })

    test('serves nothing for HEAD and OPTIONS, which spend no proof', async () => {
      const app = await startApp(make)
      const { proof } = await paid(app, '/weather')
      expect(await ask(app, '/weather', { method: 'HEAD', headers: proof })).toMatchObject({
        status: 402,
        text: '',
      })
      expect(await ask(app, '/weather', { method: 'OPTIONS', headers: proof })).toMatchObject({
        status: 204,
        text: '',
      })
      expect(app.log.ran).toEqual([])
      expect((await ask(app, '/weather', { headers: proof })).status).toBe(200)
    })

    test('marks a paid response as uncacheable, even if the handler says otherwise', async () => {
      const app = await startApp(make)
      const { proof } = await paid(app, '/cached')
      const { status, headers, text } = await ask(app, '/cached', { headers: proof })
      expect([status, text]).toEqual([200, 'cached'])
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('vary')).toBe('Accept, X-Payment, Payment-Signature')
      expect(headers.get('x-own')).toBe('kept')
    })

    test('serves a client again if it disconnected before the response began', async () => {
      const app = await startApp(make)
      const { proof } = await paid(app, '/slow')
      const leaving = new AbortController()
      const first = ask(app, '/slow', { headers: proof, signal: leaving.signal })
      await until(() => app.log.ran.length === 1)
      leaving.abort()
      await expect(first).rejects.toThrow()
      const second = askAgain(app, '/slow', proof)
      await until(() => app.log.ran.length === 2)
      app.log.goOn()
      expect(await second).toMatchObject({ status: 200, text: 'slow' })
      expect((await askAgain(app, '/slow', proof)).status).toBe(402)
    })

    test('does not serve a client again if it disconnected during the response', async () => {
      const app = await startApp(make)
      const { proof } = await paid(app, '/stream')
      const leaving = new AbortController()
      const response = await fetch(`${app.url}/stream`, { headers: proof, signal: leaving.signal })
      const reader = (response.body as ReadableStream<Uint8Array>).getReader()
      expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('first')
      leaving.abort()
      const second = await askAgain(app, '/stream', proof)
      expect([second.status, JSON.parse(second.text).invalidReason]).toEqual([402, 'payment_spent'])
      expect(app.log.ran).toEqual(['/stream'])
    })

    test('serves a pipelined request again if it was dropped before its turn', async () => {
      const app = await startApp(make)
      const { proof } = await paid(app, '/weather')
      const slow = await paid(app, '/slow')
      const { port } = new URL(app.url)
      const request = (path: string, headers: Record<string, string>) =>
        `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-Payment: ${headers['x-payment']}\r\n\r\n`
      const socket = connect(Number(port), '127.0.0.1')
      socket.write(request('/slow', slow.proof))
      await until(() => app.log.ran.length === 1)
      socket.write(request('/weather', proof))
      await until(() => app.log.ran.length === 2)
      socket.destroy()
      expect((await askAgain(app, '/weather', proof)).status).toBe(200)
    })

    test('serves no unpaid request for another spelling of the target', async () => {
      const app = await startApp(make)
      const { port } = new URL(app.url)
      const head = `Host: 127.0.0.1:${port}\r\nConnection: close\r\nContent-Length: 0`
      for (const target of TARGETS) {
        for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS']) {
          const answer = await app.send(`${method} ${target} HTTP/1.1\r\n${head}\r\n\r\n`)
          expect(answer, `${method} ${target}`).toMatch(/^HTTP\/1\.1 \d/)
          expect(app.log.ran, `${method} ${target}`).toEqual([])
        }
      }
    })
  })
})
