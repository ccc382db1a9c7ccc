import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Daemon,
  makeHome,
  removeHome,
  runCommand,
  startDaemon,
} from '../support/node/daemon.ts'
import { call } from '../support/node/json-rpc.ts'
import {
  comparableSteps,
  type PrestateDiff,
  type Replay,
  type StructLog,
  stateDiffOf,
  type Trace,
  withoutPlace,
  withoutRootGas,
} from '../support/trace/parity-forms.ts'

// Compares the trace_ methods with the debug_ methods on an imported chain from Frontier to Osaka.

const CHAIN = join(process.env.LOCKSTEP_VECTORS ?? '', 'tracers/execution-apis/tests')
const BLOCKS = 54
/** Rewards in wei by EIP-649 and EIP-1234: of the block with its share for an uncle, and of the uncle. */
const REWARDS: readonly string[] = [
  'block 2000000000000000000',
  'block 2062500000000000000',
  'block 3000000000000000000',
  'block 3093750000000000000',
  'block 5000000000000000000',
  'block 5156250000000000000',
  'uncle 1750000000000000000',
  'uncle 2625000000000000000',
  'uncle 4375000000000000000',
]
const TYPES = ['trace', 'vmTrace', 'stateDiff']

interface Block {
  readonly miner: string
  readonly difficulty: string
  readonly uncles: readonly string[]
  readonly transactions: readonly string[]
}

interface Traced<Result> {
  readonly result: Result
}

describe.skipIf(!existsSync(join(CHAIN, 'chain.rlp')))('trace_ on an imported chain', () => {
  const home = makeHome()
  let daemon: Daemon
  const numbers = Array.from({ length: BLOCKS }, (_, i) => `0x${(i + 1).toString(16)}`)
  const traces = new Map<string, readonly Trace[]>()
  const ask = <T>(method: string, ...params: unknown[]) => call<T>(daemon.ready.rpc, method, params)

  beforeAll(async () => {
    const chain = [join(CHAIN, 'chain.rlp'), '--genesis', join(CHAIN, 'genesis.json')]
    const imported = await runCommand(['import', ...chain, '--home', home])
    expect(imported.code).toBe(0)
    daemon = await startDaemon({ home, dev: false })
    for (const number of numbers) traces.set(number, await ask('trace_block', number))
  })

  afterAll(async () => {
    await daemon?.stop()
    removeHome(home)
  })

  test('returns the frames of flatCallTracer from trace_block', async () => {
    const options = { tracer: 'flatCallTracer', tracerConfig: { convertParityErrors: true } }
    let count = 0
    for (const number of numbers) {
      const flat = await ask<Traced<Trace[]>[]>('debug_traceBlockByNumber', number, options)
      const frames = traces.get(number)?.filter(({ type }) => type !== 'reward') ?? []
      expect(frames.map(withoutRootGas), number).toEqual(
        flat.flatMap(({ result }) => result).map(withoutRootGas),
      )
      count += frames.length
    }
    expect(count).toBeGreaterThan(BLOCKS)
  })

  test('has rewards for the authors of a block and of its uncles before the merge, and none after it', async () => {
    const amounts = new Set<string>()
    for (const number of numbers) {
      const block = await ask<Block>('eth_getBlockByNumber', number, false)
      const authors = block.difficulty === '0x0' ? [] : [block.miner]
      for (const index of block.uncles.keys()) {
        const uncle = await ask<Block>('eth_getUncleByBlockNumberAndIndex', number, `0x${index}`)
        authors.push(uncle.miner)
      }
      const rewards = traces.get(number)?.filter(({ type }) => type === 'reward') ?? []
      expect(rewards.map(({ action }) => action.author)).toEqual(authors)
      for (const { action, transactionHash, transactionPosition, result } of rewards) {
        amounts.add(`${action.rewardType} ${BigInt(action.value ?? 0)}`)
        expect([transactionHash, transactionPosition, result]).toEqual([null, null, null])
      }
    }
    expect([...amounts].sort()).toEqual(REWARDS)
  })

  test('has the same frames in a replay, the changes of prestateTracer and the steps of the struct logger', async () => {
    const prestate = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }
    let count = 0
    for (const number of numbers) {
      const replays = await ask<Replay[]>('trace_replayBlockTransactions', number, TYPES)
      const diffs = await ask<Traced<PrestateDiff>[]>('debug_traceBlockByNumber', number, prestate)
      const logged = await ask<Traced<{ structLogs: StructLog[]; returnValue: string }>[]>(
        'debug_traceBlockByNumber',
        number,
        {},
      )
      for (const [index, replay] of replays.entries()) {
        const place = `${number} ${index}`
        const frames = traces.get(number)?.filter((one) => one.transactionPosition === index) ?? []
        expect(replay.transactionHash).toBe(frames[0]?.transactionHash)
        expect(replay.trace, place).toEqual(frames.map(withoutPlace))
        const diff = diffs[index]?.result as PrestateDiff
        expect(replay.stateDiff, place).toEqual(stateDiffOf(diff))
        const { structLogs, returnValue } = logged[index]?.result ?? {
          structLogs: [],
          returnValue: '',
        }
        expect(replay.output, place).toBe(returnValue)
        const [ops, steps] = comparableSteps(replay, structLogs)
        expect(ops, place).toEqual(steps)
        count += ops.length
      }
    }
    expect(count).toBeGreaterThan(12_000)
  })

  test('returns parts of the block from trace_transaction, trace_get and trace_replayTransaction', async () => {
    const all = [...traces.values()].flat()
    const hash = all[7]?.transactionHash
    const own = all.filter(({ transactionHash }) => transactionHash === hash)
    expect(await ask('trace_transaction', hash)).toEqual(own)
    expect(await ask('trace_get', hash, [])).toEqual(own[0])
    expect(await ask('trace_get', hash, ['0x63'])).toBeNull()
    const { trace, vmTrace, stateDiff } = await ask<Replay>('trace_replayTransaction', hash, [
      'trace',
    ])
    expect(trace).toEqual(own.map(withoutPlace))
    expect([vmTrace, stateDiff]).toEqual([null, null])
  })

  test('finds transactions by address with trace_filter, also in pages', async () => {
    const all = [...traces.values()].flat()
    expect(await ask('trace_filter', {})).toEqual(all)
    const [author] = all.flatMap(({ type, action }) => (type === 'reward' ? [action.author] : []))
    const sender = all.find(({ type }) => type === 'call')?.action.from
    const receiver = all.find(({ type, action }) => type === 'call' && action.from === sender)
      ?.action.to
    const isFrom = ({ action }: Trace) => action.from === sender
    const isTo = ({ type, action, result }: Trace) =>
      (type === 'create' ? result?.address : action.to) === receiver
    const find = (filter: object) => ask<Trace[]>('trace_filter', filter)
    expect(await find({ toAddress: [author] })).toEqual(
      all.filter(({ action, result }) =>
        [action.author, action.to, result?.address].includes(author),
      ),
    )
    expect(await find({ fromAddress: [sender] })).toEqual(all.filter(isFrom))
    const both = { fromAddress: [sender], toAddress: [receiver] }
    const union = all.filter((trace) => isFrom(trace) || isTo(trace))
    expect(await find(both)).toEqual(union)
    expect(await find({ ...both, mode: 'intersection' })).toEqual(
      all.filter((trace) => isFrom(trace) && isTo(trace)),
    )
    const paged: Trace[] = []
    for (let after = 0; after < union.length; after += 40) {
      paged.push(...(await find({ ...both, after, count: 40 })))
    }
    expect(paged).toEqual(union)
    const some = await find({ fromBlock: '0x3', toBlock: '0x5' })
    expect(some).toEqual(all.filter(({ blockNumber = 0 }) => blockNumber >= 3 && blockNumber <= 5))
    expect(await find({ after: all.length, count: 1 })).toEqual([])
  })
})
