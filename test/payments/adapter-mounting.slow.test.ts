import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type ExpressPayments, paymentMiddleware } from '../../host/payments/adapter/express.ts'
import { paymentMiddleware as honoMiddleware } from '../../host/payments/adapter/hono.ts'
import { withPayment } from '../../host/payments/adapter/next.ts'
import type { PaymentOptions } from '../../host/payments/adapter/payment-options.ts'
import type { RouteTable } from '../../host/payments/adapter/priced-routes.ts'
import { serveHttp } from '../support/http-server.ts'
import { PAY_TO, TOKEN, transferProof } from '../support/payments/gate-fixture.ts'
import { absentPeers, peer } from '../support/payments/peers.ts'
import { exchange, SellerChain } from '../support/payments/sold-app.ts'

/** Returns options of a seller with a new folder, deleted at the end of the test. */
function sellerOptions() {
  const folder = mkdtempSync(join(tmpdir(), 'mounted-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const failures: unknown[] = []
  const chain = new SellerChain()
  const onFailure = (error: unknown) => failures.push(error)
  return { chain, asset: TOKEN, payTo: PAY_TO, folder, onFailure, failures }
}

function payments(options: PaymentOptions, routes: RouteTable): ExpressPayments {
  const middleware = paymentMiddleware({ ...options, routes })
  onTestFinished(() => middleware.close())
  return middleware
}

async function serve(listener: RequestListener): Promise<string> {
  const { url, close } = await serveHttp(listener)
  onTestFinished(close)
  return url
}

async function statusOf(url: string, init?: RequestInit): Promise<number> {
  const response = await fetch(url, init)
  await response.text()
  return response.status
}

// biome-ignore lint/suspicious/noExplicitAny: the types of Express are with it, and it may be absent
type Any = any

const why = absentPeers('express', 'hono')

describe.skipIf(why !== '')(`a mounted adapter${why}`, () => {
  test.each([
    ['as they are below it', '/weather'],
    ['as clients see them', '/api/weather'],
  ])('sells Express routes below a mount path if they are written %s', async (_, route) => {
    const options = sellerOptions()
    const app = peer('express')()
    app.use('/api', payments(options, { [route]: '0.001' }))
    const router = peer('express').Router()
    router.get('/weather', (request: Any, response: Any) => response.json(request.payment))
    app.use('/api', router)
    app.get('/weather', (_request: Any, response: Any) => response.send('another'))
    const url = await serve(app)
    for (const path of ['/api/weather', '/API/weather', '/api/Weather/']) {
      expect(await statusOf(`${url}${path}`), path).toBe(402)
    }
    expect(await statusOf(`${url}/weather`)).toBe(200)
    const asked = await fetch(`${url}/api/weather`)
    const { accepts } = (await asked.json()) as { accepts: readonly [{ resource: string }] }
    expect(accepts[0].resource).toBe(`${url}/api/weather`)
    const headers = { 'x-payment': transferProof(options.chain.pay()) }
    expect(await statusOf(`${url}/api/weather`, { headers })).toBe(200)
  })

  test('does not serve static Express files below a priced path without payment, for any spelling', async () => {
    const options = sellerOptions()
    const root = join(options.folder, 'files')
    mkdirSync(join(root, 'paid'), { recursive: true })
    mkdirSync(join(root, 'free'))
    writeFileSync(join(root, 'paid', 'a.txt'), 'SECRET')
    writeFileSync(join(root, 'free', 'a.txt'), 'free')
    const app = peer('express')()
    app.use(payments(options, { '/paid/*': '0.001' }))
    app.use(peer('express').static(root, { dotfiles: 'allow' }))
    const url = await serve(app)
    const { port } = new URL(url)
    const head = `HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`
    for (const target of [
      '/paid/a.txt',
      '/paid/../paid/a.txt',
      '/free/../paid/a.txt',
      '/free/..%2fpaid/a.txt',
      '/free%2f..%2fpaid%2fa.txt',
      '/free/%2e%2e/paid/a.txt',
      '/.%2fpaid/a.txt',
      '//paid/a.txt',
      '/%2fpaid/a.txt',
      '/paid%2fa.txt',
      '/%70aid/a.txt',
      '/paid//a.txt',
      'http://127.0.0.1/paid/a.txt',
      '/free/..\\paid/a.txt',
    ]) {
      const answer = await exchange(Number(port), `GET ${target} ${head}`)
      expect(answer, target).toMatch(/^HTTP\/1\.1 40[0-9] /)
      expect(answer, target).not.toContain('SECRET')
    }
    const answer = await exchange(Number(port), `GET /free/a.txt ${head}`)
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*free$/)
  })

  test('takes the URL of a resource from publicUrl, or from the Host if it names this machine', async () => {
    const options = sellerOptions()
    const app = peer('express')()
    app.use('/shop', payments({ ...options, publicUrl: 'https://api.example/base' }, { '/a': '1' }))
    app.use(payments({ ...options }, { '/b': '1' }))
    app.use((_request: Any, response: Any) => response.send('SECRET'))
    app.use((error: Error, _request: Any, response: Any, _next: unknown) => {
      response.status(500).send(error.message)
    })
    const { port } = new URL(await serve(app))
    const ask = (path: string, host: string) =>
      exchange(Number(port), `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    const elsewhere = await ask('/shop/a?q=1', 'evil.example')
    expect(elsewhere).toContain('"resource":"https://api.example/base/shop/a?q=1"')
    const unknown = await ask('/b', 'evil.example')
    expect(unknown).toMatch(/^HTTP\/1\.1 500 [\s\S]*publicUrl is missing/)
    expect(await ask('/b', `localhost:${port}`)).toContain(
      `"resource":"http://localhost:${port}/b"`,
    )
  })

  test('serves nothing while the chain is unreachable', async () => {
    const options = { ...sellerOptions(), chain: 'http://127.0.0.1:9' }
    const middleware = payments(options, { '/a': '1' })
    const app = peer('express')()
    app.use(middleware)
    app.use((_request: Any, response: Any) => response.send('SECRET'))
    app.use((error: Any, _request: Any, response: Any, _next: unknown) => {
      response.status(500).send(error.code)
    })
    const url = await serve(app)
    await expect(middleware.ready()).rejects.toMatchObject({ code: 'NODE_UNREACHABLE' })
    const response = await fetch(`${url}/a`)
    expect([response.status, await response.text()]).toEqual([500, 'NODE_UNREACHABLE'])
    expect(await statusOf(`${url}/free`)).toBe(200)
  })

  test('accepts a payment once among all servers with the same folder, also after a restart', async () => {
    const options = sellerOptions()
    const start = () => {
      const middleware = paymentMiddleware({ ...options, routes: { '/a': '0.001' } })
      const app = peer('express')()
      app.use(middleware)
      app.get('/a', (_request: Any, response: Any) => response.send('served'))
      return { middleware, app }
    }
    const first = start()
    const second = start()
    const [url, other] = [await serve(first.app), await serve(second.app)]
    expect(await statusOf(`${url}/a`)).toBe(402)
    const headers = { 'x-payment': transferProof(options.chain.pay()) }
    expect(await statusOf(`${url}/a`, { headers })).toBe(200)
    expect(await statusOf(`${other}/a`, { headers })).toBe(402)
    await first.middleware.close()
    await second.middleware.close()
    const third = start()
    onTestFinished(() => third.middleware.close())
    const again = await serve(third.app)
    const spent = await fetch(`${again}/a`, { headers })
    expect([spent.status, await spent.json()]).toMatchObject([
      402,
      { invalidReason: 'payment_spent' },
    ])
  })

  test('refuses a folder that is open for a seller with other options', async () => {
    const options = sellerOptions()
    await payments(options, { '/a': '1' }).ready()
    await payments(options, { '/b': '2' }).ready()
    const other = payments({ ...options, binding: 'signed' }, { '/c': '3' })
    await expect(other.ready()).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('is open for a seller with other options'),
    })
  })

  test.each([
    [{ asset: '0x12' }, "asset: '0x12' is not an account address"],
    [{ payTo: `0x${'0'.repeat(40)}` }, 'payTo'],
    [{ routes: { '/a': '0.0000001' } }, "'0.0000001' of /a is not a price in USDC"],
    [{ routes: { '/a': '-1' } }, "'-1' of /a is not a price"],
    [{ routes: { '/a': '0' } }, "'0' of /a is not a price"],
    [{ asset: undefined }, "asset: 'undefined' is not an account address"],
    [{ binding: 'sigend' }, "binding: 'sigend' is not a binding"],
    [{ maxTimeoutSeconds: Number.NaN }, "maxTimeoutSeconds: 'NaN' is not a time"],
    [{ maxTimeoutSeconds: 0 }, "maxTimeoutSeconds: '0' is not a time"],
    [{ times: { clockSkew: Number.NaN } }, "times.clockSkew: 'NaN' is not a time"],
    [{ times: { proofLifetime: -1 } }, "times.proofLifetime: '-1' is not a time"],
    [{ settlement: { facilitator: 'x402' } }, 'settlement: facilitator'],
  ] as [object, string][])('rejects ready() for the invalid options %j', async (changes, text) => {
    const middleware = paymentMiddleware({
      ...sellerOptions(),
      routes: { '/a': '1' },
      ...changes,
    })
    onTestFinished(() => middleware.close())
    await expect(middleware.ready()).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(text),
    })
  })

  test('leaves nothing open in the folder if opening it fails', async () => {
    const options = sellerOptions()
    writeFileSync(join(options.folder, 'challenge.key'), 'no key')
    const middleware = payments(options, { '/a': '1' })
    await expect(middleware.ready()).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
    expect(readdirSync(join(options.folder, 'owners'))).toEqual([])
  })

  test.each(['ftp://a.example', 'a.example', 'https://a:b@a.example', 'https://a.example/?q'])(
    'refuses the publicUrl %s',
    (publicUrl) => {
      const options = { ...sellerOptions(), publicUrl, routes: {} }
      expect(() => paymentMiddleware(options)).toThrow('is not an http or https URL')
    },
  )

  test('reports the missing Node server in the response body under Hono and Next.js', async () => {
    const options = sellerOptions()
    const { Hono } = peer('hono')
    const app = new Hono()
    const middleware = honoMiddleware({ ...options, routes: { '/a': '0.001', '/gone': '0.001' } })
    onTestFinished(() => middleware.close())
    app.use(middleware)
    app.get('/a', (c: Any) => c.text('whole'))
    app.get('/gone', () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) })))
    const route = { ...options, path: '/next', price: '0.001' }
    const next = withPayment((_request: Request, _context: undefined, { txHash }) => {
      return Response.json({ txHash })
    }, route)
    const url = (path: string) => `http://127.0.0.1${path}`
    const asked = (path: string, init?: RequestInit) => {
      const request = new Request(url(path), {
        ...init,
        headers: { host: '127.0.0.1', ...init?.headers },
      })
      return path === '/next' ? next(request, undefined) : app.request(request)
    }
    for (const path of ['/a', '/next']) {
      expect((await asked(path)).status).toBe(402)
      const headers = { 'x-payment': transferProof(options.chain.pay()) }
      const served = await asked(path, { headers })
      expect(served.status).toBe(200)
      const early = await asked(path, { headers })
      expect(await early.json()).toMatchObject({ invalidReason: 'payment_in_progress' })
      await served.text()
      const late = await asked(path, { headers })
      expect(await late.json()).toMatchObject({ invalidReason: 'payment_spent' })
    }
    expect((await asked('/gone')).status).toBe(402)
    const headers = { 'x-payment': transferProof(options.chain.pay()) }
    const leaving = new AbortController()
    expect((await asked('/gone', { headers, signal: leaving.signal })).status).toBe(200)
    leaving.abort()
    expect((await asked('/gone', { headers })).status).toBe(200)
    expect(options.failures).toEqual([])
  })
})
