import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DEV_ACCOUNTS } from '../../host/base/dev-accounts.ts'
import { type HttpServer, serveHttp } from '../support/http-server.ts'
import { makeHome, removeHome, runCommand } from '../support/node/daemon.ts'
import {
  type GateNode,
  initGateHome,
  PAY_TO,
  PRICE,
  startGateNode,
} from '../support/payments/gate-node.ts'
import { expectRefused, expectServed, NOT_VERIFIED } from './expectations.ts'

const home = makeHome()
const KEY_FILE = join(home, 'seller.key')
const SELLER_SECRET = (DEV_ACCOUNTS[9]?.privateKey ?? '').slice(2)
let isBroken = true
let upstream: HttpServer
let gate: GateNode

beforeAll(async () => {
  upstream = await serveHttp((_, response) => {
    response.statusCode = isBroken ? 500 : 200
    response.setHeader('content-type', 'application/json')
    response.end('{}')
  })
  await initGateHome(
    home,
    `\n[[payments.resource]]\npath = "/api"\nupstream = "${upstream.url}"\nprice = "0.001"\n`,
  )
  writeFileSync(KEY_FILE, SELLER_SECRET)
  chmodSync(KEY_FILE, 0o600)
  gate = await startGateNode(home, ['--consensus.block-time', '50ms'], '/api')
})
afterAll(async () => {
  expect(await gate.daemon.stop()).toBe(0)
  await upstream.close()
  removeHome(home)
})

const refund = (id: Hex, ...words: string[]) =>
  runCommand(['payments', 'refund', id, '--home', home, ...words])

/** Pays for `/api` by a transfer and shows it. */
async function buy(index: number) {
  const payer = gate.payer(index)
  const txHash = await payer.pay(PAY_TO, PRICE)
  const show = () => gate.show('/api', { txHash, amount: `${PRICE}`, from: payer.address })
  return { payer, txHash, show, answer: await show() }
}

test('a payment that was not served is paid back once, and then buys nothing', async () => {
  const { payer, txHash, show, answer } = await buy(1)
  expect(answer.status).toBe(500)
  const before = await payer.balance()
  // Two operators at the same time
  const ends = await Promise.all([
    refund(txHash, '--key', KEY_FILE),
    refund(txHash, '--key', KEY_FILE),
  ])
  // The later one finds either the refund in progress, which it follows, or the ended one, which it refuses
  const [first] = ends.filter(({ code }) => code === 0)
  expect(first?.stdout).toMatch(
    new RegExp(`^Refunded 0.001 USDC to ${payer.address.toLowerCase()} by 0x[0-9a-f]{64}\n$`),
  )
  for (const { code, stderr } of ends.filter((end) => end !== first)) {
    if (code !== 0) expect(stderr).toContain('has a refund already')
  }
  expect((await payer.balance()) - before).toBe(PRICE)

  isBroken = false
  expectRefused(await show(), NOT_VERIFIED, 'payment_refunded')
  const again = await refund(txHash, '--key', KEY_FILE)
  expect([again.code, again.stdout]).toEqual([64, ''])
  expect(again.stderr).toContain(`payment ${txHash} has a refund already: 0x`)
  expect((await payer.balance()) - before).toBe(PRICE)
  const { stdout } = await runCommand(['payments', 'list', '--home', home])
  expect(stdout).toContain('refunded')
})

test('a delivered payment may be paid back too, and no output contains the key', async () => {
  isBroken = false
  const { payer, txHash, answer } = await buy(2)
  expectServed(answer, txHash)
  const before = await payer.balance()
  const { code, stdout, stderr } = await refund(txHash, '--key', KEY_FILE, '--json')
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ id: txHash, paid: true })
  expect((await payer.balance()) - before).toBe(PRICE)
  expect(`${stdout}${stderr}`).not.toContain(SELLER_SECRET)
})

test('without a key, or with a file that others may read, nothing is sent', async () => {
  const { payer, txHash } = await buy(3)
  const before = await payer.balance()
  expect((await refund(txHash)).stderr).toContain('no key is named to refund with')
  chmodSync(KEY_FILE, 0o644)
  const open = await refund(txHash, '--key', KEY_FILE)
  chmodSync(KEY_FILE, 0o600)
  expect(open.stderr).toContain('others may read it')
  expect(open.stderr).not.toContain(SELLER_SECRET)
  expect(await payer.balance()).toBe(before)
})
