import { join } from 'node:path'
import type { Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openLedger } from '../../host/payments/claim/ledger.ts'
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
import {
  type CountingUpstream,
  SECRET,
  serveSecret,
  startCountingUpstream,
} from './counting-upstream.ts'
import { expectRefused, NOT_VERIFIED } from './expectations.ts'

const OPTIONS = ['--consensus.block-time', '50ms']

const home = makeHome()
let upstream: CountingUpstream
let gate: GateNode

interface Payload extends Readonly<Record<string, unknown>> {
  readonly txHash: Hex
}

/** Makes a payment that was not presented yet. */
async function pay(index = 0): Promise<Payload> {
  const payer = gate.payer(index)
  await gate.challenge('/behind')
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

/**
 * Waits until the delivery of a payment is marked. A gate that is killed after the last byte and before the mark
 * serves it again, since the payer may have received nothing.
 */
async function marked({ txHash }: Payload): Promise<void> {
  const ledger = await openLedger(join(home, 'data', 'payments'))
  await until(() => ledger.find(txHash)[0]?.state === 'delivered')
  await ledger.close()
}

async function restart(signal: NodeJS.Signals): Promise<void> {
  await gate.daemon.stop(signal)
  gate = await startGateNode(home, OPTIONS, '/behind')
}

beforeAll(async () => {
  upstream = await startCountingUpstream()
  const resource = (path: string) => `
[[payments.resource]]
path = "${path}"
upstream = "${upstream.url}"
price = "0.001"
`
  await initGateHome(home, `${resource('/behind')}${resource('/other')}`)
  gate = await startGateNode(home, OPTIONS, '/behind')
})

afterAll(async () => {
  await gate?.daemon.stop()
  await upstream?.close()
  removeHome(home)
})

describe('a payment is accepted only once', () => {
  test('if a hundred concurrent requests present it', async () => {
    const payload = await pay()
    const before = upstream.reached.length
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => gate.show('/behind', payload)),
    )
    const served = answers.filter(({ status }) => status === 200)
    expect(served).toHaveLength(1)
    for (const answer of answers) if (answer.status !== 200) expect(answer.status).toBe(402)
    expect(upstream.reached.length - before).toBe(1)
  })

  test('if a hundred concurrent requests present it for two resources', async () => {
    const payload = await pay()
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) => gate.show(i % 2 === 0 ? '/behind' : '/other', payload)),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('and not for another resource afterwards, or for the same with another query', async () => {
    const payload = await pay()
    expectSecret(await gate.show('/behind', payload))
    for (const target of ['/other', '/behind?more', '/behind']) {
      expectRefused(await gate.show(target, payload), NOT_VERIFIED, 'payment_spent')
    }
  })

  test.each(['SIGTERM', 'SIGKILL'] as const)('and not again after %s', async (signal) => {
    const payload = await pay()
    expectSecret(await gate.show('/behind', payload))
    await marked(payload)
    await restart(signal)
    expectRefused(await gate.show('/behind', payload), NOT_VERIFIED, 'payment_spent')
    expectSecret(await gate.show('/behind', await pay()))
  })
})

describe('a resource that was paid for but not served is served to the payer later', () => {
  /** Expects that, with a working upstream, the payer's next attempts are served once and nothing else is. */
  async function expectOwed(payload: Payload): Promise<void> {
    upstream.answer = serveSecret
    const thief = await gate.show('/other', payload)
    expect({ status: thief.status, body: thief.body }).toMatchObject({ status: 402 })
    expectSecret(await gate.show('/behind', payload))
    expectRefused(await gate.show('/behind', payload), NOT_VERIFIED, 'payment_spent')
  }

  test('if the upstream returns an error', async () => {
    const payload = await pay()
    upstream.answer = (_, response) => {
      response.statusCode = 500
      response.end('broken')
    }
    const failed = await gate.show('/behind', payload)
    expect(failed.status).toBeGreaterThanOrEqual(500)
    await expectOwed(payload)
  })

  test('if the upstream returns 404', async () => {
    const payload = await pay()
    upstream.answer = (_, response) => {
      response.statusCode = 404
      response.end('none')
    }
    expect((await gate.show('/behind', payload)).status).toBe(404)
    await expectOwed(payload)
  })

  test('if the upstream disconnects before its response', async () => {
    const payload = await pay()
    upstream.answer = (request) => request.socket.destroy()
    expect((await gate.show('/behind', payload)).status).toBe(502)
    await expectOwed(payload)
  })

  test('if the upstream disconnects during its response', async () => {
    const payload = await pay()
    upstream.answer = (_, response) => {
      response.setHeader('content-length', '1000')
      response.write('{"half')
      setImmediate(() => response.destroy())
    }
    const half = await gate.show('/behind', payload).catch((error: Error) => error)
    if (!(half instanceof Error)) expect(half.status).toBe(502)
    await expectOwed(payload)
  })

  test('after kill -9 between the claim and the response', async () => {
    const payload = await pay()
    const before = upstream.reached.length
    upstream.answer = () => undefined
    const cut = gate.show('/behind', payload).catch((error: Error) => error)
    await until(() => upstream.reached.length > before)
    expectRefused(await gate.show('/behind', payload), NOT_VERIFIED, 'payment_in_progress')
    await restart('SIGKILL')
    expect(await cut).toBeInstanceOf(Error)
    await expectOwed(payload)
  })
})
