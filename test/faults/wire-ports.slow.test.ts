import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEV_ACCOUNTS } from '../../host/base/dev-accounts.ts'
import {
  type Daemon,
  initializeValidator,
  makeHome,
  removeHome,
  startDaemon,
} from '../support/node/daemon.ts'
import { RawSocket } from '../support/node/raw-socket.ts'
import { WIRE_CASES, type WireRequest, wireBytes } from '../support/server/rfc-9112.ts'
import { outcomeOf, plainStatus } from '../support/server/wire-exchange.ts'
import { type McpProcess, startMcpHttp } from '../support/toolkit/mcp-process.ts'

// Sends each case of RFC 9112 to every HTTP port, with each server.

const CHAIN_ID = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
const HEALTH = '{"jsonrpc":"2.0","id":1,"method":"health","params":{}}'

/** The request sent to each port. */
const ASKED: Readonly<Record<string, WireRequest>> = {
  'EVM JSON-RPC': { target: '/', body: CHAIN_ID },
  'WebSocket alone': { target: '/', body: CHAIN_ID },
  'consensus RPC': { target: '/', body: HEALTH },
  metrics: { target: '/metrics', body: '{}' },
  payments: { target: '/nothing-sold', body: '{}' },
  wallets: { target: '/v1/wallets', body: '{"chain_type":"ethereum"}' },
  MCP: { target: '/mcp', body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' },
}

/** Ports that always use node:http, because they handle money and keys. */
const ALWAYS_NODE: ReadonlySet<string> = new Set(['payments', 'wallets', 'MCP'])

interface Served {
  readonly server: 'uws' | 'node'
  readonly threads: number
  readonly names: readonly string[]
}

const EVERY_CHAIN = ['EVM JSON-RPC', 'WebSocket alone', 'consensus RPC', 'metrics', 'wallets']

/** Returns the port of the separate WebSocket, from the log. */
function webSocketPort(daemon: Daemon): number {
  const line = daemon
    .output()
    .split('\n')
    .find((text) => text.includes('WebSocket has a port'))
  return Number(/ws:\/\/[^:]+:(\d+)/.exec(line ?? '')?.[1])
}

describe.each<Served>([
  { server: 'uws', threads: 0, names: [...EVERY_CHAIN, 'payments'] },
  // Except on a development chain, payments need keys of the operator.
  { server: 'uws', threads: 2, names: EVERY_CHAIN },
  { server: 'node', threads: 0, names: [...EVERY_CHAIN, 'payments', 'MCP'] },
])('a node with the $server server and $threads threads', ({ server, threads, names }) => {
  const home = makeHome()
  const ports = new Map<string, number>()
  let daemon: Daemon
  let mcp: McpProcess | undefined

  beforeAll(async () => {
    if (threads > 0) await initializeValidator(home)
    const free = '127.0.0.1:0'
    daemon = await startDaemon({
      home,
      dev: threads === 0,
      arguments: [
        ...['--evm.rpc-server', server, '--evm.serving-threads', String(threads)],
        ...['--instrumentation.prometheus', 'true'],
        ...['--instrumentation.prometheus-listen-addr', free],
        ...['--wallets.enable', 'true', '--wallets.address', free],
        ...(threads === 0 ? ['--payments.enable', 'true', '--payments.address', free] : []),
      ],
    })
    const { rpc, consensus, metrics, payments, wallets } = daemon.ready
    const urls = { 'EVM JSON-RPC': rpc, 'consensus RPC': consensus, metrics, payments, wallets }
    for (const [name, url] of Object.entries(urls)) {
      if (url !== null) ports.set(name, Number(new URL(url).port))
    }
    ports.set('WebSocket alone', webSocketPort(daemon))
    if (names.includes('MCP')) {
      const key = join(home, 'key')
      writeFileSync(key, DEV_ACCOUNTS[0]?.privateKey as string, { mode: 0o600 })
      mcp = await startMcpHttp([
        '--rpc',
        rpc,
        '--key-file',
        key,
        '--token-file',
        join(home, 'token'),
      ])
      ports.set('MCP', Number(new URL(mcp.url).port))
    }
  })

  afterAll(async () => {
    await mcp?.stop()
    expect(await daemon?.stop()).toBe(0)
    removeHome(home)
  })

  test.each(names)('handles every malformed request on the port of %s', async (name) => {
    const port = ports.get(name) as number
    const request = ASKED[name] as WireRequest
    const status = await plainStatus(port, request)
    const isNode = server === 'node' || ALWAYS_NODE.has(name)
    const wrong: string[] = []
    for (const one of WIRE_CASES) {
      const right = isNode ? one.outcome : (one.uws ?? one.outcome)
      // This port accepts no body, so an invalid one may be refused before it is read.
      const expected = status === 413 ? [...right, 413] : right
      const outcome = await outcomeOf(one, right, { port, request, status })
      if (!(expected as readonly unknown[]).includes(outcome)) {
        wrong.push(`${one.name}: ${outcome}, not ${expected.join(' or ')}`)
      }
    }
    expect(wrong).toEqual([])
  })

  test('answers fifty EVM JSON-RPC requests sent in one write in order', async () => {
    const socket = await RawSocket.connect(ports.get('EVM JSON-RPC') as number)
    const requests = Array.from({ length: 50 }, (_, id) => {
      const body = CHAIN_ID.replace('"id":1', `"id":${id}`)
      return wireBytes(WIRE_CASES[0] as (typeof WIRE_CASES)[number], { target: '/', body })
    })
    socket.send(Buffer.concat(requests))
    const answers = await socket.until('"id":49')
    expect(answers.match(/"id":\d+/g)).toEqual(requests.map((_, id) => `"id":${id}`))
    socket.destroy()
  })
})
