import { parseArgs } from 'node:util'
import { type BenchNode, SERVING_THREADS, startAnvil, startLockstep } from './nodes.ts'
import { processorTime } from './processor-time.ts'
import { batchBody, RpcClient } from './rpc-client.ts'
import { type SignedLoad, signTokenTransfers, signTransfers } from './signed-load.ts'
import { median, quantile } from './statistics.ts'

const CHAIN = 31337
const POLL_MS = 10
/** Transactions whose receipts are requested at a time. */
const RECEIPTS = 100
/**
 * Transactions that each node processes before the measurement, so that code is compiled and a state has been flushed
 * to disk.
 */
const WARM = 60_000

interface Measured {
  readonly tps: number
  readonly p50: number
  readonly p99: number
  readonly share: Readonly<Record<string, number>> | null
  /** CPU microseconds per transaction of the main thread, the whole node, and the client. */
  readonly processorUs: Readonly<Record<'chain' | 'node' | 'client', number>> | null
}

/** How the load is sent. */
interface Sending {
  readonly connections: number
  readonly batch: number
}

/** Watches blocks as they appear: when the hash of each transaction was first seen in one. */
class BlockFollower {
  readonly seenAt = new Map<string, number>()
  readonly #client: RpcClient
  #next = 0

  constructor(client: RpcClient) {
    this.#client = client
  }

  async skipToHead(): Promise<void> {
    this.#next = Number(await this.#client.call('eth_blockNumber')) + 1
  }

  async poll(): Promise<void> {
    const head = Number(await this.#client.call('eth_blockNumber'))
    const now = performance.now()
    for (; this.#next <= head; this.#next++) {
      const height = `0x${this.#next.toString(16)}`
      const block = (await this.#client.call('eth_getBlockByNumber', height, false)) as {
        transactions: string[]
      }
      for (const hash of block.transactions) this.seenAt.set(hash, now)
    }
  }

  async until(count: number, deadline: number): Promise<void> {
    while (this.seenAt.size < count) {
      if (performance.now() > deadline) {
        throw new Error(
          `only ${this.seenAt.size} of ${count} transactions are in blocks: gave up waiting`,
        )
      }
      await this.poll()
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
  }
}

async function checkReceipts(client: RpcClient, hashes: readonly string[]): Promise<void> {
  for (let i = 0; i < hashes.length; i += RECEIPTS) {
    const batch = hashes.slice(i, i + RECEIPTS).map((hash) => [hash])
    const receipts = await client.batch('eth_getTransactionReceipt', batch)
    for (const receipt of receipts as ({ status: string } | null)[]) {
      if (receipt?.status !== '0x1') throw new Error('a transaction has no successful receipt')
    }
  }
}

/** Encodes the requests of a load before the measurement, since the client shares the processors. */
function bodiesOf(transactions: SignedLoad['transactions'], batch: number): readonly Uint8Array[] {
  const bodies: Uint8Array[] = []
  for (let at = 0; at < transactions.length; at += batch) {
    const some = transactions.slice(at, at + batch).map((raw) => [raw])
    bodies.push(batchBody('eth_sendRawTransaction', some))
  }
  return bodies
}

/** Sends a load and returns the time at which each transaction was sent. */
async function send(
  client: RpcClient,
  bodies: readonly Uint8Array[],
  connections: number,
): Promise<ReadonlyMap<string, number>> {
  const sentAt = new Map<string, number>()
  let next = 0
  const sendSome = async (): Promise<void> => {
    while (next < bodies.length) {
      const body = bodies[next++] as Uint8Array
      const at = performance.now()
      for (const hash of (await client.send(body)) as string[]) sentAt.set(hash, at)
    }
  }
  await Promise.all(Array.from({ length: connections }, sendSome))
  return sentAt
}

async function measure(node: BenchNode, load: SignedLoad, sending: Sending): Promise<Measured> {
  // One more connection for the block follower.
  const client = new RpcClient(node.url, sending.connections + 1)
  const follower = new BlockFollower(client)
  await follower.skipToHead()
  for (const raw of load.setup) {
    await client.call('eth_sendRawTransaction', raw)
    await follower.until(follower.seenAt.size + 1, performance.now() + 10_000)
  }
  const { connections, batch } = sending
  await send(client, bodiesOf(load.transactions.slice(0, WARM), batch), connections)
  await follower.until(follower.seenAt.size + WARM, performance.now() + 60_000)
  await follower.skipToHead()
  follower.seenAt.clear()
  const bodies = bodiesOf(load.transactions.slice(WARM), batch)
  const count = load.transactions.length - WARM
  const before = await node.phases()
  const timeBefore = processorTime(node.pid)
  const ownBefore = process.cpuUsage()

  const start = performance.now()
  const sent = send(client, bodies, connections)
  await follower.until(count, start + 120_000)
  const sentAt = await sent
  const end = Math.max(...follower.seenAt.values())
  const latencies = [...sentAt].map(([hash, at]) => (follower.seenAt.get(hash) as number) - at)

  const own = process.cpuUsage(ownBefore)
  const timeAfter = processorTime(node.pid)
  const after = await node.phases()
  await checkReceipts(client, [...sentAt.keys()])
  client.close()
  const us = (ms: number) => Number(((ms * 1000) / count).toFixed(1))
  return {
    tps: (count / (end - start)) * 1000,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    share: shareOf(before, after, end - start),
    processorUs:
      timeBefore === undefined || timeAfter === undefined
        ? null
        : {
            chain: us(timeAfter.firstThread - timeBefore.firstThread),
            node: us(timeAfter.all - timeBefore.all),
            client: us((own.user + own.system) / 1000),
          },
  }
}

/** Returns the share of the run's wall time that each phase of the node took. */
function shareOf(
  before: Readonly<Record<string, number>> | null,
  after: Readonly<Record<string, number>> | null,
  elapsedMs: number,
): Record<string, number> | null {
  if (before === null || after === null) return null
  const shares = Object.entries(after).map(([phase, seconds]) => [
    phase,
    Number((((seconds - (before[phase] ?? 0)) * 1000) / elapsedMs).toFixed(3)),
  ])
  return Object.fromEntries(shares)
}

/** Starts a validator with `threads` RPC workers. Each block is on disk before it is visible. */
async function startValidator(threads: number): Promise<BenchNode> {
  const node = await startLockstep(CHAIN)
  return node.goOn(['--evm.serving-threads', String(threads)])
}

/**
 * Measures transfers and ERC-20 transfers per second, from signed bytes over HTTP to receipts on disk. Runs
 * validators of this project with each number of RPC workers, and anvil, alternating on the same transactions. Prints
 * medians over the rounds, one JSON line each.
 */
export async function runChainBench(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      transactions: { type: 'string', default: '100000' },
      rounds: { type: 'string', default: '3' },
      threads: { type: 'string', default: String(SERVING_THREADS) },
      batch: { type: 'string', default: '100' },
      connections: { type: 'string', default: '7' },
      peers: { type: 'boolean', default: false },
    },
  })
  const count = Number(values.transactions)
  const sending = { connections: Number(values.connections), batch: Number(values.batch) }
  const starts = new Map<string, () => Promise<BenchNode>>()
  for (const threads of values.threads.split(',')) {
    starts.set(`lockstep, ${threads} serving threads`, () => startValidator(Number(threads)))
  }
  if (values.peers) starts.set('anvil', () => startAnvil(CHAIN))
  const loads = [
    await signTransfers(CHAIN, WARM + count),
    await signTokenTransfers(CHAIN, WARM + count),
  ]
  for (const load of loads) {
    const results = new Map<string, Measured[]>()
    for (let round = 0; round < Number(values.rounds); round++) {
      for (const [name, start] of starts) {
        const node = await start()
        try {
          const measured = await measure(node, load, sending)
          results.set(name, [...(results.get(name) ?? []), measured])
        } finally {
          await node.stop()
        }
      }
    }
    for (const [node, measured] of results) {
      const line = {
        bench: 'chain',
        node,
        kind: load.kind,
        transactions: count,
        ...sending,
        tps: Math.round(median(measured.map((one) => one.tps))),
        p50_ms: Math.round(median(measured.map((one) => one.p50))),
        p99_ms: Math.round(median(measured.map((one) => one.p99))),
        share: measured.at(-1)?.share ?? null,
        processorUs: measured.at(-1)?.processorUs ?? null,
      }
      console.log(JSON.stringify(line))
    }
  }
}
