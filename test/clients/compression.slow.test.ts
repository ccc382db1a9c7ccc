import { request as httpRequest, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatData } from '../../host/base/hex.ts'
import { assemble } from '../support/engine/bytecode.ts'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { post } from '../support/node/json-rpc.ts'

const TARGET = '0x00000000000000000000000000000000000000c0'
const DECODE = { zstd: zstdDecompressSync, gzip: gunzipSync } as const

/** Returns code that counts down from a two-byte `turns`, in seven steps a turn. */
const counting = (turns: number) =>
  formatData(assemble(turns, 'JUMPDEST', 1, 'SWAP1', 'SUB', 'DUP1', 3, 'JUMPI', 'STOP'))

function traceOf(code: string): string {
  const options = { stateOverrides: { [TARGET]: { code } } }
  const params = [{ to: TARGET }, 'latest', options]
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'debug_traceCall', params })
}

function ask(url: string, body: string, accepted: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'accept-encoding': accepted }
    httpRequest(url, { method: 'POST', headers, agent: false }, resolve)
      .on('error', reject)
      .end(body)
  })
}

let home: string
let daemon: Daemon

async function start(...options: string[]): Promise<void> {
  home = makeHome()
  daemon = await startDaemon({ home, arguments: options })
}

async function stop(): Promise<void> {
  await daemon.stop()
  removeHome(home)
}

describe.each(['uws', 'node'])('a node that compresses for every client, on %s,', (server) => {
  beforeAll(() =>
    start(
      ...['--evm.http-compression', 'all', '--evm.rpc-server', server],
      ...['--evm.max-trace-struct-log-bytes', '33554432'],
    ),
  )
  afterAll(stop)

  test.each(['zstd', 'gzip'] as const)(
    'sends a trace of ten megabytes with %s, which decompresses to the same bytes',
    async (coding) => {
      const body = traceOf(counting(20_000))
      const plain = await buffer(await ask(daemon.ready.rpc, body, 'identity'))
      expect(plain.length).toBeGreaterThan(10_000_000)
      const response = await ask(daemon.ready.rpc, body, coding)
      expect(response.headers['content-encoding']).toBe(coding)
      const packed = await buffer(response)
      expect(DECODE[coding](packed).equals(plain)).toBe(true)
      expect(packed.length).toBeLessThan(plain.length / 5)
    },
  )

  test('ends a trace that reaches its limit correctly, with the error in the same response', async () => {
    const response = await ask(daemon.ready.rpc, traceOf(counting(65_000)), 'zstd')
    const answer = JSON.parse(zstdDecompressSync(await buffer(response)).toString())
    expect(answer.result.structLogs.length).toBeGreaterThan(100_000)
    expect(answer.error.data.key).toBe('evm.max_trace_struct_log_bytes')
  })

  test('sends short responses uncompressed, and long ones so that fetch decompresses them', async () => {
    const chainId = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId' })
    const response = await ask(daemon.ready.rpc, chainId, 'zstd, gzip')
    expect(response.headers['content-encoding']).toBeUndefined()
    expect(JSON.parse((await buffer(response)).toString()).result).toBe('0x7a69')
    const options = { stateOverrides: { [TARGET]: { code: counting(500) } } }
    const { result } = await post(daemon.ready.rpc, 'debug_traceCall', [
      { to: TARGET },
      'latest',
      options,
    ])
    expect((result as { structLogs: unknown[] }).structLogs).toHaveLength(500 * 7 + 2)
  })
})

describe('a node with default compression', () => {
  beforeAll(() => start())
  afterAll(stop)

  test('sends uncompressed responses to clients on the same machine', async () => {
    const response = await ask(daemon.ready.rpc, traceOf(counting(500)), 'zstd, gzip')
    expect(response.headers['content-encoding']).toBeUndefined()
    expect(JSON.parse((await buffer(response)).toString()).result.structLogs).toHaveLength(3502)
  })
})
