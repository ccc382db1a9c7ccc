import { parseArgs } from 'node:util'
import type { Hex } from 'viem'
import { type BenchNode, SERVING_THREADS, startAnvil, startLockstep } from './nodes.ts'
import { type ReadLoad, type ReadRate, readClient } from './reads/read-load.ts'
import {
  BackgroundTransfers,
  fillChain,
  type Question,
  type ReadsContent,
  signContent,
} from './reads/reads-chain.ts'
import { measureStreaming, mineTraced, STREAMING_FLAGS } from './reads/streaming.ts'
import { RpcClient } from './rpc-client.ts'
import { median } from './statistics.ts'

const CHAIN = 31337
/** Questions per round and node, and the maximum between two of them, for the transfers that go on meanwhile. */
const QUESTIONS = 8
/** Seconds for which each question is asked before the measurement, so that the code of a new node is compiled. */
const WARM_SECONDS = 1
const SPARE_SECONDS = 10

/** A node with the content, and blocks with transfers to come. */
interface ReadNode {
  readonly name: string
  readonly node: BenchNode
  readonly client: RpcClient
  readonly questions: readonly Question[]
}

const rounded = (value: number) => Number(value.toFixed(value < 100 ? 2 : 0))

function medians(figures: readonly object[]): Record<string, number> {
  const names = Object.keys(figures[0] ?? {})
  const of = (name: string) =>
    median(figures.map((one) => (one as Record<string, number>)[name] ?? Number.NaN))
  return Object.fromEntries(names.map((name) => [name, rounded(of(name))]))
}

/** Asks the questions in turn, each of one node after the other, so that other load on the machine affects both. */
async function measureRound(
  nodes: readonly ReadNode[],
  content: ReadsContent,
  load: ReadLoad,
  keep: (question: string, node: string, rate: ReadRate & { blocksPerSecond: number }) => void,
): Promise<void> {
  const { ask } = readClient()
  const transfers = nodes.map(({ client }) => new BackgroundTransfers(client, content))
  for (const { node, questions } of nodes) {
    for (const question of questions)
      await ask(node.url, question, { ...load, seconds: WARM_SECONDS })
  }
  for (let i = 0; i < QUESTIONS; i++) {
    for (const { name, node, client, questions } of nodes) {
      const question = questions[i] as Question
      const before = Number(await client.call('eth_blockNumber'))
      const rate = await ask(node.url, question, load)
      const blocks = Number(await client.call('eth_blockNumber')) - before
      keep(question.name, name, { ...rate, blocksPerSecond: blocks / load.seconds })
    }
  }
  for (const one of transfers) await one.stop()
}

/** Starts a node with the content. Those with `threads` continue as validators with that many RPC workers. */
async function startFilled(
  name: string,
  content: ReadsContent,
  threads: number,
): Promise<ReadNode> {
  const own = name === 'lockstep' ? await startLockstep(CHAIN) : undefined
  const filled = own ?? (await startAnvil(CHAIN))
  const client = new RpcClient(filled.url, 1)
  const questions = await fillChain(client, content)
  if (own === undefined || threads === 0) return { name, node: filled, client, questions }
  client.close()
  const node = await own.goOn(['--evm.serving-threads', String(threads)])
  return { name, node, client: new RpcClient(node.url, 1), questions }
}

async function runReads(
  isWithPeers: boolean,
  threads: number,
  rounds: number,
  load: ReadLoad,
): Promise<void> {
  const starts = ['lockstep', ...(isWithPeers ? ['anvil'] : [])]
  const turns = QUESTIONS * starts.length
  const content = await signContent(CHAIN, turns * (load.seconds + WARM_SECONDS) + SPARE_SECONDS)
  const kept = new Map<string, Map<string, object[]>>()
  for (let round = 0; round < rounds; round++) {
    const nodes: ReadNode[] = []
    try {
      for (const name of starts) nodes.push(await startFilled(name, content, threads))
      await measureRound(nodes, content, load, (question, node, rate) => {
        const byNode = kept.get(question) ?? new Map<string, object[]>()
        kept.set(question, byNode.set(node, [...(byNode.get(node) ?? []), rate]))
      })
    } finally {
      for (const { node, client } of nodes) {
        client.close()
        await node.stop()
      }
    }
  }
  const { name: client } = readClient()
  for (const [question, byNode] of kept) {
    for (const [node, rates] of byNode) {
      const row = { bench: 'reads', question, node, threads, client, ...medians(rates) }
      console.log(JSON.stringify(row))
    }
  }
}

/** Starts a node with a transaction whose trace is long. */
async function startTraced(
  name: string,
  threads: number,
): Promise<{ readonly node: BenchNode; readonly hash: Hex }> {
  if (name === 'anvil') {
    const node = await startAnvil(CHAIN, ['--steps-tracing'])
    return { node, hash: await mineTraced(node, CHAIN) }
  }
  const own = await startLockstep(CHAIN, STREAMING_FLAGS)
  const hash = await mineTraced(own, CHAIN)
  if (threads === 0) return { node: own, hash }
  const further = [...STREAMING_FLAGS, '--evm.serving-threads', String(threads)]
  return { node: await own.goOn(further), hash }
}

async function runStreaming(
  isWithPeers: boolean,
  threads: number,
  rounds: number,
  seconds: number,
): Promise<void> {
  for (const name of ['lockstep', ...(isWithPeers ? ['anvil'] : [])]) {
    const figures: object[] = []
    for (let round = 0; round < rounds; round++) {
      const { node, hash } = await startTraced(name, threads)
      try {
        figures.push(await measureStreaming(node, hash, seconds))
      } finally {
        await node.stop()
      }
    }
    const row = { bench: 'reads', part: 'streaming', node: name, threads, ...medians(figures) }
    console.log(JSON.stringify(row))
  }
}

/**
 * Measures reads per second over keep-alive connections, next to anvil with `--peers`, on the same blocks and during
 * new ones. Also measures how long a short question and a head wait while other clients stream traces. Prints medians
 * over the rounds, a JSON line each.
 */
export async function runReadsBench(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      peers: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '4' },
      connections: { type: 'string', default: '64' },
      part: { type: 'string' },
      threads: { type: 'string', default: String(SERVING_THREADS) },
    },
  })
  const rounds = Number(values.rounds)
  const seconds = Number(values.seconds)
  const threads = Number(values.threads)
  if (values.part !== 'streaming') {
    const load = { connections: Number(values.connections), seconds }
    await runReads(values.peers, threads, rounds, load)
  }
  if (values.part !== 'reads') await runStreaming(values.peers, threads, rounds, seconds)
}
