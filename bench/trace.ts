import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { bigintToBytes } from '../host/base/bytes.ts'
import { formatData } from '../host/base/hex.ts'
import { CONTRACT, SENDER } from '../test/support/engine/engine-fixture.ts'
import { makeRandom } from '../test/support/random.ts'
import type { ContractCase } from './evm-peer.ts'
import { MinedCases } from './mined-case.ts'
import { type BenchNode, startAnvil, startLockstep } from './nodes.ts'
import { type ContentCoding, type Drained, RpcClient } from './rpc-client.ts'
import { SocketFloor } from './socket-floor.ts'
import { median } from './statistics.ts'
import { traceCases } from './trace-cases.ts'

const CHAIN = 31337
/** More than any case takes. */
const GAS = '0x3b9aca00'
/** A trace is cut off here: snailtracer's steps alone would be tens of gigabytes. */
const MAX_BYTES = 1 << 30
/** Short questions are asked this many times per round. */
const SHORT_ROUNDS = 10
const NODE_FLAGS: readonly string[] = [
  ...['--evm.simulation-gas-limit', '1000000000', '--evm.trace-timeout', '10m'],
  ...['--evm.write-timeout', '10m', '--evm.max-trace-struct-log-bytes', '100000000000'],
  // Do not measure cached traces.
  ...['--evm.trace-cache-bytes', '0'],
]

/** Only these cases: anvil buffers an answer whole, and for the others it would need tens of gigabytes of memory. */
const WHOLE_ANSWERS: readonly string[] = ['erc20-mint', 'main/sha1_shifts#1', 'weierstrudel']

/** Counts opcodes and gas: the example in geth's documentation of JavaScript tracers. */
const SCRIPT = `{
  counts: {}, gas: 0,
  step: function (log) {
    var op = log.op.toString()
    this.counts[op] = (this.counts[op] || 0) + 1
    this.gas += log.getCost()
  },
  fault: function () {},
  result: function () { return { counts: this.counts, gas: this.gas } }
}`
const COUNT_STEPS =
  '{n: 0, step: function () { this.n++ }, fault: function () {}, result: function () { return this.n }}'

/** A question about a case. */
interface Question {
  readonly name: string
  readonly method: 'eth_call' | 'debug_traceCall'
  readonly options: Readonly<Record<string, unknown>>
  /** Whether its response or time grows with each step. */
  readonly isLong: boolean
  /** Whether anvil supports it. */
  readonly isCommon: boolean
}

const QUESTIONS: readonly Question[] = [
  { name: 'none', method: 'eth_call', options: {}, isLong: false, isCommon: true },
  {
    name: 'callTracer',
    method: 'debug_traceCall',
    options: { tracer: 'callTracer' },
    isLong: false,
    isCommon: true,
  },
  {
    name: 'prestateTracer',
    method: 'debug_traceCall',
    options: { tracer: 'prestateTracer' },
    isLong: false,
    isCommon: false,
  },
  { name: 'structLogs', method: 'debug_traceCall', options: {}, isLong: true, isCommon: true },
  {
    name: 'script',
    method: 'debug_traceCall',
    options: { tracer: SCRIPT },
    isLong: true,
    isCommon: false,
  },
]

/** A node that answers questions about one case at a time. */
interface TraceNode {
  readonly name: string
  readonly node: BenchNode
  readonly client: RpcClient
  load(row: ContractCase): Promise<void>
  ask(row: ContractCase, question: Question, onData?: (piece: Buffer) => void): Promise<Drained>
}

function callOf(row: ContractCase): object {
  return { from: formatData(SENDER), to: formatData(CONTRACT), data: row.calldata, gas: GAS }
}

function slotsOf(row: ContractCase): [string, string][] {
  const word = (value: string) => formatData(bigintToBytes(BigInt(value), 32))
  return Object.entries(row.storage).map(([slot, value]) => [word(slot), word(value)])
}

/** Passes the contract with the call, as a state override. */
async function lockstepNode(coding: ContentCoding): Promise<TraceNode> {
  const options = [...NODE_FLAGS, '--evm.http-compression', 'all']
  const node = await startLockstep(CHAIN, options)
  const client = new RpcClient(node.url, 1, coding)
  const overridesOf = (row: ContractCase) => ({
    [formatData(CONTRACT)]: { code: row.runtime, stateDiff: Object.fromEntries(slotsOf(row)) },
  })
  return {
    name: 'lockstep',
    node,
    client,
    load: async () => {},
    ask: (row, { method, options }, onData) => {
      const stateOverrides = overridesOf(row)
      const last = method === 'eth_call' ? stateOverrides : { ...options, stateOverrides }
      return client.drain(method, [callOf(row), 'latest', last], MAX_BYTES, onData)
    },
  }
}

/** Deploys the contract beforehand. */
async function anvilNode(): Promise<TraceNode> {
  const node = await startAnvil(CHAIN, ['--hardfork', 'prague', '--steps-tracing'])
  const client = new RpcClient(node.url, 1)
  return {
    name: 'anvil',
    node,
    client,
    load: async (row) => {
      await client.call('anvil_setCode', formatData(CONTRACT), row.runtime)
      for (const [slot, value] of slotsOf(row)) {
        await client.call('anvil_setStorageAt', formatData(CONTRACT), slot, value)
      }
    },
    ask: (row, { method, options }) => {
      const params = [callOf(row), 'latest', ...(method === 'eth_call' ? [] : [options])]
      return client.drain(method, params, MAX_BYTES)
    },
  }
}

/** Returns the resident memory of a process in megabytes. */
function residentMb(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) / 1024
}

interface Run {
  readonly ms: number
  readonly bytes: number
  readonly wireBytes: number
  /** Growth of the node's memory to its peak while it answered. */
  readonly grownMb: number
}

async function measure(peer: TraceNode, what: string, ask: () => Promise<Drained>): Promise<Run> {
  const before = residentMb(peer.node.pid)
  let highest = before
  const timer = setInterval(() => {
    highest = Math.max(highest, residentMb(peer.node.pid))
  }, 20)
  const start = performance.now()
  try {
    const { bytes, wireBytes, tail } = await ask()
    const ms = performance.now() - start
    const isWhole = bytes >= MAX_BYTES || (tail.endsWith('}') && !tail.includes('"error":{'))
    if (!isWhole) throw new Error(`${peer.name}, ${what}: ${tail}`)
    return { ms, bytes, wireBytes, grownMb: Math.max(highest, residentMb(peer.node.pid)) - before }
  } finally {
    clearInterval(timer)
  }
}

async function countSteps({ client }: TraceNode, row: ContractCase): Promise<number> {
  const stateOverrides = {
    [formatData(CONTRACT)]: { code: row.runtime, stateDiff: Object.fromEntries(slotsOf(row)) },
  }
  const options = { tracer: COUNT_STEPS, stateOverrides }
  return (await client.call('debug_traceCall', callOf(row), 'latest', options)) as number
}

/** Counts the steps in a truncated answer, in a request that is not measured. */
async function countShown(peer: TraceNode, row: ContractCase, question: Question) {
  const mark = Buffer.from('"pc":')
  let steps = 0
  let rest = Buffer.alloc(0)
  await peer.ask(row, question, (piece) => {
    // A piece may end within a mark.
    const text = Buffer.concat([rest, piece])
    let at = -1
    while (true) {
      at = text.indexOf(mark, at + 1)
      if (at < 0) break
      steps++
    }
    rest = text.subarray(1 - mark.length)
  })
  return steps
}

function report(
  node: string,
  row: ContractCase,
  name: string,
  steps: number,
  runs: readonly Run[],
) {
  const ms = median(runs.map((one) => one.ms))
  const { bytes = 0, wireBytes = 0 } = runs[0] ?? {}
  console.log(
    JSON.stringify({
      bench: 'trace',
      node,
      case: row.name,
      tracer: name,
      ms: Number(ms.toFixed(2)),
      steps,
      steps_per_s: Math.round((steps / ms) * 1000),
      mb_per_s: Number((bytes / 1e6 / (ms / 1000)).toFixed(1)),
      mb: Number((bytes / 1e6).toFixed(1)),
      wire_mb: Number((wireBytes / 1e6).toFixed(1)),
      rss_mb: Math.round(Math.max(...runs.map((one) => one.grownMb))),
    }),
  )
}

/** Measures callTracer on a mined transaction, whose steps anvil has recorded with `--steps-tracing`. */
async function measureMined(
  peers: readonly TraceNode[],
  mined: MinedCases,
  row: ContractCase,
  steps: number,
  rounds: number,
): Promise<void> {
  const hash = await mined.mine(row)
  const runs = new Map(peers.map((peer) => [peer, [] as Run[]]))
  const params = [hash, { tracer: 'callTracer' }]
  for (let round = 0; round < rounds; round++) {
    for (const peer of peers) {
      const ask = () => peer.client.drain('debug_traceTransaction', params)
      runs.get(peer)?.push(await measure(peer, `${row.name}, mined`, ask))
    }
  }
  for (const [{ name }, all] of runs) report(name, row, 'callTracer, mined', steps, all)
}

/** Shuffles, so that no case always profits from the caches of the same predecessor. */
function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  const left = [...items]
  return items.map(() => left.splice(Math.floor(random() * left.length), 1)[0] as Item)
}

/** Contents of an answer. */
interface Shown {
  readonly bytes: number
  readonly steps: number
}

/**
 * Asks every peer every question of the group, in turn, and prints the medians. Returns the contents of the first
 * one's answer.
 */
async function measureGroup(
  peers: readonly TraceNode[],
  row: ContractCase,
  steps: number,
  group: readonly Question[],
  rounds: number,
): Promise<Shown> {
  const asked = group.flatMap((question) => {
    // A warm-up would take as long as the answer, so long ones are measured cold.
    const isFit = question.isCommon && (!question.isLong || WHOLE_ANSWERS.includes(row.name))
    return peers
      .filter(({ name }) => name === 'lockstep' || isFit)
      .map((peer) => ({ peer, question, runs: [] as Run[] }))
  })
  const random = makeRandom(1)
  const times = group.some(({ isLong }) => isLong) ? rounds : SHORT_ROUNDS * rounds
  for (let round = 0; round < times; round++) {
    for (const { peer, question, runs } of shuffled(asked, random)) {
      const what = `${row.name}, ${question.name}`
      runs.push(await measure(peer, what, () => peer.ask(row, question)))
    }
  }
  const shown: Shown[] = []
  for (const { peer, question, runs } of asked) {
    const { bytes = 0 } = runs[0] ?? {}
    const held = bytes >= MAX_BYTES ? await countShown(peer, row, question) : steps
    report(peer.name, row, question.name, held, runs)
    shown.push({ bytes, steps: held })
  }
  return shown[0] ?? { bytes: 0, steps }
}

/** Measures the same number of bytes without a node: the lower bound for any node. */
async function measureFloor(
  floor: SocketFloor,
  row: ContractCase,
  { bytes, steps }: Shown,
  rounds: number,
): Promise<void> {
  const runs: Run[] = []
  for (let round = 0; round < rounds; round++) {
    const start = performance.now()
    const drained = await floor.drain(bytes)
    runs.push({ ...drained, ms: performance.now() - start, grownMb: 0 })
  }
  report('socket', row, 'structLogs', steps, runs)
}

/**
 * Measures traces over HTTP, from the request to the last byte of the response: Lockstep and, with `--peers`, anvil
 * with `--steps-tracing`, alternating. Prints medians over the rounds, one JSON line for each node, case and tracer.
 * `--tracer NAME`, which may repeat, selects questions: a name of QUESTIONS, or `mined`. `--coding gzip` or `zstd`
 * compresses Lockstep's responses; the time includes decompression. "socket" is not a node: it sends as many bytes as
 * the struct logs have over HTTP, without computing them.
 */
export async function runTraceBench(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      peers: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '3' },
      filter: { type: 'string', default: '' },
      tracer: { type: 'string', multiple: true, default: [] },
      coding: { type: 'string', default: 'identity' },
    },
  })
  const isWanted = (name: string) => values.tracer.length === 0 || values.tracer.includes(name)
  const lockstep = await lockstepNode(values.coding as ContentCoding)
  const floor = await SocketFloor.open()
  const peers = [lockstep]
  try {
    if (values.peers) peers.push(await anvilNode())
    const mined = new MinedCases(
      CHAIN,
      peers.map(({ client }) => client),
    )
    for (const row of traceCases().filter(({ name }) => name.includes(values.filter))) {
      const steps = await countSteps(lockstep, row)
      for (const peer of peers) await peer.load(row)
      const wanted = QUESTIONS.filter(({ name }) => isWanted(name))
      // Short ones alternate, because they are compared with each other; long ones run one by one.
      const groups = [
        wanted.filter(({ isLong }) => !isLong),
        ...wanted.filter(({ isLong }) => isLong).map((question) => [question]),
      ]
      for (const group of groups) {
        const shown = await measureGroup(peers, row, steps, group, Number(values.rounds))
        const isOfSteps = group.some(({ name }) => name === 'structLogs')
        if (isOfSteps) await measureFloor(floor, row, shown, Number(values.rounds))
      }
      if (WHOLE_ANSWERS.includes(row.name) && isWanted('mined')) {
        await measureMined(peers, mined, row, steps, Number(values.rounds))
      }
    }
  } finally {
    await floor.close()
    for (const peer of peers) {
      peer.client.close()
      await peer.node.stop()
    }
  }
}
