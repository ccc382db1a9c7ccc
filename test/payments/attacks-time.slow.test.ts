import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeHome, removeHome } from '../support/node/daemon.ts'
import type { RawResponse } from '../support/node/raw-socket.ts'
import {
  type GateNode,
  initGateHome,
  PAY_TO,
  PRICE,
  startGateNode,
} from '../support/payments/gate-node.ts'
import { until } from '../support/until.ts'
import { type CountingUpstream, SECRET, startCountingUpstream } from './counting-upstream.ts'
import { expectRefused, NOT_VERIFIED } from './expectations.ts'

/** Short times, so that the tests wait for seconds of the chain's clock instead of minutes. */
const TIMES = [
  ...['--payments.max-timeout', '2s', '--payments.clock-skew', '0s'],
  ...['--payments.proof-lifetime', '4s', '--consensus.block-time', '50ms'],
]

const home = makeHome()
let upstream: CountingUpstream
let gate: GateNode

beforeAll(async () => {
  upstream = await startCountingUpstream()
  const paths = ['/known', '/unasked', '/late', '/old']
  const resources = paths.map(
    (path) => `
[[payments.resource]]
path = "${path}"
upstream = "${upstream.url}"
price = "0.001"
`,
  )
  await initGateHome(home, resources.join(''))
  gate = await startGateNode(home, TIMES, '/known')
})

afterAll(async () => {
  await gate?.daemon.stop()
  await upstream?.close()
  removeHome(home)
})

async function blockTime(): Promise<number> {
  const block = await gate.rpcCall<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false])
  return Number(block.timestamp)
}

/** Waits for seconds of the chain's clock. */
async function pass(seconds: number): Promise<void> {
  const end = (await blockTime()) + seconds
  await until(async () => (await blockTime()) > end)
}

async function pay() {
  const payer = gate.payer(0)
  return {
    txHash: await payer.pay(PAY_TO, PRICE),
    amount: String(PRICE),
    from: payer.address,
  }
}

function expectSecret(answer: RawResponse): void {
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 200 })
  expect(answer.body).toContain(SECRET)
}

async function expectNextServed(target: string): Promise<void> {
  await gate.challenge(target)
  expectSecret(await gate.show(target, await pay()))
}

test('a payment made before any challenge for its resource is refused', async () => {
  const payload = await pay()
  await pass(1)
  await gate.challenge('/unasked')
  expectRefused(await gate.show('/unasked', payload), NOT_VERIFIED, 'payment_outside_window')
  await expectNextServed('/unasked')
})

test('a payment made after its challenge expired is refused, even after a later challenge', async () => {
  await gate.challenge('/late')
  await pass(3)
  const payload = await pay()
  // Times are whole seconds: one second later, the payment is older than any new challenge.
  await pass(1)
  // Each refusal is also a challenge, for payments made after it.
  expectRefused(await gate.show('/late', payload), NOT_VERIFIED, 'payment_outside_window')
  expectRefused(await gate.show('/late', payload), NOT_VERIFIED, 'payment_outside_window')
  await expectNextServed('/late')
})

test('a payment made in time is refused after its proof has expired', async () => {
  await gate.challenge('/old')
  const payload = await pay()
  await pass(5)
  expectRefused(await gate.show('/old', payload), NOT_VERIFIED, 'payment_expired')
  await expectNextServed('/old')
})
