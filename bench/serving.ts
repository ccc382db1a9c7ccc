import { parseArgs } from 'node:util'
import {
  initializeValidator,
  makeHome,
  removeHome,
  startDaemon,
} from '../test/support/node/daemon.ts'
import { devAccount } from '../test/support/node/dev-wallet.ts'
import { processorTime } from './processor-time.ts'
import { type ReadLoad, readClient } from './reads/read-load.ts'
import type { Question } from './reads/reads-chain.ts'
import { RpcClient } from './rpc-client.ts'
import { type SignedLoad, signTransfers } from './signed-load.ts'
import { median } from './statistics.ts'

const CHAIN = 31337
/** Transfers sent per second of a round, at most. */
const TRANSFERS_PER_SECOND = 12_000
const DRAIN_LOOK_MS = 200

interface ServedNode {
  readonly threads: number
  readonly url: string
  readonly pid: number
  readonly client: RpcClient
  stop(): Promise<void>
}

async function startNode(threads: number): Promise<ServedNode> {
  const home = makeHome()
  await initializeValidator(home)
  const daemon = await startDaemon({
    home,
    dev: false,
    arguments: [
      ...['--evm.serving-threads', String(threads), '--log-level', 'error'],
      ...['--mempool.size', '1000000', '--mempool.max-txs-bytes', '1000000000'],
    ],
  })
  const { rpc, pid } = daemon.ready
  const client = new RpcClient(rpc, 1)
  return {
    threads,
    url: rpc,
    pid,
    client,
    stop: async () => {
      client.close()
      await daemon.stop()
      removeHome(home)
    },
  }
}

async function waitUntilMined({ client }: ServedNode): Promise<void> {
  for (;;) {
    // The client stops with requests in flight, so some wait for a nonce of the next round.
    const { pending } = (await client.call('txpool_status')) as { pending: string }
    if (Number(pending) === 0) return
    await new Promise((resolve) => setTimeout(resolve, DRAIN_LOOK_MS))
  }
}

const asked = (method: string, params: Question['params'] = [[]]): Question => ({
  name: method,
  method,
  params,
})

/** Returns the questions of a round. Each of its transfers is sent once. */
function questionsOf(transfers: readonly string[]): readonly Question[] {
  const accounts = Array.from({ length: 10 }, (_, i) => [devAccount(i).address, 'latest'])
  return [
    asked('eth_chainId'),
    asked('eth_blockNumber'),
    asked('eth_getBalance', accounts),
    asked('txpool_status'),
    asked(
      'eth_sendRawTransaction',
      transfers.map((raw) => [raw]),
    ),
  ]
}

/** @throws Error if the system does not report it */
function chainThreadMs({ pid }: ServedNode): number {
  const time = processorTime(pid)
  if (time === undefined) throw new Error('this system does not report the CPU time of threads')
  return time.firstThread
}

/** Asks one question for some seconds, and reports the main thread's CPU time per request. */
async function measure(node: ServedNode, question: Question, load: ReadLoad): Promise<object> {
  const before = chainThreadMs(node)
  const rate = await readClient().ask(node.url, question, load)
  const spentMs = chainThreadMs(node) - before
  const requests = rate.perSecond * load.seconds
  if (question.method === 'eth_sendRawTransaction') {
    if (requests > question.params.length) throw new Error('more transfers were sent than signed')
    await waitUntilMined(node)
  }
  return { ...rate, chainThreadUs: (spentMs * 1000) / requests }
}

function medians(figures: readonly object[]): object {
  const names = Object.keys(figures[0] ?? {})
  const of = (name: string) =>
    median(figures.map((one) => (one as Record<string, number>)[name] ?? Number.NaN))
  return Object.fromEntries(names.map((name) => [name, Number(of(name).toFixed(2))]))
}

/**
 * Measures requests per second and their cost on the main thread, for nodes with different `evm.serving_threads`,
 * asked in turn. With 0 the main thread serves. Prints medians of the rounds, a JSON line each. Linux only.
 */
export async function runServingBench(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      threads: { type: 'string', default: '0,1,2' },
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '3' },
      connections: { type: 'string', default: '64' },
    },
  })
  const rounds = Number(values.rounds)
  const load = { seconds: Number(values.seconds), connections: Number(values.connections) }
  const perRound = TRANSFERS_PER_SECOND * load.seconds
  const transfers: SignedLoad = await signTransfers(CHAIN, perRound * rounds)
  const figures = new Map<string, object[]>()
  const nodes: ServedNode[] = []
  // A node's next round begins with the transfers it did not get, since nonces must have no gaps.
  const sent = new Map<ServedNode, number>()
  try {
    for (const threads of values.threads.split(',')) nodes.push(await startNode(Number(threads)))
    for (let round = 0; round < rounds; round++) {
      for (const [i, { name }] of questionsOf([]).entries()) {
        for (const node of nodes) {
          const from = sent.get(node) ?? 0
          const questions = questionsOf(transfers.transactions.slice(from, from + perRound))
          const figure = await measure(node, questions[i] as Question, load)
          const nonces = await node.client.batch(
            'eth_getTransactionCount',
            Array.from({ length: 10 }, (_, sender) => [devAccount(sender).address, 'latest']),
          )
          sent.set(node, Math.min(...nonces.map(Number)) * 10)
          const key = JSON.stringify({ question: name, servingThreads: node.threads })
          figures.set(key, [...(figures.get(key) ?? []), figure])
        }
      }
    }
  } finally {
    for (const node of nodes) await node.stop()
  }
  const { name: client } = readClient()
  for (const [key, rates] of figures) {
    const line = { bench: 'serving', ...JSON.parse(key), client, ...medians(rates) }
    console.log(JSON.stringify(line))
  }
}
