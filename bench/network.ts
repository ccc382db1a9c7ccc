import { parseArgs } from 'node:util'
import { startNetwork, type TestNetwork } from '../test/network/nodes/network.ts'
import type { NetworkNode } from '../test/network/nodes/network-node.ts'
import { COMETBFT } from '../test/support/node/cometbft.ts'
import { until } from '../test/support/until.ts'
import { HeadWatch } from './network/head-watch.ts'
import { measureStock } from './network/stock.ts'
import { RpcClient } from './rpc-client.ts'
import { signTransfers } from './signed-load.ts'
import { median, quantile } from './statistics.ts'

const CHAIN_ID = 31_337
const SENDERS = 10
const BATCH = 100
/** Time between probes: not a multiple of the block time, so that they hit all parts of it. */
const PROBE_MS = 97

interface WatchedNode {
  readonly node: NetworkNode
  readonly client: RpcClient
  readonly heads: HeadWatch
}

function print(line: Readonly<Record<string, unknown>>): void {
  console.log(JSON.stringify({ bench: 'network', ...line }))
}

const round = (value: number): number => Math.round(value * 10) / 10

/** Returns the times between blocks, as a subscriber sees them. */
function intervals({ heads }: WatchedNode, from: number): number[] {
  const { blocks } = heads
  return blocks.slice(1).flatMap((block, i) => {
    const before = blocks[i]
    return before === undefined || before.height < from ? [] : [block.seenAt - before.seenAt]
  })
}

/** Each account uses one node, so that its nonces arrive in order. */
const nodeOf = (index: number, nodes: readonly WatchedNode[]) =>
  nodes[(index % SENDERS) % nodes.length] as WatchedNode

/**
 * Sends transfers one after another, each to the node of its account. Measures from the send to the announcement of
 * its block by that node, and by the last of all nodes.
 */
async function measureFinality(
  nodes: readonly WatchedNode[],
  transactions: readonly string[],
): Promise<void> {
  const first = nodes[0] as WatchedNode
  const from = first.heads.blocks.at(-1)?.height ?? 0
  const sent: { hash: string; at: number; node: WatchedNode }[] = []
  const sending: Promise<void>[] = []
  for (const [index, raw] of transactions.entries()) {
    const node = nodeOf(index, nodes)
    const at = performance.now()
    sending.push(
      node.client.call('eth_sendRawTransaction', raw).then((hash) => {
        sent.push({ hash: hash as string, at, node })
      }),
    )
    await new Promise((resolve) => setTimeout(resolve, PROBE_MS))
  }
  await Promise.all(sending)
  await until(() => nodes.every(({ heads }) => sent.every(({ hash }) => heads.seenAt.has(hash))))
  const seenBy = ({ heads }: WatchedNode, hash: string) => heads.seenAt.get(hash) as number
  const latencies = (mode: string) =>
    sent
      .filter(({ node }) => node.node.mode === mode)
      .map(({ hash, at, node }) => seenBy(node, hash) - at)
  const everywhere = sent.map(
    ({ hash, at }) => Math.max(...nodes.map((node) => seenBy(node, hash))) - at,
  )
  const rows = { validator: latencies('validator'), full: latencies('full'), all: everywhere }
  for (const [seenAt, values] of Object.entries(rows)) {
    if (values.length === 0) continue
    const [p50, p99] = [quantile(values, 0.5), quantile(values, 0.99)]
    print({
      node: 'lockstep',
      what: 'finality',
      seenAt,
      probes: values.length,
      p50: round(p50),
      p99: round(p99),
    })
  }
  const times = intervals(first, from)
  print({
    node: 'lockstep',
    what: 'block time',
    blocks: times.length,
    p50: round(quantile(times, 0.5)),
    p99: round(quantile(times, 0.99)),
    longest: round(Math.max(...times)),
  })
}

/** Sends all transfers at once, in batches. Measures until the last node has announced the last of them. */
async function measureThroughput(
  nodes: readonly WatchedNode[],
  transactions: readonly string[],
): Promise<number> {
  const start = performance.now()
  const sentAt = new Map<string, number>()
  const sending = Array.from({ length: SENDERS }, async (_, sender) => {
    const { client } = nodeOf(sender, nodes)
    const own = transactions.filter((_, index) => index % SENDERS === sender)
    for (let index = 0; index < own.length; index += BATCH) {
      const at = performance.now()
      const batch = own.slice(index, index + BATCH).map((raw) => [raw])
      const hashes = (await client.batch('eth_sendRawTransaction', batch)) as string[]
      for (const hash of hashes) sentAt.set(hash, at)
    }
  })
  await Promise.all(sending)
  await until(() =>
    nodes.every(({ heads }) => [...sentAt.keys()].every((hash) => heads.seenAt.has(hash))),
  )
  const lastSeen = (hash: string) =>
    Math.max(...nodes.map(({ heads }) => heads.seenAt.get(hash) as number))
  const latencies = [...sentAt].map(([hash, at]) => lastSeen(hash) - at)
  const end = Math.max(...[...sentAt.keys()].map(lastSeen))
  const tps = (transactions.length / (end - start)) * 1000
  const [p50, p99] = [quantile(latencies, 0.5), quantile(latencies, 0.99)]
  print({
    node: 'lockstep',
    what: 'transfers',
    transactions: transactions.length,
    tps: Math.round(tps),
    p50: round(p50),
    p99: round(p99),
  })
  return tps
}

async function watchNodes(network: TestNetwork): Promise<readonly WatchedNode[]> {
  const watched = network.nodes.map(async (node): Promise<WatchedNode> => {
    const client = new RpcClient(node.rpc, SENDERS)
    return { node, client, heads: await HeadWatch.open(node.ready.ws) }
  })
  return Promise.all(watched)
}

/**
 * Measures a network of real processes on this machine: the time from a transfer's send to its final block, and
 * transfers per second, next to CometBFT's own application under the same settings.
 */
export async function runNetworkBench(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      validators: { type: 'string', default: '4' },
      full: { type: 'string', default: '2' },
      probes: { type: 'string', default: '300' },
      transactions: { type: 'string', default: '10000' },
      rounds: { type: 'string', default: '3' },
    },
  })
  if (COMETBFT === undefined) {
    console.error('network: LOCKSTEP_COMETBFT does not name a cometbft 0.38 binary')
    process.exitCode = 69
    return
  }
  const shape = { validators: Number(values.validators), full: Number(values.full) }
  const probes = Number(values.probes)
  const count = Number(values.transactions)
  const rounds = Number(values.rounds)
  const { transactions } = await signTransfers(CHAIN_ID, probes + count * rounds)
  const settings = { 'log-level': 'warn' }
  const network = await startNetwork({ ...shape, settings })
  try {
    await network.untilHeight(5)
    const nodes = await watchNodes(network)
    await measureFinality(nodes, transactions.slice(0, probes))
    const rates: number[] = []
    for (let from = probes; from < transactions.length; from += count) {
      rates.push(await measureThroughput(nodes, transactions.slice(from, from + count)))
    }
    print({ node: 'lockstep', what: 'transfers', rounds, medianTps: Math.round(median(rates)) })
    for (const { client, heads } of nodes) {
      client.close()
      heads.close()
    }
  } finally {
    await network.close()
  }
  await measureStock(COMETBFT, shape, { probes, probeMs: PROBE_MS, transactions: count, print })
}
