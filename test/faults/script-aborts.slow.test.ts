import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { TracePool, type TracePoolOptions } from '../../host/api/trace-pool/trace-pool.ts'
import type { TraceRequest } from '../../host/api/trace-pool/trace-runner.ts'
import { bigintToBytes, concatBytes } from '../../host/base/bytes.ts'
import type { LockstepError } from '../../host/base/error.ts'
import { yieldToEventLoop } from '../../host/base/yield-to-event-loop.ts'
import type { EngineModules } from '../../host/evm/engine/engine-modules.ts'
import type { TraceJob, TraceTarget } from '../../host/evm/trace/job/trace-job.ts'
import { compileEngine } from '../../host/node/wasm.ts'
import { assemble } from '../support/engine/bytecode.ts'
import { transaction } from '../support/engine/engine-fixture.ts'
import { callJob, GAS, readingLoop, request, resultOf } from '../support/node/pool-request.ts'
import { makeRandom, runSeed } from '../support/random.ts'

// Scripts are aborted, preempted and lose their threads at any point. Whatever happens to one, the others must see
// their own calls from the first step on.

/** Calls itself twice with the first word of its input less one, until that is zero. */
const TREE = (() => {
  const begin = (end: number) => assemble(0, 'CALLDATALOAD', 'DUP1', 'ISZERO', end, 'JUMPI')
  const call = assemble(0, 0, 32, 0, 0, 'ADDRESS', 'GAS', 'CALL', 'POP')
  const lower = assemble('DUP1', 'SLOAD', 'POP', 1, 'SWAP1', 'SUB', 0, 'MSTORE')
  const body = concatBytes([lower, call, call, assemble('STOP')])
  return concatBytes([begin(begin(1).length + body.length), body, assemble('JUMPDEST', 'STOP')])
})()

/** What a bundler's tracer does: it groups the steps of nested calls by the call of the first depth. */
const collector = (stack: string) => `{
  tag: null, groups: [], current: null, frames: 0,
  setup(config) { this.tag = JSON.parse(config).tag },
  step(log) {
    const name = log.op.toString()
    if (log.getDepth() === 1) {
      if (name !== 'CALL') return
      const to = toHex(toAddress(${stack}.peek(1).toString(16)))
      this.current = { tag: this.tag, to, SLOAD: 0, CALL: 0, STOP: 0, deepest: 0 }
      this.groups.push(this.current)
      return
    }
    if (name in this.current) this.current[name]++
    this.current.deepest = Math.max(this.current.deepest, log.getDepth())
  },
  enter() { this.frames++ },
  exit() {},
  fault() {},
  result() { return { tag: this.tag, groups: this.groups, frames: this.frames } },
}`

/** The second form hides from the node that it reads the stack, so its first run is repeated. */
const COLLECTORS = [collector('log.stack'), collector("log['st' + 'ack']")]

/** Returns what a collector must find in a tree of a height. */
function expectedOf(tag: string, height: number) {
  const inner = 2 ** (height - 1) - 1
  const frames = 2 ** height - 1
  const group = {
    tag,
    to: `0x${'2222'.padStart(40, '0')}`,
    SLOAD: inner,
    CALL: 2 * inner,
    STOP: frames,
    deepest: height + 1,
  }
  return { tag, groups: [group, group], frames: 2 * frames }
}

function treeJob(script: string, height: number, tag: string): TraceJob {
  const job = callJob(script, { tag })
  const { call } = job.target as TraceTarget & { kind: 'call' }
  const data = bigintToBytes(BigInt(height), 32)
  const input = transaction({ gas: GAS, maxFeePerGas: 0n, data })
  return { ...job, target: { kind: 'call', call: { ...call, input } } }
}

let modules: EngineModules
const pools: TracePool[] = []

beforeAll(async () => {
  modules = await compileEngine()
})
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.close()
})

function open(options: Partial<TracePoolOptions>, deaths: LockstepError[] = []): TracePool {
  const pool = new TracePool({
    modules,
    threads: 1,
    scriptThreads: 2,
    scriptBytes: 64 << 20,
    maxTraces: 0,
    turnMs: 200,
    graceMs: 500,
    observer: {
      onLoad: () => {},
      onEnd: () => {},
      onDifference: () => {},
      onDeath: (error) => deaths.push(error),
    },
    ...options,
  })
  pools.push(pool)
  return pool
}

const ENDLESS_SCRIPT = '{step() { while (true) {} }, fault() {}, result() {}}'
const THROWING = '{step(log) { if (log.getDepth() > 2) null.x }, fault() {}, result() {}}'
const HUNGRY = '{all: [], step() { this.all.push(new Uint8Array(1 << 20)) }, result() {}}'
const DEAF = '{step() { [].indexOf.call({length: 2 ** 53 - 1}) }, fault() {}, result() {}}'

/** Ends of a run that is aborted, or ends itself. */
const HOSTILE = [
  { script: ENDLESS_SCRIPT, timeoutMs: 1, share: 4 },
  { script: ENDLESS_SCRIPT, timeoutMs: 40, share: 4 },
  { script: THROWING, timeoutMs: 30_000, share: 4 },
  { script: HUNGRY, timeoutMs: 30_000, share: 2 },
  { script: DEAF, timeoutMs: 20, share: 1 },
].flatMap(({ share, ...kind }) => Array(share).fill(kind) as (typeof kind)[])

const ROUNDS = 90
const AT_ONCE = 6

describe(`seed ${runSeed()}`, () => {
  test('no script sees the calls or the state of another that was aborted', async () => {
    const random = makeRandom(runSeed())
    const pick = (count: number) => Math.floor(random() * count)
    const pool = open({})
    const clients = [{}, {}, {}]
    const running = new Set<Promise<void>>()

    async function honest(round: number, abortAfter: number | undefined): Promise<void> {
      const tag = `run ${round}`
      const height = 1 + pick(7)
      const script = COLLECTORS[pick(2)] as string
      const caller = new AbortController()
      const job = treeJob(script, height, tag)
      const asked = { job, client: clients[pick(3)] as object, signal: caller.signal }
      const result = pool.start(request(TREE, asked)).then(resultOf)
      if (abortAfter === undefined) {
        expect(await result).toEqual(expectedOf(tag, height))
        return
      }
      const outcome = result.catch(({ message }: Error) => message)
      for (let turn = 0; turn < abortAfter; turn++) await yieldToEventLoop()
      caller.abort()
      expect([expectedOf(tag, height), 'the caller has disconnected']).toContainEqual(await outcome)
    }

    async function hostile(): Promise<void> {
      const { script, timeoutMs } = HOSTILE[pick(HOSTILE.length)] as (typeof HOSTILE)[number]
      const options: Partial<TraceRequest> = { job: treeJob(script, 4, 'hostile'), timeoutMs }
      await expect(pool.start(request(TREE, options))).rejects.toMatchObject({
        code: expect.stringMatching(/^(LIMIT_EXCEEDED|EXECUTION_FAILED)$/),
      })
    }

    for (let round = 0; round < ROUNDS; round++) {
      const kind = random()
      const run =
        kind < 0.5 ? honest(round, undefined) : kind < 0.75 ? honest(round, pick(200)) : hostile()
      const settled = run.finally(() => running.delete(settled))
      running.add(settled)
      if (running.size >= AT_ONCE) await Promise.race(running)
    }
    await Promise.all(running)
  }, 240_000)
})

test('a script that yields its thread in time does not lose it when it runs there again', async () => {
  const deaths: LockstepError[] = []
  const pool = open({ scriptThreads: 1 }, deaths)
  const counted = callJob('{n: 0, step() { this.n++ }, fault() {}, result() { return this.n }}')
  // Opens the thread.
  await resultOf(await pool.start(request(readingLoop(1), { job: counted })))
  const caller = new AbortController()
  const asked = { job: callJob(ENDLESS_SCRIPT), client: {}, signal: caller.signal }
  const endless = pool.start(request(readingLoop(1), asked)).catch(({ message }) => message)
  // With one thread each of these runs only after the endless script has yielded.
  for (let turn = 0; turn < 3; turn++) {
    expect(await resultOf(await pool.start(request(readingLoop(10), { job: counted })))).toBe(112)
  }
  caller.abort()
  expect(await endless).toBe('the caller has disconnected')
  expect(deaths).toEqual([])
}, 120_000)
