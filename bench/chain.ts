import { parseArgs } from 'node:util'
import { type BenchNode, startAnvil, startLockstep } from './nodes.ts'
import { RpcClient } from './rpc-client.ts'
import { type SignedLoad, signTokenTransfers, signTransfers } from './signed-load.ts'
import { median, quantile } from './statistics.ts'

const BATCH = 100
const CONNECTIONS = 8
const POLL_MS = 10

interface Measured {
  readonly tps: number
  readonly p50: number
  readonly p99: number
  readonly share: Readonly<Record<string, number>> | null
}

/** Blocks as they appear: when the hash of each transaction was first seen in one. */
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
        throw new Error(`${this.seenAt.size} of ${count} transactions are in blocks; gave up`)
      }
      await this.poll()
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
  }
}

async function checkReceipts(client: RpcClient, hashes: readonly string[]): Promise<void> {
  for (let i = 0; i < hashes.length; i += BATCH) {
    const batch = hashes.slice(i, i + BATCH).map((hash) => [hash])
    const receipts = await client.batch('eth_getTransactionReceipt', batch)
    for (const receipt of receipts as ({ status: string } | null)[]) {
      if (receipt?.status !== '0x1') throw new Error('a transaction has no successful receipt')
    }
  }
}

async function measure(node: BenchNode, load: SignedLoad): Promise<Measured> {
  const client = new RpcClient(node.url, CONNECTIONS)
  const follower = new BlockFollower(client)
  await follower.skipToHead()
  for (const raw of load.setup) {
    await client.call('eth_sendRawTransaction', raw)
    await follower.until(follower.seenAt.size + 1, performance.now() + 10_000)
  }
  await follower.skipToHead()
  follower.seenAt.clear()
  const before = await node.phases()

  const sentAt = new Map<string, number>()
  const queue = [...load.transactions.keys()].filter((index) => index % BATCH === 0)
  const start = performance.now()
  const send = async (): Promise<void> => {
    for (let index = queue.shift(); index !== undefined; index = queue.shift()) {
      const at = performance.now()
      const batch = load.transactions.slice(index, index + BATCH).map((raw) => [raw])
      const hashes = await client.batch('eth_sendRawTransaction', batch)
      for (const hash of hashes as string[]) sentAt.set(hash, at)
    }
  }
  const sending = Promise.all(Array.from({ length: CONNECTIONS - 1 }, send))
  await follower.until(load.transactions.length, start + 120_000)
  await sending
  const end = Math.max(...follower.seenAt.values())
  const latencies = [...sentAt].map(([hash, at]) => (follower.seenAt.get(hash) as number) - at)

  const after = await node.phases()
  await checkReceipts(client, [...sentAt.keys()])
  client.close()
  return {
    tps: (load.transactions.length / (end - start)) * 1000,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    share: shareOf(before, after, end - start),
  }
}

/** Part of the run's wall time that each phase of the node took. */
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

/**
 * Transfers and ERC-20 transfers a second from signed bytes over HTTP to receipts on disk, Lockstep
 * and anvil in turn on the same transactions; medians over the rounds, one JSON line each.
 */
export async function runChainBench(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      transactions: { type: 'string', default: '10000' },
      rounds: { type: 'string', default: '3' },
    },
  })
  const count = Number(values.transactions)
  const chainId = 31337
  const loads = [await signTransfers(chainId, count), await signTokenTransfers(chainId, count)]
  const starts = { lockstep: startLockstep, anvil: startAnvil }
  for (const load of loads) {
    const results = new Map<string, Measured[]>()
    for (let round = 0; round < Number(values.rounds); round++) {
      for (const [name, start] of Object.entries(starts)) {
        const node = await start(chainId)
        try {
          const measured = await measure(node, load)
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
        tps: Math.round(median(measured.map((one) => one.tps))),
        p50_ms: Math.round(median(measured.map((one) => one.p50))),
        p99_ms: Math.round(median(measured.map((one) => one.p99))),
        share: measured.at(-1)?.share ?? null,
      }
      console.log(JSON.stringify(line))
    }
  }
}
