import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { formatData } from '../../host/base/hex.ts'
import { assemble } from '../support/engine/bytecode.ts'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'

/** A loop of seven steps at address `TO`, with the number of turns in the first word of the call. */
const LOOP = assemble(0, 'CALLDATALOAD', 'JUMPDEST', 1, 'SWAP1', 'SUB', 'DUP1', 3, 'JUMPI', 'STOP')
const TO = '0x00000000000000000000000000000000000000f1'

/** Turns whose struct logs exceed `STREAMED_BYTES`. */
const TURNS = 600_000
const STREAMED_BYTES = 300_000_000

/**
 * Allowed growth of a node at its peak. A first trace starts a thread with an engine, which takes 30 to 45 MB. Of the
 * trace only its 4 MB of chunks may remain. If chunks were left to the garbage collector, growth would reach 80 MB
 * for 300 MB and 150 MB for a gigabyte.
 */
const GROWTH_KB = 64 * 1024

let daemon: Daemon | undefined

afterEach(async () => {
  await daemon?.stop()
  if (daemon !== undefined) removeHome(daemon.ready.home)
})

function residentKb({ ready }: Daemon): number {
  const status = readFileSync(`/proc/${ready.pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1])
}

/** Returns the peak memory of the node during half a second. */
async function highestOf(node: Daemon): Promise<number> {
  let highest = 0
  for (let i = 0; i < 25; i++) {
    highest = Math.max(highest, residentKb(node))
    await delay(20)
  }
  return highest
}

const BATCH = JSON.stringify(
  Array.from({ length: 500 }, (_, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'eth_getBlockByNumber',
    params: ['latest', true],
  })),
)

/**
 * Returns the peak memory of a node after many other requests, so that its heap has grown to its working size before
 * the trace.
 */
async function settled(node: Daemon): Promise<number> {
  for (let before = 0; ; ) {
    for (let i = 0; i < 20; i++) {
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(node.ready.rpc, { method: 'POST', headers, body: BATCH })
      await response.arrayBuffer()
    }
    const highest = await highestOf(node)
    if (highest - before < 1024) return Math.max(before, highest)
    before = highest
  }
}

test.each(['uws', 'node'])(
  'the first long trace of a process causes no lasting memory growth with the %s server',
  async (server) => {
    const options = {
      '--evm.rpc-server': server,
      '--evm.max-trace-struct-log-bytes': '4000000000',
      '--evm.simulation-gas-limit': '100000000',
      '--evm.trace-timeout': '2m',
      // Blocks would make the node start its other threads meanwhile.
      '--consensus.create-empty-blocks': 'false',
    }
    const node = await startDaemon({ home: makeHome(), arguments: Object.entries(options).flat() })
    daemon = node
    const before = await settled(node)
    const data = `0x${TURNS.toString(16).padStart(64, '0')}`
    const trace = { stateOverrides: { [TO]: { code: formatData(LOOP) } } }
    const response = await fetch(node.ready.rpc, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'debug_traceCall',
        params: [{ to: TO, data }, 'latest', trace],
      }),
    })
    let bytes = 0
    let tail = ''
    let highest = before
    for await (const part of response.body as AsyncIterable<Uint8Array>) {
      bytes += part.length
      tail = (tail + Buffer.from(part.subarray(-64)).toString('latin1')).slice(-64)
      highest = Math.max(highest, residentKb(node))
    }
    highest = Math.max(highest, await highestOf(node))
    expect(bytes).toBeGreaterThan(STREAMED_BYTES)
    expect(tail).toMatch(/"failed":false,"returnValue":"0x"}}$/)
    expect(highest - before).toBeLessThan(GROWTH_KB)
  },
  180_000,
)
