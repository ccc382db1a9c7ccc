import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeHome, removeHome, runCommand } from '../support/node/daemon.ts'
import {
  type GateNode,
  initGateHome,
  PAY_TO,
  PRICE,
  startGateNode,
} from '../support/payments/gate-node.ts'

const home = makeHome()
const LONG = 'a line of a long file\n'.repeat(40_000)
let gate: GateNode

beforeAll(async () => {
  const folder = join(home, 'sold')
  mkdirSync(join(folder, 'sub'), { recursive: true })
  writeFileSync(join(folder, 'index.html'), '<p>all of it')
  writeFileSync(join(folder, 'sub', 'note one.txt'), 'noted')
  writeFileSync(join(folder, 'list.json'), '[1]')
  writeFileSync(join(folder, 'long.txt'), LONG)
  writeFileSync(join(folder, '.hidden'), 'secret')
  writeFileSync(join(home, 'outside.txt'), 'secret')
  symlinkSync(join(home, 'outside.txt'), join(folder, 'link.txt'))
  symlinkSync(home, join(folder, 'up'))
  symlinkSync(join(folder, 'list.json'), join(folder, 'within.json'))
  writeFileSync(join(home, 'report.json'), '{"big": 12345678901234567890}\n')
  await initGateHome(
    home,
    `
[[payments.resource]]
path = "/report"
root = "report.json"
price = "0.001"

[[payments.resource]]
path = "/files"
root = "sold"
price = "0.001"
`,
  )
  gate = await startGateNode(home, ['--consensus.block-time', '50ms'], '/report')
})
afterAll(async () => {
  await gate?.daemon.stop()
  removeHome(home)
})

async function buy(path: string) {
  await gate.challenge(path)
  const txHash = await gate.payer(0).pay(PAY_TO, PRICE)
  return { txHash, ...(await show(path, txHash)) }
}

function show(path: string, txHash: Hex) {
  return gate.show(path, { txHash, amount: `${PRICE}`, from: gate.payer(0).address })
}

describe('the gate that sells files', () => {
  test('adds the payment to a JSON object as a member and leaves its numbers as written', async () => {
    const { txHash, status, body } = await buy('/report')
    expect([status, body]).toEqual([
      200,
      `{"big": 12345678901234567890,"payment":{"isValid":true,"txHash":"${txHash}"}}\n`,
    ])
  })

  test.each([
    ['/files', 'text/html; charset=utf-8', '<p>all of it'],
    ['/files/', 'text/html; charset=utf-8', '<p>all of it'],
    ['/files/sub/note%20one.txt', 'text/plain; charset=utf-8', 'noted'],
    ['/files/list.json', 'application/json', '[1]'],
    ['/files/within.json', 'application/json', '[1]'],
    ['/files/long.txt', 'text/plain; charset=utf-8', LONG],
  ])('serves the whole file %s under its name', async (path, type, content) => {
    const { status, headers, body } = await buy(path)
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      200,
      [type],
      ['no-store'],
    ])
    expect(body).toBe(content)
  })

  test.each([
    '/files/none.txt',
    '/files/sub',
    '/files/sub/',
    '/files/.hidden',
    '/files/link.txt',
    '/files/up/outside.txt',
    '/files/up/config/app.toml',
    '/files/list.json/',
    '/report/',
    '/report/x',
    '/files2',
    '/Files/list.json',
    '/',
  ])('answers 404 without asking for a payment for %s, which does not exist', async (path) => {
    const { status, headers } = await gate.ask('GET', path)
    expect([status, headers.has('payment-required')]).toEqual([404, false])
  })

  test('ignores a range request and sells only the whole file', async () => {
    await gate.challenge('/files/list.json')
    const { status, headers } = await gate.ask('GET', '/files/list.json', [['range', 'bytes=0-0']])
    expect([status, headers.has('content-range')]).toEqual([402, false])
  })

  test('charges nothing for a file that was deleted, and serves it after it is restored', async () => {
    const path = join(home, 'sold', 'list.json')
    await gate.challenge('/files/list.json')
    const txHash = await gate.payer(0).pay(PAY_TO, PRICE)
    rmSync(path)
    expect((await show('/files/list.json', txHash)).status).toBe(404)
    writeFileSync(path, '[2]')
    const served = await show('/files/list.json', txHash)
    expect([served.status, served.body]).toEqual([200, '[2]'])
  })
})

describe('the gate does not start', () => {
  test('if a price has more decimals than the token, or a file does not exist', async () => {
    const bare = makeHome()
    const start = () =>
      runCommand([
        ...['start', '--dev', '--home', bare, '--evm.http-port', '0'],
        ...['--rpc.laddr', 'tcp://127.0.0.1:0', '--payments.enable', 'true'],
        ...['--payments.address', '127.0.0.1:0'],
      ])
    await initGateHome(
      bare,
      '[[payments.resource]]\npath = "/a"\nroot = "x"\nprice = "0.0000001"\n',
    )
    const precise = await start()
    expect(precise.stderr).toContain(
      'price = "0.0000001" of /a has more than the 6 decimals of USDC\nHint: write a multiple of 0.000001\n',
    )
    expect(precise.code).toBe(78)
    writeFileSync(
      join(bare, 'config', 'app.toml'),
      '[[payments.resource]]\npath = "/a"\nroot = "x"\nprice = "1"\n',
    )
    expect((await start()).stderr).toContain(`root = "x" of /a: ${join(bare, 'x')} does not exist`)
    removeHome(bare)
  })
})
