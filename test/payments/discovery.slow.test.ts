import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createWalletClient, type Hex, http } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { wrapFetchWithPayment } from '../../host/entry/payments-fetch.ts'
import {
  PAYMENT_TOKEN_BALANCE_SLOTS,
  PAYMENT_TOKEN_CODE,
} from '../../host/evm/chain-types/generated/payment-token.ts'
import { makeHome, removeHome, runCommand, startDaemon } from '../support/node/daemon.ts'
import { call } from '../support/node/json-rpc.ts'
import { viemChain } from '../support/node/viem-chain.ts'
import {
  type GateNode,
  initGateHome,
  PAY_TO,
  startGateNode,
} from '../support/payments/gate-node.ts'
import { payerAccount } from '../support/payments/paying-clients.ts'
import { absentPeers, peer, publishedPeer } from '../support/payments/peers.ts'

const CHAIN_ID = 31_337
/** A second token of the chain, of which dev account 1 alone holds some. */
const SECOND: Hex = '0x0e00000000000000000000000000000000000402'
const HELD = 1_000_000n

const RESOURCES = `
[[payments.resource]]
path = "/report"
root = "report.json"
price = "0.001"
other-prices = ["0.002 ${SECOND}"]
description = "A report"
discovery = true
example-query = "city=Lisbon"
example-response = '{"rain": true}'

[[payments.resource]]
path = "/unlisted"
root = "report.json"
price = "0.001"
`

const home = makeHome()
let gate: GateNode
let url: string

/** Creates the second token on the chain of the home. */
async function addToken(): Promise<void> {
  const daemon = await startDaemon({ home })
  const { rpc } = daemon.ready
  const balance = `0x${HELD.toString(16).padStart(64, '0')}`
  await call(rpc, 'anvil_setCode', [SECOND, PAYMENT_TOKEN_CODE])
  await call(rpc, 'anvil_setStorageAt', [SECOND, PAYMENT_TOKEN_BALANCE_SLOTS[1], balance])
  expect(await daemon.stop()).toBe(0)
}

beforeAll(async () => {
  await initGateHome(home)
  await addToken()
  writeFileSync(join(home, 'report.json'), '{"rain":true}')
  appendFileSync(join(home, 'config', 'app.toml'), RESOURCES)
  gate = await startGateNode(home, ['--consensus.block-time', '50ms'], '/report')
  url = `http://127.0.0.1:${gate.port}`
})
afterAll(async () => {
  expect(await gate.daemon.stop()).toBe(0)
  removeHome(home)
})

async function held(token: Hex, account: string): Promise<bigint> {
  const data = `0x70a08231${account.slice(2).toLowerCase().padStart(64, '0')}`
  return BigInt(await gate.rpcCall<Hex>('eth_call', [{ to: token, data }, 'latest']))
}

function ourClient(index: number, maxAmount: Readonly<Record<string, bigint>>) {
  const chain = viemChain({ rpc: gate.rpc, chainId: CHAIN_ID })
  const wallet = createWalletClient({
    account: payerAccount(index),
    chain,
    transport: http(gate.rpc),
  })
  return wrapFetchWithPayment(fetch, wallet, { maxAmount })
}

describe(`discovery with ${publishedPeer('@x402/extensions')}`, () => {
  const isAbsent = absentPeers('@x402/extensions', '@x402/core', '@x402/fetch', '@x402/evm') !== ''

  test.skipIf(isAbsent)('finds the resource, whose price @x402/fetch pays', async () => {
    const { withBazaar } = peer('@x402/extensions/bazaar')
    const { HTTPFacilitatorClient } = peer('@x402/core/server')
    const { extensions } = withBazaar(new HTTPFacilitatorClient({ url }))
    const found = await extensions.bazaar.listResources({ type: 'http', limit: 10 })
    expect(found.pagination).toEqual({ limit: 10, offset: 0, total: 1 })
    const [item] = found.items
    expect(item).toMatchObject({
      resource: `${url}/report`,
      accepts: [
        { asset: gate.token, amount: '1000' },
        { asset: SECOND, amount: '2000' },
      ],
      extensions: { bazaar: { info: { input: { queryParams: { city: 'Lisbon' } } } } },
    })

    const { wrapFetchWithPayment: wrap, x402Client } = peer('@x402/fetch')
    const { ExactEvmScheme } = peer('@x402/evm/exact/client')
    const network = `eip155:${CHAIN_ID}`
    const client = x402Client.fromConfig({
      schemes: [{ network: 'eip155:*', client: new ExactEvmScheme(payerAccount(0)) }],
      spendControls: { allowedAssets: [{ network, asset: gate.token }] },
    })
    const query = new URLSearchParams(item.extensions.bazaar.info.input.queryParams)
    const before = await held(gate.token, PAY_TO)
    const answer = await wrap(fetch, client)(`${item.resource}?${query}`)
    expect([answer.status, await answer.json()]).toMatchObject([200, { rain: true }])
    expect((await held(gate.token, PAY_TO)) - before).toBe(1_000n)
  })
})

describe('a payment in another token', () => {
  test('is made by the client whose limits or balance allow no other, and is in the ledger', async () => {
    const pay = ourClient(1, { [gate.token]: 999n, [SECOND]: 2_000n })
    expect((await pay(`${url}/report`)).status).toBe(200)
    expect(await held(SECOND, PAY_TO)).toBe(2_000n)
    const { stdout } = await runCommand(['payments', 'list', '--home', home, '--json'])
    expect(JSON.parse(stdout)[0]).toMatchObject({
      asset: SECOND,
      amount: '2000',
      tokens: '0.002',
      symbol: 'USDC',
      paid: true,
    })
  })

  test('is not made without a balance, even if the seller preferred it', async () => {
    const limits = { [gate.token]: 1_000n, [SECOND]: 2_000n }
    const before = await held(gate.token, PAY_TO)
    expect((await ourClient(2, limits)(`${url}/report`)).status).toBe(200)
    expect((await held(gate.token, PAY_TO)) - before).toBe(1_000n)
    expect(await held(SECOND, PAY_TO)).toBe(2_000n)
  })
})
