import { paymentMiddleware as expressPayments } from '../../../host/payments/adapter/express.ts'
import { paymentMiddleware as honoPayments } from '../../../host/payments/adapter/hono.ts'
import type { RouteTable } from '../../../host/payments/adapter/priced-routes.ts'
import { absentPeers, peer } from '../../support/payments/peers.ts'
import type { MakeApp } from '../../support/payments/sold-app.ts'

// biome-ignore lint/suspicious/noExplicitAny: the frameworks' types are with them, and they may be absent
type Any = any

const ROUTES: RouteTable = {
  '/weather': '0.001',
  '/fails': '0.001',
  '/throws': '0.001',
  '/cached': { price: '0.001', description: 'for caches', mediaType: 'text/plain' },
  '/slow': '0.001',
  '/stream': '0.001',
  '/breaks': '0.001',
  '/files/*': '0.001',
  '/echo': '0.001',
  '/refuses': '0.001',
}

const makeExpress: MakeApp = (options, log) => {
  const express = peer('express')
  const app = express()
  const payments = expressPayments({ ...options, routes: ROUTES })
  app.use(payments)
  app.get('/free', (_: unknown, response: Any) => response.send('free'))
  app.all('/weather', (request: Any, response: Any) => {
    log.note('/weather')
    response.json({ temperature: 21, payment: request.payment })
  })
  app.get('/fails', (_: unknown, response: Any) => {
    log.note('/fails')
    response.status(log.ran.length === 1 ? 503 : 200).send('done')
  })
  app.get('/throws', async (_: unknown, response: Any) => {
    log.note('/throws')
    if (log.ran.length === 1) throw new Error('no weather')
    response.send('done')
  })
  app.get('/cached', (_: unknown, response: Any) => {
    log.note('/cached')
    response.setHeader('vary', 'Accept')
    response.writeHead(200, { 'Cache-Control': 'public, max-age=60', 'x-own': 'kept' })
    response.end('cached')
  })
  app.get('/slow', async (_: unknown, response: Any) => {
    log.note('/slow')
    await log.pause()
    response.send('slow')
  })
  app.get('/stream', async (_: unknown, response: Any) => {
    log.note('/stream')
    response.write('first')
    await log.pause()
    response.end('last')
  })
  app.get('/breaks', (_: unknown, response: Any) => {
    log.note('/breaks')
    if (log.ran.length > 1) return response.send('done')
    response.write('first')
    return setImmediate(() => response.destroy(new Error('broken off')))
  })
  app.post('/echo', express.text({ limit: '2mb' }), (request: Any, response: Any) => {
    log.note('/echo')
    response.send(request.body)
  })
  app.post('/refuses', (_: unknown, response: Any) => {
    log.note('/refuses')
    response.status(400).send('refused')
  })
  app.use('/files', (request: Any, response: Any) => {
    log.note('/files')
    response.send(request.url)
  })
  app.use((error: Error, _: unknown, response: Any, __: unknown) => {
    response.status(500).send(error.message)
  })
  return { listener: app, close: () => payments.close() }
}

const makeHono: MakeApp = (options, log) => {
  const { Hono } = peer('hono')
  const { getRequestListener } = peer('@hono/node-server')
  const app = new Hono()
  const payments = honoPayments({ ...options, routes: ROUTES })
  app.use(payments)
  app.get('/free', (c: Any) => c.text('free'))
  app.all('/weather', (c: Any) => {
    log.note('/weather')
    return c.json({ temperature: 21, payment: c.get('payment') })
  })
  app.get('/fails', (c: Any) => {
    log.note('/fails')
    return c.text('done', log.ran.length === 1 ? 503 : 200)
  })
  app.get('/throws', (c: Any) => {
    log.note('/throws')
    if (log.ran.length === 1) throw new Error('no weather')
    return c.text('done')
  })
  app.get('/cached', (c: Any) => {
    log.note('/cached')
    return c.text('cached', 200, {
      vary: 'Accept',
      'cache-control': 'public, max-age=60',
      'x-own': 'kept',
    })
  })
  app.get('/slow', async (c: Any) => {
    log.note('/slow')
    await log.pause()
    return c.text('slow')
  })
  const streamed = (c: Any, go: (controller: ReadableStreamDefaultController) => void) =>
    c.body(new ReadableStream({ start: go }))
  app.get('/stream', (c: Any) => {
    log.note('/stream')
    return streamed(c, async (controller) => {
      controller.enqueue(new TextEncoder().encode('first'))
      await log.pause()
      controller.enqueue(new TextEncoder().encode('last'))
      controller.close()
    })
  })
  app.get('/breaks', (c: Any) => {
    log.note('/breaks')
    if (log.ran.length > 1) return c.text('done')
    return streamed(c, (controller) => {
      controller.enqueue(new TextEncoder().encode('first'))
      setImmediate(() => controller.error(new Error('broken off')))
    })
  })
  app.post('/echo', async (c: Any) => {
    log.note('/echo')
    return c.text(await c.req.text())
  })
  app.post('/refuses', (c: Any) => {
    log.note('/refuses')
    return c.text('refused', 400)
  })
  app.all('/files/*', (c: Any) => {
    log.note('/files')
    return c.text(c.req.path)
  })
  app.onError((error: Error, c: Any) => c.text(error.message, 500))
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false })
  return { listener, close: () => payments.close() }
}

/** The frameworks by name, each with a suffix for test names if it is not installed. */
export const FRAMEWORKS: readonly [name: string, why: string, make: MakeApp][] = [
  ['Express', absentPeers('express'), makeExpress],
  ['Hono', absentPeers('hono', '@hono/node-server'), makeHono],
]
