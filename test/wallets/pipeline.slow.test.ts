import { Webhook } from 'standardwebhooks'
import { createWalletClient, http, parseEther } from 'viem'
import { hardhat } from 'viem/chains'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FakeServer, startFakeServer } from '../support/fake-server.ts'
import {
  type Daemon,
  makeHome,
  removeHome,
  runCommand,
  startDaemon,
} from '../support/node/daemon.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { until } from '../support/until.ts'
import { RECIPIENT } from '../support/wallet/pipeline-fixture.ts'
import { walletChild } from '../support/wallet/wallet-child.ts'

const home = makeHome()
const CAIP2 = 'eip155:31337'
let daemon: Daemon
let receiver: FakeServer
let headers: Record<string, string>
let secret: string
let walletId: string

interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, never>> & {
    readonly id: string
    readonly status: string
    readonly secret: string
    readonly address: `0x${string}`
    readonly data: { readonly transaction_id: string; readonly hash: string }
  }
}

async function call(method: string, path: string, body?: unknown, more = {}): Promise<Answer> {
  const response = await fetch(`${daemon.ready.wallets}${path}`, {
    method,
    headers: { ...headers, ...more },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Answer['body'] }
}

function send(value: number, more = {}): Promise<Answer> {
  const params = { transaction: { to: RECIPIENT, value } }
  const body = { method: 'eth_sendTransaction', caip2: CAIP2, params }
  return call('POST', `/v1/wallets/${walletId}/rpc`, body, more)
}

const statusOf = async (id: string) => (await call('GET', `/v1/transactions/${id}`)).body.status

beforeAll(async () => {
  receiver = await startFakeServer()
  daemon = await startDaemon({
    home,
    arguments: [
      '--wallets.enable',
      'true',
      '--wallets.address',
      '127.0.0.1:0',
      '--wallets.webhook-allow-private',
      'true',
    ],
  })
  const made = await runCommand(['wallet', 'app', 'create', '--json', '--home', home])
  const { appId, appSecret } = JSON.parse(made.stdout)
  headers = {
    'content-type': 'application/json',
    authorization: `Basic ${Buffer.from(`${appId}:${appSecret}`).toString('base64')}`,
    'privy-app-id': appId,
  }
  ;({ secret } = (await call('POST', '/v1/webhooks', { url: `${receiver.url}/` })).body)
  const { id, address } = (await call('POST', '/v1/wallets', { chain_type: 'ethereum' })).body
  walletId = id
  const rich = createWalletClient({
    account: devAccount(0),
    chain: hardhat,
    transport: http(daemon.ready.rpc),
  })
  const funded = await rich.sendTransaction({ to: address, value: parseEther('5') })
  await until(async () => (await balance()) !== '0')
  expect(funded).toMatch(/^0x/)
})
afterAll(async () => {
  await daemon.stop()
  await receiver.close()
  removeHome(home)
})

async function balance(): Promise<string> {
  const { body } = await call('GET', `/v1/wallets/${walletId}/balance`)
  return (body as unknown as { balances: { raw_value: string }[] }).balances[0]?.raw_value ?? '0'
}

test('a wallet sends through a running node, and signed webhooks report each step', async () => {
  const { status, body } = await send(5)
  expect([status, body]).toEqual([200, expect.objectContaining({ method: 'eth_sendTransaction' })])
  const { transaction_id: id, hash } = body.data
  await until(async () => (await statusOf(id)) === 'finalized')
  await until(() =>
    receiver.received.some(({ body: text }) => text.includes('transaction.confirmed')),
  )
  const events = receiver.received.map(({ headers: sent, body: text }) => {
    const plain = Object.fromEntries(
      Object.entries(sent).map(([name, value]) => [name, String(value)]),
    )
    return new Webhook(secret).verify(text, plain) as Record<string, string>
  })
  expect(events.at(-1)).toMatchObject({
    type: 'transaction.confirmed',
    transaction_id: id,
    transaction_hash: hash,
  })
})

test('each request with an idempotency key is one transaction even if API and signer are killed meanwhile', async () => {
  const before = BigInt(await balance())
  const acknowledged = new Set<string>()
  const asks = Array.from({ length: 20 }, async (_, i) => {
    for (;;) {
      const key = { 'privy-idempotency-key': `kill-${i}` }
      const answer = await send(parseInt('1000000000000000', 10), key).catch(() => undefined)
      if (answer?.status === 200) {
        acknowledged.add(answer.body.data.transaction_id)
        return
      }
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  })
  await until(() => acknowledged.size >= 3)
  for (const name of ['service-main', 'signer-main'] as const) {
    const childOf = () => walletChild(daemon.ready.pid, name)
    const pid = childOf()
    expect(pid).toBeDefined()
    process.kill(pid ?? 0, 'SIGKILL')
    await until(() => childOf() !== undefined && childOf() !== pid)
  }
  await Promise.all(asks)
  expect(acknowledged.size).toBe(20)
  for (const id of acknowledged) await until(async () => (await statusOf(id)) === 'finalized')
  const spent = before - BigInt(await balance())
  expect(spent / 10n ** 15n).toBe(20n)
  for (const id of acknowledged) {
    const ids = () =>
      receiver.received.filter(
        ({ body }) => body.includes(id) && body.includes('transaction.confirmed'),
      )
    await until(() => ids().length > 0)
  }
})
