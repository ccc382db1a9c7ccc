import type { Server } from 'node:http'
import { peer } from './peers.ts'
import { listen } from './sold-app.ts'

const NETWORKS: Readonly<Record<number, string>> = { 1328: 'sei-testnet', 1329: 'sei' }

/** The published servers, which sell `/weather` for 0.001 of the default token of a chain, by somebody's facilitator. */
export type PublishedShop = (facilitator: string, chainId: number, payTo: string) => Promise<Server>

function weather(): { app: { use(handler: unknown): void }; finish(): Promise<Server> } {
  const app = peer('express')()
  return {
    app,
    finish: () => {
      app.get('/weather', (_: unknown, response: { json(value: unknown): void }) => {
        response.json({ temperature: 21 })
      })
      return listen(app)
    },
  }
}

/** x402-express 1.2. */
export const firstShop: PublishedShop = (url, chainId, payTo) => {
  const { app, finish } = weather()
  const route = { price: '$0.001', network: NETWORKS[chainId] }
  app.use(peer('x402-express').paymentMiddleware(payTo, { 'GET /weather': route }, { url }))
  return finish()
}

/** @x402/express 2.27. */
export const secondShop: PublishedShop = (url, chainId, payTo) => {
  const { app, finish } = weather()
  const { paymentMiddleware, x402ResourceServer } = peer('@x402/express')
  const { HTTPFacilitatorClient } = peer('@x402/core/server')
  const { ExactEvmScheme } = peer('@x402/evm/exact/server')
  const network = `eip155:${chainId}`
  const server = new x402ResourceServer(new HTTPFacilitatorClient({ url }))
  server.register(network, new ExactEvmScheme())
  const accepts = { scheme: 'exact', price: '$0.001', network, payTo }
  app.use(paymentMiddleware({ 'GET /weather': { accepts } }, server))
  return finish()
}
