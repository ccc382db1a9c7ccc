import { keccak_256 } from '@noble/hashes/sha3.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formatData } from '../../host/base/hex.ts'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { call } from '../support/node/json-rpc.ts'

// A request of 5 MiB carries more than the 2 MiB that the engine accepts at once.

const LENGTH = 2_600_000
const bytes = new Uint8Array(LENGTH).fill(0xab)
const DATA = formatData(bytes)
const HASH = '0xf714906f19f55ea439cf2dfe6b6f3c6d8ceeb119ae25269ced6bf12382abda8f'

const home = makeHome()
let daemon: Daemon
beforeAll(async () => {
  daemon = await startDaemon({ home })
})
afterAll(async () => {
  await daemon?.stop()
  removeHome(home)
})

test('web3_sha3 hashes all data of a large request over HTTP', async () => {
  expect(formatData(keccak_256(bytes))).toBe(HASH)
  expect(await call(daemon.ready.rpc, 'web3_sha3', [DATA])).toBe(HASH)
})

test('web3_sha3 hashes all data of a large request over WebSocket', async () => {
  const socket = new WebSocket(daemon.ready.ws)
  const answer = await new Promise((resolve, reject) => {
    socket.onopen = () => {
      const request = { jsonrpc: '2.0', id: 1, method: 'web3_sha3', params: [DATA] }
      socket.send(JSON.stringify(request))
    }
    socket.onmessage = ({ data }) => resolve(JSON.parse(String(data)))
    socket.onclose = ({ code, reason }) => reject(new Error(`closed with ${code} ${reason}`))
  })
  socket.close()
  expect(answer).toEqual({ jsonrpc: '2.0', id: 1, result: HASH })
})

test('eth_fillTransaction returns the hash of a transaction with large data', async () => {
  const to = `0x${'77'.repeat(20)}`
  const fields = { to, gas: '0x5208', nonce: '0x0', input: DATA }
  const { raw, tx } = await call<{ raw: string; tx: { hash: string } }>(
    daemon.ready.rpc,
    'eth_fillTransaction',
    [fields],
  )
  expect(raw.length).toBeGreaterThan(DATA.length)
  expect(tx.hash).toBe(formatData(keccak_256(Buffer.from(raw.slice(2), 'hex'))))
})
