import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Daemon,
  makeHome,
  removeHome,
  runCommand,
  startDaemon,
} from '../../../support/node/daemon.ts'
import { signDynamicFee } from '../../../support/node/dev-wallet.ts'
import { call } from '../../../support/node/json-rpc.ts'
import { until } from '../../../support/until.ts'

let home: string
let node: Daemon
let raw: `0x${string}`
let evmHash: string

beforeAll(async () => {
  home = makeHome()
  node = await startDaemon({ home, arguments: ['--dev.automine', 'true'] })
  raw = await signDynamicFee(0, { nonce: 0, to: `0x${'00'.repeat(19)}bb`, value: 5n })
  evmHash = await call<string>(node.ready.rpc, 'eth_sendRawTransaction', [raw])
}, 90_000)

afterAll(async () => {
  await node.stop()
  removeHome(home)
})

const query = (...args: string[]) => runCommand(['query', ...args, '--home', home])

async function result(...args: string[]) {
  const { code, stdout, stderr } = await query(...args)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

test('query block prints a block by height, by hash, or the latest one', async () => {
  const latest = await result('block')
  expect(latest.block.header.height).toBe('1')
  expect(await result('block', '1')).toEqual(latest)
  expect(await result('block', '--type', 'hash', latest.block_id.hash)).toEqual(latest)
  expect(await result('block', latest.block_id.hash)).toEqual(latest)
  const { ready } = node
  const named = await runCommand(['query', 'block', '1', '--node', ready.consensus])
  expect(JSON.parse(named.stdout)).toEqual(latest)
})

test('query tx prints a transaction by its SHA-256 or its EVM hash', async () => {
  const bytes = Buffer.from(raw.slice(2), 'hex')
  const hash = createHash('sha256').update(bytes).digest('hex').toUpperCase()
  await until(async () => (await query('tx', hash)).code === 0)
  const found = await result('tx', hash)
  expect(found).toMatchObject({ hash, height: '1', tx: bytes.toString('base64') })
  expect(found.tx_result.code).toBe(0)
  expect(await result('tx', evmHash)).toEqual(found)
})

test('what the node does not have is an error with its words', async () => {
  const far = await query('block', '999')
  expect(far.code).not.toBe(0)
  expect(far.stderr).toContain('/block?height=999: ')
  const none = await query('tx', 'ab'.repeat(32))
  expect(none.stderr).toContain(`tx (${'AB'.repeat(32)}) not found`)
})

test.each([
  [['block', '0'], '<id>: "0" is not the height of a block'],
  [['block', '1.5'], '<id>: "1.5" is not the height of a block'],
  [['block', '--type', 'hash', '12'], '<hash>: "12" is not a hash'],
  [['tx', 'abc'], '<hash>: "abc" is not a hash'],
])('the arguments %o of query are refused', async (args, message) => {
  const { code, stderr } = await query(...args)
  expect(code).toBe(64)
  expect(stderr).toContain(message)
})
