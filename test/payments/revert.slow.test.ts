import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Hex } from '../../host/base/hex.ts'
import { makeHome, removeHome, runCommand } from '../support/node/daemon.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { exchange, requestText } from '../support/node/raw-socket.ts'
import { type GateNode, PAY_TO, PRICE, startGateNode } from '../support/payments/gate-node.ts'
import { firstVersionProof, header64 } from '../support/payments/hand-made-proof.ts'
import { until } from '../support/until.ts'
import { expectRefused, expectServed, NOT_VERIFIED, paymentOf } from './expectations.ts'

// Payments and wallets on a development chain that evm_revert, anvil_rollback or anvil_reset takes back.

const TARGET = '/x402/weather'
const SETTLER = devAccount(8).address
const home = makeHome()
let gate: GateNode
let credentials: string
let appId: string

beforeAll(async () => {
  gate = await startGateNode(home, [
    '--dev.automine',
    'true',
    '--wallets.enable',
    'true',
    '--wallets.address',
    '127.0.0.1:0',
  ])
  const { stdout } = await runCommand(['wallet', 'app', 'create', '--json', '--home', home])
  const app = JSON.parse(stdout)
  appId = app.appId
  credentials = Buffer.from(`${app.appId}:${app.appSecret}`).toString('base64')
})

afterAll(async () => {
  await gate.daemon.stop()
  removeHome(home)
})

beforeEach(async () => {
  await gate.rpcCall('evm_setAutomine', [true])
})

const settlerNonce = async () =>
  Number(await gate.rpcCall('eth_getTransactionCount', [SETTLER, 'latest']))

/** Returns an authorization as the value of the header `X-PAYMENT`. */
async function sign(index: number): Promise<string> {
  const payload = await gate.payer(index).authorize({ to: PAY_TO, value: PRICE })
  return header64(firstVersionProof(gate.network, payload))
}

const show = (proof: string) => gate.ask('GET', TARGET, [['x-payment', proof]])

/** Returns the hash and raw bytes of a signed transfer that is in a block. */
async function transfer(index: number): Promise<{ hash: Hex; raw: Hex }> {
  const hash = await gate.payer(index).pay(PAY_TO, PRICE)
  const raw = await gate.rpcCall<Hex>('eth_getRawTransactionByHash', [hash])
  return { hash, raw }
}

const showTransfer = (index: number, txHash: Hex, target = '/weather') =>
  gate.show(target, { txHash, amount: String(PRICE), from: gate.payer(index).address })

describe('the settler on a chain that is reverted', () => {
  const ways: readonly [name: string, begin: () => Promise<() => Promise<unknown>>][] = [
    [
      'evm_revert',
      async () => {
        const id = await gate.rpcCall('evm_snapshot')
        return () => gate.rpcCall('evm_revert', [id])
      },
    ],
    [
      'anvil_rollback',
      async () => {
        const before = Number(await gate.rpcCall('eth_blockNumber'))
        return async () => {
          const height = Number(await gate.rpcCall('eth_blockNumber'))
          await gate.rpcCall('anvil_rollback', [height - before])
        }
      },
    ],
    ['anvil_reset', async () => () => gate.rpcCall('anvil_reset')],
  ]

  test.each(ways)(
    'settles authorizations again after %s, including the reverted ones',
    async (_, begin) => {
      const goBack = await begin()
      const proofs = [await sign(1), await sign(2)]
      for (const proof of proofs) expectServed(await show(proof))
      const [first = ''] = proofs
      expectRefused(await show(first), NOT_VERIFIED, 'payment_spent')
      await goBack()
      const nonce = await settlerNonce()
      // Its payment is in no block anymore, so it can be settled again, once.
      const again = await show(first)
      expectServed(again)
      expect(await gate.rpcCall('eth_getTransactionReceipt', [paymentOf(again)])).toMatchObject({
        status: '0x1',
      })
      expectRefused(await show(first), NOT_VERIFIED, 'payment_spent')
      expectServed(await show(await sign(3)))
      expect(await settlerNonce()).toBe(nonce + 2)
    },
  )

  test('serves a request that was in flight during the revert, paid once', async () => {
    const id = await gate.rpcCall('evm_snapshot')
    expectServed(await show(await sign(1)))
    const before = await gate.payer(9).balance()
    await gate.rpcCall('evm_setAutomine', [false])
    const pending = show(await sign(2))
    await until(async () => {
      const waiting = await gate.rpcCall<Hex>('eth_getTransactionCount', [SETTLER, 'pending'])
      return Number(waiting) > (await settlerNonce())
    })
    await gate.rpcCall('evm_revert', [id])
    await gate.rpcCall('evm_setAutomine', [true])
    await gate.rpcCall('evm_mine')
    expectServed(await pending)
    // The first payment was removed with its block, the second is on the chain.
    expect(await gate.payer(9).balance()).toBe(before)
    expectServed(await show(await sign(3)))
  })
})

describe('a transfer whose block was removed', () => {
  test('counts as unpaid until it is in a block again, and then pays once', async () => {
    const id = await gate.rpcCall('evm_snapshot')
    await gate.challenge('/weather')
    const { hash, raw } = await transfer(1)
    expectServed(await showTransfer(1, hash), hash)
    expectRefused(await showTransfer(1, hash), NOT_VERIFIED, 'payment_spent')
    await gate.rpcCall('evm_revert', [id])
    const gone = await showTransfer(1, hash)
    expect(gone.status).toBe(402)
    expect(await gate.rpcCall('eth_sendRawTransaction', [raw])).toBe(hash)
    expectServed(await showTransfer(1, hash), hash)
    expectRefused(await showTransfer(1, hash), NOT_VERIFIED, 'payment_spent')
  })

  test('does not affect payments below the snapshot, which stay spent', async () => {
    await gate.challenge('/weather')
    const { hash } = await transfer(2)
    expectServed(await showTransfer(2, hash), hash)
    const id = await gate.rpcCall('evm_snapshot')
    const { hash: removed } = await transfer(3)
    expectServed(await showTransfer(3, removed), removed)
    await gate.rpcCall('evm_revert', [id])
    expectRefused(await showTransfer(2, hash), NOT_VERIFIED, 'payment_spent')
  })
})

describe('a wallet on a chain that is reverted', () => {
  const port = () => Number(new URL(gate.daemon.ready.wallets as string).port)

  async function ask(method: string, path: string, body?: unknown) {
    const headers = [
      ['authorization', `Basic ${credentials}`],
      ['wallet-app-id', appId],
      ['content-type', 'application/json'],
    ] as const
    const text = body === undefined ? '' : JSON.stringify(body)
    const answer = await exchange(port(), requestText(method, path, headers, text))
    return { status: answer.status, body: JSON.parse(answer.body) }
  }

  async function send(walletId: string): Promise<{ id: string; hash: Hex }> {
    const params = { transaction: { to: devAccount(7).address, value: 1 } }
    const body = { method: 'eth_sendTransaction', caip2: 'eip155:31337', params }
    const answer = await ask('POST', `/v1/wallets/${walletId}/rpc`, body)
    expect(answer).toMatchObject({ status: 200 })
    const { transaction_id: id, hash } = answer.body.data
    return { id, hash }
  }

  const statusOf = async (id: string) => (await ask('GET', `/v1/transactions/${id}`)).body.status

  async function makeWallet(): Promise<{ id: string; address: Hex }> {
    const { body } = await ask('POST', '/v1/wallets', { chain_type: 'ethereum' })
    return body
  }

  test.each(['evm_revert', 'anvil_reset'])('sends again after %s', async (method) => {
    const { id, address } = await makeWallet()
    const fund = () => gate.rpcCall('anvil_setBalance', [address, '0xde0b6b3a7640000'])
    const snapshot = await gate.rpcCall('evm_snapshot')
    await fund()
    const removed = [await send(id), await send(id)]
    for (const { id: sent } of removed) {
      await until(async () => (await statusOf(sent)) === 'finalized')
    }
    await gate.rpcCall(method, method === 'evm_revert' ? [snapshot] : [])
    await fund()
    const again = await send(id)
    await until(async () => (await statusOf(again.id)) === 'finalized')
    expect(await gate.rpcCall('eth_getTransactionCount', [address, 'latest'])).toBe('0x1')
    for (const { id: sent } of removed) expect(await statusOf(sent)).toBe('failed')
  })
})
