import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { call } from '../support/node/json-rpc.ts'

const [farHome, home] = [makeHome(), makeHome()]
let far: Daemon
let fork: Daemon
let proxy: Server
/** Values of the header in the requests, and the methods that were called. */
const seen = { keys: new Set<string | undefined>(), methods: new Set<string>() }

beforeAll(async () => {
  far = await startDaemon({ home: farHome, arguments: ['--dev.automine', 'true'] })
  await call(far.ready.rpc, 'anvil_mine', [3])
  proxy = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const body = Buffer.concat(parts).toString()
    seen.keys.add(request.headers['x-key']?.toString())
    for (const { method } of [JSON.parse(body)].flat()) seen.methods.add(method)
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(far.ready.rpc ?? '', { method: 'POST', headers, body })
    response.setHeader('content-type', 'application/json').end(await answer.text())
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as AddressInfo
  fork = await startDaemon({
    home,
    arguments: [
      ...['--dev.fork', `http://127.0.0.1:${port}`],
      ...['--dev.fork-headers', 'X-Key: one, two'],
      ...['--dev.fork-chain-id', '4242', '--dev.hardfork', 'shanghai', '--dev.base-fee', '7'],
    ],
  })
}, 90_000)
afterAll(async () => {
  await fork?.stop()
  await far?.stop()
  proxy?.close()
  for (const each of [farHome, home]) removeHome(each)
})

const rpc = <Result>(method: string, ...params: unknown[]) =>
  call<Result>(fork.ready.rpc, method, params)

test('every request to the other node has the header, and none asks for the chain id', () => {
  expect([...seen.keys]).toEqual(['one, two'])
  expect(seen.methods.has('eth_getBlockByNumber')).toBe(true)
  expect(seen.methods.has('eth_chainId')).toBe(false)
})

test('the fork has the chain id, the revision and the base fee that are set', async () => {
  expect(await rpc('eth_chainId')).toBe('0x1092')
  const [from, to] = await rpc<string[]>('eth_accounts')
  const hash = await rpc('eth_sendTransaction', { from, to, value: '0x1' })
  const receipt = await rpc<Record<string, string>>('eth_getTransactionReceipt', hash)
  expect(receipt).toMatchObject({ status: '0x1', blockNumber: '0x4' })
  expect(await rpc('eth_getTransactionByHash', hash)).toMatchObject({ chainId: '0x1092' })
  expect(await rpc('eth_getBlockByNumber', '0x4', false)).toMatchObject({ baseFeePerGas: '0x7' })
  // CHAINID and PUSH0 of Shanghai, then MCOPY of Cancun.
  const run = (code: string) => rpc('eth_call', { from, to }, 'latest', { [`${to}`]: { code } })
  expect(await run('0x465f5260205ff3')).toBe(`0x${'1092'.padStart(64, '0')}`)
  await expect(run('0x5f5f5f5e')).rejects.toThrow('invalid opcode: MCOPY')
})
