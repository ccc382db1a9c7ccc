import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ChildServer, startChildServer } from '../../bench/payments/child-server.ts'
import type { Hex } from '../../host/base/hex.ts'
import { type HttpServer, serveHttp } from '../support/http-server.ts'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { call } from '../support/node/json-rpc.ts'
import {
  type ClientRow,
  OUR_CLIENTS,
  type PayerChain,
  PUBLISHED_CLIENTS,
  payerAccount,
  titleOf,
} from '../support/payments/paying-clients.ts'
import { absentPeers } from '../support/payments/peers.ts'
import { HandlerLog } from '../support/payments/sold-app.ts'
import { FRAMEWORKS } from './shop/framework-apps.ts'
import { fundedKey } from './shop/funded-key.ts'
import { PUBLISHED_SHOPS } from './shop/published-shops.ts'

/** A chain whose token the published packages know. */
const CHAIN_ID = 1329
const PAY_TO = devAccount(9).address as Hex
const CLIENTS = [...PUBLISHED_CLIENTS, ...OUR_CLIENTS]

const home = makeHome()
let daemon: Daemon
let chain: PayerChain

beforeAll(async () => {
  daemon = await startDaemon({
    home,
    arguments: [
      ...['--payments.enable', 'true', '--payments.address', '127.0.0.1:0'],
      ...['--chain-id', `${CHAIN_ID}`, '--consensus.block-time', '50ms'],
    ],
  })
  const { rpc, paymentToken } = daemon.ready
  chain = { rpc, chainId: CHAIN_ID, asset: paymentToken as Hex }
})
afterAll(async () => {
  expect(await daemon.stop()).toBe(0)
  removeHome(home)
})

function urlOf({ url }: HttpServer): string {
  return `${url}/weather`
}

/** Returns the token balance of the payee. */
async function revenue(): Promise<bigint> {
  const data = `0x70a08231${PAY_TO.slice(2).padStart(64, '0')}`
  return BigInt(await call<Hex>(chain.rpc, 'eth_call', [{ to: chain.asset, data }, 'latest']))
}

/** Lets a client pay. Expects that it is served and that the payee received 0.001. */
async function expectPaid(
  row: ClientRow,
  url: string,
  account: number,
  body: object = { temperature: 21 },
): Promise<void> {
  const before = await revenue()
  const answer = await row.get(url, chain, payerAccount(account))
  expect([answer.status, answer.body]).toMatchObject([200, body])
  expect(answer.receipt).toMatch(/^eyJ/)
  expect((await revenue()) - before).toBe(1_000n)
}

describe.each(FRAMEWORKS)('the seller %s with the adapter of Lockstep%s', (_, why, make) => {
  const folder = mkdtempSync(join(tmpdir(), 'shop-'))
  const log = new HandlerLog()
  let server: HttpServer
  let app: ReturnType<typeof make> | undefined

  beforeAll(async () => {
    if (why !== '') return
    const { rpc, asset } = chain
    const settlement = { key: await fundedKey(rpc, CHAIN_ID, 7) }
    const onFailure = (error: unknown) => log.failures.push(error)
    app = make({ chain: rpc, asset, payTo: PAY_TO, folder, settlement, onFailure }, log)
    server = await serveHttp(app.listener)
  })
  afterAll(async () => {
    await server?.close()
    await app?.close()
    rmSync(folder, { recursive: true })
    expect(log.failures).toEqual([])
  })

  for (const [index, row] of CLIENTS.entries()) {
    const isSkipped = why !== '' || absentPeers(...row.packages) !== ''
    test.skipIf(isSkipped)(`is paid by ${titleOf(row)}`, () =>
      expectPaid(row, urlOf(server), index % 7),
    )
  }
})

describe.each(FRAMEWORKS)(
  'the seller %s with the adapter of Lockstep%s and the node as facilitator',
  (_, why, make) => {
    const folder = mkdtempSync(join(tmpdir(), 'shop-'))
    const log = new HandlerLog()
    let server: HttpServer
    let app: ReturnType<typeof make> | undefined

    beforeAll(async () => {
      if (why !== '') return
      const { rpc, asset } = chain
      const settlement = { facilitator: daemon.ready.payments as string }
      const onFailure = (error: unknown) => log.failures.push(error)
      app = make({ chain: rpc, asset, payTo: PAY_TO, folder, settlement, onFailure }, log)
      server = await serveHttp(app.listener)
    })
    afterAll(async () => {
      await server?.close()
      await app?.close()
      rmSync(folder, { recursive: true })
      expect(log.failures).toEqual([])
    })

    const rows = (['v1', 'v2'] as const).flatMap((wanted) =>
      PUBLISHED_CLIENTS.filter(({ protocol }) => protocol === wanted).slice(0, 1),
    )
    for (const [index, row] of rows.entries()) {
      const isSkipped = why !== '' || absentPeers(...row.packages) !== ''
      test.skipIf(isSkipped)(`is paid by ${titleOf(row)}`, () =>
        expectPaid(row, urlOf(server), index % 7),
      )
    }
  },
)

/** Returns true if a client can pay there. Only authorizations work: no references, no transfers. */
function paysThere(row: ClientRow, protocol: 'v1' | 'v2'): boolean {
  return (
    row.protocol !== 'contract' && (!PUBLISHED_CLIENTS.includes(row) || row.protocol === protocol)
  )
}

describe.each(PUBLISHED_SHOPS)('the seller $name', ({ packages, protocol, open }) => {
  const why = absentPeers(...packages)
  const rows = CLIENTS.filter((row) => paysThere(row, protocol))

  describe(`with the node as facilitator${why}`, () => {
    let server: HttpServer

    beforeAll(async () => {
      if (why === '') server = await open(daemon.ready.payments as string, CHAIN_ID, PAY_TO)
    })
    afterAll(() => server?.close())

    for (const [index, row] of rows.entries()) {
      test.skipIf(why !== '' || absentPeers(...row.packages) !== '')(
        `is paid by ${titleOf(row)}`,
        () => expectPaid(row, urlOf(server), index),
      )
    }
  })

  if (!packages.includes('express')) return
  describe(`with its own facilitator${why}`, () => {
    let child: ChildServer

    beforeAll(async () => {
      if (why === '') child = await startChildServer('published-server', [protocol, chain.rpc])
    })
    afterAll(() => (why === '' ? child.stop() : undefined))

    for (const [index, row] of OUR_CLIENTS.filter((one) => paysThere(one, protocol)).entries()) {
      test.skipIf(why !== '' || absentPeers(...row.packages) !== '')(
        `is paid by ${titleOf(row)}`,
        () => expectPaid(row, `http://127.0.0.1:${child.port}/weather`, index, { temperature: 4 }),
      )
    }
  })
})
