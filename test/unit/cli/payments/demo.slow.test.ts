import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Daemon,
  makeHome,
  removeHome,
  runCommand,
  startDaemon,
} from '../../../support/node/daemon.ts'

const HASH = /0x[0-9a-f]{64}/

function demoFolders(): readonly string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('lockstep-payments-'))
}

test('payments demo shows the 402, the payment and the 200, and leaves nothing behind', async () => {
  const before = demoFolders()
  const { code, stdout, stderr } = await runCommand(['payments', 'demo'])
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: 'Starting a dev chain with a payment gate in a temporary folder\n',
  })
  const hash = HASH.exec(stdout)?.[0]
  expect(stdout.replace(/127\.0\.0\.1:\d+/g, 'HOST')).toBe(
    `GET http://HOST/weather
  402 Payment Required: 0.001 USDC to 0xa0ee7a142d267c1f36714e4a8f75612f20a79720 on eip155:31337

Transfer of 0.001 USDC from 0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266
  transaction ${hash}

GET http://HOST/weather with its proof in X-Payment
  200 OK: {"city":"Lisbon","weather":"sunny","temperature":24,"unit":"celsius","payment":{"isValid":true,"txHash":"${hash}"}}

The same proof once more
  402 Payment Required: payment_spent
`,
  )
  expect(demoFolders()).toEqual(before)
})

describe('payments demo beside a running node', () => {
  const home = makeHome()
  let daemon: Daemon
  beforeAll(async () => {
    const gate = ['--payments.enable', 'true', '--payments.address', '127.0.0.1:0']
    daemon = await startDaemon({ home, arguments: gate })
  })
  afterAll(async () => {
    await daemon.stop()
    removeHome(home)
  })

  test('pays at that node and prints an object', async () => {
    const { code, stdout, stderr } = await runCommand([
      'payments',
      'demo',
      '--home',
      home,
      '--json',
    ])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const { url, exchanges, payment } = JSON.parse(stdout)
    expect(url).toBe(`${daemon.ready.payments}/weather`)
    expect(exchanges.map(({ status }: { status: number }) => status)).toEqual([402, 200, 402])
    expect(exchanges[1].body.payment).toEqual({ isValid: true, txHash: payment.transaction })
    const listed = await runCommand(['payments', 'list', '--home', home, '--json'])
    expect(JSON.parse(listed.stdout)).toHaveLength(1)
  })
})

test('payments demo says how to start a node if none is running', async () => {
  const home = makeHome()
  const { code, stderr } = await runCommand(['payments', 'demo', '--home', home])
  removeHome(home)
  expect(code).toBe(69)
  expect(stderr).toBe(
    `Error: no node runs in ${home}\n` +
      'Hint: start it with `lockstep start --dev --payments.enable`, or omit --home\n',
  )
})
