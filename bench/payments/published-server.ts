import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createWalletClient, type Hex, http, nonceManager, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { sei } from 'viem/chains'
import { devAccount } from '../../test/support/node/dev-wallet.ts'
import { peerPackage } from './peer-package.ts'
import { BODY, CHAIN_ID, NETWORK, PAY_TO, SETTLERS } from './resource.ts'

interface Response {
  json(value: unknown): void
}
type Handler = (request: { readonly body: unknown }, response: Response) => void
interface Express {
  use(...handlers: unknown[]): void
  get(path: string, handler: Handler): void
  post(path: string, handler: Handler): void
  listen(port: number, host: string, done: () => void): Server
}

/** What both versions send to a facilitator, in their packages' own shapes. */
interface Asked {
  readonly paymentPayload: unknown
  readonly paymentRequirements: unknown
}

type Facilitator = Readonly<Record<'verify' | 'settle', (asked: Asked) => Promise<unknown>>>

const [version, rpc] = process.argv.slice(2) as ['v1' | 'v2', string]
const express = peerPackage<(() => Express) & { json(): unknown }>('express')

/** Polls for a receipt every 20 ms, to keep a node's timeouts and pauses out of the figures. */
function settler() {
  const key = devAccount(SETTLERS[version]).getHdKey().privateKey as Uint8Array
  const account = privateKeyToAccount(`0x${Buffer.from(key).toString('hex')}`, { nonceManager })
  const chain = { ...sei, id: CHAIN_ID }
  const transport = http(rpc, { retryCount: 0 })
  return createWalletClient({ account, chain, transport, pollingInterval: 20 }).extend(
    publicActions,
  )
}

const payTo = devAccount(PAY_TO).address as Hex

/** Adds x402-express 1.2 with the facilitator of x402 1.2, which it reaches over HTTP as usual. */
function firstVersion(app: Express): Facilitator {
  const { paymentMiddleware } =
    peerPackage<Record<'paymentMiddleware', (...args: unknown[]) => unknown>>('x402-express')
  type Step = (client: unknown, payload: unknown, requirements: unknown) => Promise<unknown>
  const { verify, settle } = peerPackage<Record<'verify' | 'settle', Step>>('x402/facilitator')
  const client = settler()
  const facilitator: Facilitator = {
    verify: (asked) => verify(client, asked.paymentPayload, asked.paymentRequirements),
    settle: (asked) => settle(client, asked.paymentPayload, asked.paymentRequirements),
  }
  const routes = { 'GET /weather': { price: '$0.001', network: NETWORK } }
  // The port is known after the server listens, and no request comes before.
  const here = {
    get url() {
      return `http://127.0.0.1:${port()}`
    },
  }
  app.use(paymentMiddleware(payTo, routes, here))
  return facilitator
}

/** Adds @x402/express 2.27 with the facilitator of @x402/core and @x402/evm, called in the process. */
function secondVersion(app: Express): Facilitator {
  type Maker = new (
    ...args: unknown[]
  ) => {
    register(network: string, scheme: unknown): unknown
    verify(payload: unknown, requirements: unknown): Promise<unknown>
    settle(payload: unknown, requirements: unknown): Promise<unknown>
    getSupported(): unknown
  }
  const { paymentMiddleware, x402ResourceServer } = peerPackage<{
    paymentMiddleware(...args: unknown[]): unknown
    x402ResourceServer: Maker
  }>('@x402/express')
  const { x402Facilitator } = peerPackage<{ x402Facilitator: Maker }>('@x402/core/facilitator')
  type Scheme = { ExactEvmScheme: new (...args: unknown[]) => unknown }
  const served = peerPackage<Scheme>('@x402/evm/exact/server')
  const settled = peerPackage<Scheme>('@x402/evm/exact/facilitator')
  const { toFacilitatorEvmSigner } =
    peerPackage<Record<'toFacilitatorEvmSigner', (client: object) => unknown>>('@x402/evm')

  const network = `eip155:${CHAIN_ID}`
  const client = settler()
  const signer = toFacilitatorEvmSigner({ ...client, address: client.account.address })
  const facilitator = new x402Facilitator()
  facilitator.register(network, new settled.ExactEvmScheme(signer))
  const own = {
    verify: (payload: unknown, terms: unknown) => facilitator.verify(payload, terms),
    settle: (payload: unknown, terms: unknown) => facilitator.settle(payload, terms),
    getSupported: async () => facilitator.getSupported(),
  }
  const server = new x402ResourceServer(own)
  server.register(network, new served.ExactEvmScheme())
  const accepts = { scheme: 'exact', price: '$0.001', network, payTo }
  app.use(paymentMiddleware({ 'GET /weather': { accepts } }, server))
  return {
    verify: (asked) => facilitator.verify(asked.paymentPayload, asked.paymentRequirements),
    settle: (asked) => facilitator.settle(asked.paymentPayload, asked.paymentRequirements),
  }
}

const app = express()
const port = () => (listener.address() as AddressInfo).port
const facilitator = version === 'v1' ? firstVersion(app) : secondVersion(app)
for (const step of ['verify', 'settle'] as const) {
  app.use(`/${step}`, express.json())
  app.post(`/${step}`, async (request, response) => {
    response.json(await facilitator[step](request.body as Asked))
  })
}
app.get('/weather', (_, response) => response.json(BODY))
app.get('/free', (_, response) => response.json(BODY))
const listener = app.listen(0, '127.0.0.1', () => process.send?.(port()))
