import { type HttpServer, serveHttp } from '../../support/http-server.ts'
import { peer } from '../../support/payments/peers.ts'

const NETWORKS: Readonly<Record<number, string>> = { 1328: 'sei-testnet', 1329: 'sei' }

/** A published seller that sells `/weather` for 0.001 of a chain's default token with a given facilitator. */
export type PublishedShop = (
  facilitator: string,
  chainId: number,
  payTo: string,
) => Promise<HttpServer>

function weather(): { app: { use(handler: unknown): void }; finish(): Promise<HttpServer> } {
  const app = peer('express')()
  return {
    app,
    finish: () => {
      app.get('/weather', (_: unknown, response: { json(value: unknown): void }) => {
        response.json({ temperature: 21 })
      })
      return serveHttp(app)
    },
  }
}

/** x402-express 1.2. */
const firstShop: PublishedShop = (url, chainId, payTo) => {
  const { app, finish } = weather()
  const route = { price: '$0.001', network: NETWORKS[chainId] }
  app.use(peer('x402-express').paymentMiddleware(payTo, { 'GET /weather': route }, { url }))
  return finish()
}

/**
 * Returns the payment terms of an x402 v2 seller, and its server with the facilitator, from the classes of a package.
 */
function secondServer(name: string, url: string, chainId: number, payTo: string) {
  const { x402ResourceServer } = peer(name)
  const { HTTPFacilitatorClient } = peer('@x402/core/server')
  const { ExactEvmScheme } = peer('@x402/evm/exact/server')
  const network = `eip155:${chainId}`
  const server = new x402ResourceServer(new HTTPFacilitatorClient({ url }))
  server.register(network, new ExactEvmScheme())
  return { server, accepts: { scheme: 'exact', price: '$0.001', network, payTo } }
}

/** @x402/express 2.27. */
const secondShop: PublishedShop = (url, chainId, payTo) => {
  const { app, finish } = weather()
  const { server, accepts } = secondServer('@x402/express', url, chainId, payTo)
  const routes = { 'GET /weather': { accepts } }
  app.use(peer('@x402/express').paymentMiddleware(routes, server))
  return finish()
}

type FetchHandler = (request: Request) => Response | Promise<Response>

function listenFetch(handler: FetchHandler): Promise<HttpServer> {
  const { getRequestListener } = peer('@hono/node-server')
  return serveHttp(getRequestListener(handler, { overrideGlobalObjects: false }))
}

function honoShop(middleware: unknown): Promise<HttpServer> {
  const app = new (peer('hono').Hono)()
  app.use(middleware)
  app.get('/weather', (c: { json(value: unknown): Response }) => c.json({ temperature: 21 }))
  return listenFetch(app.fetch)
}

/** x402-hono 1.1. */
const firstHonoShop: PublishedShop = (url, chainId, payTo) => {
  const route = { price: '$0.001', network: NETWORKS[chainId] }
  return honoShop(peer('x402-hono').paymentMiddleware(payTo, { 'GET /weather': route }, { url }))
}

/** @x402/hono 2.27. */
const secondHonoShop: PublishedShop = (url, chainId, payTo) => {
  const { server, accepts } = secondServer('@x402/hono', url, chainId, payTo)
  return honoShop(peer('@x402/hono').paymentMiddleware({ 'GET /weather': { accepts } }, server))
}

/** Serves a Next.js route handler with Next.js request objects, without the rest of its server. */
function nextShop(handler: FetchHandler): Promise<HttpServer> {
  const { NextRequest } = peer('next/server.js')
  return listenFetch((request) => {
    const { method, headers } = request
    return handler(new NextRequest(request.url, { method, headers }))
  })
}

const nextWeather = async () => peer('next/server.js').NextResponse.json({ temperature: 21 })

/** x402-next 1.2. */
const firstNextShop: PublishedShop = (url, chainId, payTo) => {
  const route = { price: '$0.001', network: NETWORKS[chainId] }
  return nextShop(peer('x402-next').withX402(nextWeather, payTo, route, { url }))
}

/** @x402/next 2.25. */
const secondNextShop: PublishedShop = (url, chainId, payTo) => {
  const { server, accepts } = secondServer('@x402/next', url, chainId, payTo)
  return nextShop(peer('@x402/next').withX402(nextWeather, { accepts }, server))
}

export interface ShopRow {
  readonly name: string
  readonly packages: readonly string[]
  readonly protocol: 'v1' | 'v2'
  readonly open: PublishedShop
}

/** Sellers of other projects, as published. */
export const PUBLISHED_SHOPS: readonly ShopRow[] = [
  {
    name: 'x402-express 1.2',
    packages: ['express', 'x402-express'],
    protocol: 'v1',
    open: firstShop,
  },
  {
    name: '@x402/express 2.27',
    packages: ['express', '@x402/express', '@x402/evm'],
    protocol: 'v2',
    open: secondShop,
  },
  {
    name: 'x402-hono 1.1',
    packages: ['hono', '@hono/node-server', 'x402-hono'],
    protocol: 'v1',
    open: firstHonoShop,
  },
  {
    name: '@x402/hono 2.27',
    packages: ['hono', '@hono/node-server', '@x402/hono', '@x402/evm'],
    protocol: 'v2',
    open: secondHonoShop,
  },
  {
    name: 'x402-next 1.2',
    packages: ['next', '@hono/node-server', 'x402-next'],
    protocol: 'v1',
    open: firstNextShop,
  },
  {
    name: '@x402/next 2.25',
    packages: ['next', '@hono/node-server', '@x402/next', '@x402/evm'],
    protocol: 'v2',
    open: secondNextShop,
  },
]
