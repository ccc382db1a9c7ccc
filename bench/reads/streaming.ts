import { Worker } from 'node:worker_threads'
import { formatData } from '../../host/base/hex.ts'
import { CONTRACT, SENDER } from '../../test/support/engine/engine-fixture.ts'
import { startLockstep } from '../nodes.ts'
import { RpcClient } from '../rpc-client.ts'
import { quantile } from '../statistics.ts'
import { deepStack } from '../trace-cases.ts'
import type { TraceStreams } from './trace-streams.ts'

/** Clients that each read one trace after another, of 100,000 steps with 100 words of stack: 700 MB. */
const CLIENTS = 8
const ASK_MS = 2
/** They have all begun, and the engines are warm. */
const WARM_BYTES = 100_000_000
const POLL_MS = 20
const FLAGS: readonly string[] = [
  ...['--evm.simulation-gas-limit', '1000000000', '--evm.trace-timeout', '10m'],
  ...['--evm.write-timeout', '10m', '--evm.max-trace-struct-log-bytes', '100000000000'],
  ...['--evm.trace-cache-bytes', '0'],
]

export interface StreamingFigures {
  readonly streamedMBs: number
  readonly asked: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
  readonly blocks: number
  /** Longest time from one head that was seen to the next, as a client sees it. */
  readonly largestGapMs: number
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

function traceParams(): readonly unknown[] {
  const { runtime, calldata } = deepStack()
  const call = { from: formatData(SENDER), to: formatData(CONTRACT), data: calldata }
  const stateOverrides = { [formatData(CONTRACT)]: { code: runtime } }
  return [{ ...call, gas: '0x3b9aca00' }, 'latest', { stateOverrides }]
}

/** Asks eth_blockNumber, one request after another, while others stream traces. */
export async function measureStreaming(
  chainId: number,
  seconds: number,
): Promise<StreamingFigures> {
  const node = await startLockstep(chainId, FLAGS)
  const client = new RpcClient(node.url, 1)
  const data: TraceStreams = { url: node.url, clients: CLIENTS, params: traceParams() }
  const streams = new Worker(new URL('./trace-streams.ts', import.meta.url), { workerData: data })
  const failed = new Promise<never>((_, reject) => streams.on('error', reject))
  let bytes = 0
  streams.on('message', (count: number) => {
    bytes = count
  })
  try {
    return await Promise.race([failed, watch(client, seconds, () => bytes)])
  } finally {
    await streams.terminate()
    client.close()
    await node.stop()
  }
}

async function watch(
  client: RpcClient,
  seconds: number,
  streamed: () => number,
): Promise<StreamingFigures> {
  while (streamed() < WARM_BYTES) await pause(POLL_MS)
  const latencies: number[] = []
  const gaps: number[] = []
  const start = performance.now()
  const bytes = streamed()
  let head = -1
  let headAt = start
  let now = start
  while (now < start + seconds * 1000) {
    const height = Number(await client.call('eth_blockNumber'))
    const answered = performance.now()
    latencies.push(answered - now)
    if (height !== head) {
      // The first was there before.
      if (head >= 0) gaps.push(answered - headAt)
      head = height
      headAt = answered
    }
    await pause(ASK_MS)
    now = performance.now()
  }
  return {
    streamedMBs: (streamed() - bytes) / 1e6 / ((now - start) / 1000),
    asked: latencies.length,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    maxMs: quantile(latencies, 1),
    blocks: gaps.length,
    largestGapMs: quantile([...gaps, now - headAt], 1),
  }
}
