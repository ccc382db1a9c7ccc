import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { violations } from '../support/browser/axe.ts'
import { settled, withTab } from '../support/browser/browser.ts'
import { inBrowsers } from '../support/browser/in-browsers.ts'
import { makeHome, removeHome } from '../support/node/daemon.ts'
import { exchange } from '../support/node/raw-socket.ts'
import { type GateNode, PAY_TO, PRICE, startGateNode } from '../support/payments/gate-node.ts'
import { expectHonestPayment } from './expectations.ts'

const home = makeHome()
let gate: GateNode

beforeAll(async () => {
  gate = await startGateNode(home, [
    ...['--consensus.block-time', '50ms', '--payments.binding', 'bearer'],
    ...['--instrumentation.prometheus', 'true'],
    ...['--instrumentation.prometheus-listen-addr', '127.0.0.1:0'],
  ])
  await expectHonestPayment(gate)
  await expectHonestPayment(gate, '/weather?a&b')
})
afterAll(async () => {
  await gate?.daemon.stop()
  removeHome(home)
})

describe('the payments page', () => {
  test('shows paid requests as text, not as markup', async () => {
    const revenue =
      '<td><code>/weather</code></td><td class="number">2</td><td class="number">2</td><td class="number">0.002 USDC</td>'
    // A delivery is recorded after the response.
    await expect.poll(async () => (await gate.ask('GET', '/_payments')).body).toContain(revenue)
    const { status, headers, body } = await gate.ask('GET', '/_payments')
    expect(status).toBe(200)
    const [policy = ''] = headers.get('content-security-policy') ?? []
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    )
    expect(headers.get('cache-control')).toEqual(['no-store'])
    expect(body).not.toContain('<script')
    expect(body).toContain('<code>GET /weather?a&amp;b</code>')
    expect(body).toContain('<dt>Account</dt><dd>0x23618e81e3f5cdf7f54c3d65f7fbc0abf5b21e8f</dd>')
    expect(body).toContain('<dt>Native tokens for gas</dt><dd>10000</dd>')
    expect(body).toMatch(/<dt>Settlements that it pays for<\/dt><dd>[1-9]\d+<\/dd>/)
    expect((await gate.ask('HEAD', '/_payments')).status).toBe(200)
  })

  test.each([
    ['a page of another site', [['host', 'evil.example']]],
    ['a client behind a proxy', [['x-forwarded-for', '10.0.0.1']]],
    ['a client behind a proxy that names itself', [['forwarded', 'for=10.0.0.1']]],
  ] as const)('is not served to %s', async (_, headers) => {
    const answered = await fetch(`http://127.0.0.1:${gate.port}/_payments`).then(
      (own) => own.status,
    )
    expect(answered).toBe(200)
    const all = Object.entries({ host: '127.0.0.1', ...Object.fromEntries(headers) })
    const lines = all.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    const asked = `GET /_payments HTTP/1.1\r\n${lines}\r\n`
    const { status, body } = await exchange(gate.port, asked)
    expect({ status, body }).toEqual({
      status: 403,
      body: 'this page is available only to clients on this machine\n',
    })
  })

  test('accepts only GET and HEAD', async () => {
    const { status, headers } = await gate.ask('POST', '/_payments')
    expect([status, headers.get('allow')]).toEqual([405, ['GET, HEAD']])
  })
})

test('the metrics count requests, payments and refusals', async () => {
  const txHash = await gate.payer(1).pay(PAY_TO, PRICE)
  const payload = { txHash, amount: `${PRICE}`, from: gate.payer(2).address }
  expect((await gate.show('/weather', payload)).status).toBe(402)
  const text = await (await fetch(String(gate.daemon.ready.metrics))).text()
  expect(text).toMatch(/^lockstep_payment_challenges_total\{resource="\/weather"\} [1-9]/m)
  expect(text).toContain(
    'lockstep_payments_total{resource="/weather",protocol="contract",result="delivered"} 2\n',
  )
  expect(text).toContain('lockstep_payment_refusals_total{reason="transfer_missing"} 1\n')
  expect(text).toContain('lockstep_payment_claim_seconds_count 2\n')
  expect(text).toContain('lockstep_payment_decision_seconds_count{outcome="contract"} 2\n')
  expect(text).toContain('lockstep_payment_settlements_in_flight 0\n')
  expect(text).toContain('lockstep_payment_settler_balance 10000\n')
  expect(text).toMatch(/^lockstep_payment_settlements_left [1-9]\d+$/m)
})

test('no log line contains a proof or a reference', async () => {
  const { accepts } = await gate.challenge('/weather')
  const reference = accepts[0]?.extra.reference ?? ''
  expect(reference.length).toBeGreaterThan(20)
  expect(gate.daemon.output()).not.toContain(reference)
  expect(gate.daemon.output()).toContain('resources are sold')
})

for (const theme of ['light', 'dark'] as const) {
  inBrowsers(
    `the payments page in the ${theme} theme`,
    (browser) => {
      test('the payments page fits a wide and a narrow window', async () => {
        const host = `127.0.0.1:${gate.port}`
        await withTab(
          browser(),
          { hosts: [host], viewport: { width: 1440, height: 900 } },
          async (tab) => {
            await tab.goto(`http://${host}/_payments`)
            const found = [...(await violations(tab))]
            await tab.setViewportSize({ width: 390, height: 844 })
            await settled(tab)
            found.push(...(await violations(tab)))
            expect(found).toEqual([])
          },
        )
      })
    },
    theme,
  )
}
