import { Worker } from 'node:worker_threads'
import type { Hex } from 'viem'
import { assemble } from '../../test/support/engine/bytecode.ts'
import { devAccount } from '../../test/support/node/dev-wallet.ts'
import { HeadWatch } from '../network/head-watch.ts'
import type { BenchNode } from '../nodes.ts'
import { RpcClient } from '../rpc-client.ts'
import { median, quantile } from '../statistics.ts'
import { deepStack } from '../trace-cases.ts'
import type { TraceStreams } from './trace-streams.ts'

/** Clients that each read traces of 14,000 steps with 100 words of stack one after another: 100 MB each. */
const CLIENTS = 8
const ROUNDS = 2_000
const ASK_MS = 5
const BLOCK_MS = 400
/** After this many bytes all have begun, and the engines are warm. */
const WARM_BYTES = 100_000_000
const POLL_MS = 20

/** Flags of a Lockstep node for traces that long. Without a cache each is computed anew. */
export const STREAMING_FLAGS: readonly string[] = [
  ...['--evm.trace-timeout', '10m', '--evm.write-timeout', '10m'],
  ...['--evm.max-trace-struct-log-bytes', '100000000000', '--evm.trace-cache-bytes', '0'],
]

export interface StreamingFigures {
  readonly streamedMBs: number
  readonly asked: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
  readonly heads: number
  /** Time between heads, as a subscriber sees them. */
  readonly headGapMs: number
  readonly largestHeadGapMs: number
  /** 99th percentile of a head's delay beyond one block time after the previous head. */
  readonly headLateP99Ms: number
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Deploys a contract on a development chain and calls it. @returns the call's hash */
export async function mineTraced({ url }: BenchNode, chainId: number): Promise<Hex> {
  const client = new RpcClient(url, 1)
  const account = devAccount(0)
  const fees = { maxFeePerGas: 1_000_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }
  const send = async (nonce: number, call: { readonly to?: Hex; readonly data?: Hex }) => {
    const transaction = {
      type: 'eip1559',
      chainId,
      nonce,
      gas: 10_000_000n,
      ...fees,
      ...call,
    } as const
    const raw = await account.signTransaction(transaction)
    const hash = (await client.call('eth_sendRawTransaction', raw)) as Hex
    await client.call('evm_mine')
    return hash
  }
  const runtime = Buffer.from(deepStack(ROUNDS).runtime.slice(2), 'hex')
  // The code follows these twelve bytes.
  const copy = assemble(runtime.length, 'DUP1', 12, 0, 'CODECOPY', 0, 'RETURN')
  const creation = await send(0, { data: `0x${Buffer.concat([copy, runtime]).toString('hex')}` })
  const { contractAddress } = (await client.call('eth_getTransactionReceipt', creation)) as {
    readonly contractAddress: Hex
  }
  const hash = await send(1, { to: contractAddress })
  client.close()
  return hash
}

/**
 * Asks eth_blockNumber every 5 ms, or after the previous response, and watches heads while other clients stream
 * traces of one transaction.
 */
export async function measureStreaming(
  node: BenchNode,
  hash: Hex,
  seconds: number,
): Promise<StreamingFigures> {
  const client = new RpcClient(node.url, 1)
  const heads = await HeadWatch.open(node.url.replace('http', 'ws'))
  const data: TraceStreams = { url: node.url, clients: CLIENTS, params: [hash] }
  const streams = new Worker(new URL('./trace-streams.ts', import.meta.url), { workerData: data })
  const failed = new Promise<never>((_, reject) => streams.on('error', reject))
  let bytes = 0
  streams.on('message', (count: number) => {
    bytes = count
  })
  try {
    return await Promise.race([failed, watch(client, heads, seconds, () => bytes)])
  } finally {
    await streams.terminate()
    heads.close()
    client.close()
  }
}

async function watch(
  client: RpcClient,
  heads: HeadWatch,
  seconds: number,
  streamed: () => number,
): Promise<StreamingFigures> {
  while (streamed() < WARM_BYTES) await pause(POLL_MS)
  const latencies: number[] = []
  const start = performance.now()
  const bytes = streamed()
  let end = start
  while (end < start + seconds * 1000) {
    const asked = end
    await client.call('eth_blockNumber')
    latencies.push(performance.now() - asked)
    await pause(Math.max(0, asked + ASK_MS - performance.now()))
    end = performance.now()
  }
  const seen = heads.blocks.map(({ seenAt }) => seenAt).filter((at) => at >= start)
  const gaps = [...seen.slice(1), end].map((at, i) => at - (seen[i] ?? start))
  const late = gaps.map((gap) => Math.max(0, gap - BLOCK_MS))
  return {
    streamedMBs: (streamed() - bytes) / 1e6 / ((end - start) / 1000),
    asked: latencies.length,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    maxMs: quantile(latencies, 1),
    heads: seen.length,
    headGapMs: median(gaps.slice(0, -1)),
    largestHeadGapMs: quantile(gaps, 1),
    headLateP99Ms: quantile(late, 0.99),
  }
}
