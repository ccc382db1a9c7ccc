import { readFileSync } from 'node:fs'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { TracePool, type TracePoolOptions } from '../../host/api/trace-pool/trace-pool.ts'
import type { TraceRequest } from '../../host/api/trace-pool/trace-runner.ts'
import type { EngineModules } from '../../host/evm/engine/engine-modules.ts'
import { compileEngine } from '../../host/node/wasm.ts'
import { callJob, readingLoop, request, resultOf } from '../support/node/pool-request.ts'
import { until } from '../support/until.ts'

/** Eight times the number of concurrent traces. */
const CLIENTS = 32

/** Longer than any test, so that no hostile script ends by itself while others wait. */
const HOURS = 24 * 3_600_000

/** Scripts that take all available time or memory. */
const HOSTILE: readonly (readonly [does: string, source: string, clients: number])[] = [
  ['loops for ever', '{step() { while (true) {} }, fault() {}, result() {}}', CLIENTS],
  ['loops in setup', '{setup() { while (true) {} }, fault() {}, result() {}}', CLIENTS],
  [
    'catches what ends it',
    '{step() { for (;;) try { while (true) {} } catch {} }, result() {}}',
    CLIENTS,
  ],
  // Each of these costs a thread, so few of them keep the test fast.
  [
    'is deaf: one native call takes for ever',
    '{step() { [].indexOf.call({length: 2 ** 53 - 1}) }, fault() {}, result() {}}',
    6,
  ],
  [
    'fills its memory and goes on',
    '{all: [], step() { for (;;) try { this.all.push(new Uint8Array(1 << 20).fill(1)) } catch {} }, result() {}}',
    6,
  ],
]

/** The script of an honest caller: it counts steps. */
const COUNT = '{n: 0, step() { this.n++ }, fault() {}, result() { return this.n }}'

/** Steps of a loop with ten turns. */
const STEPS = 112

let modules: EngineModules
const pools: TracePool[] = []

beforeAll(async () => {
  modules = await compileEngine()
})

afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.close()
})

function open(options: Partial<TracePoolOptions> = {}): TracePool {
  const pool = new TracePool({
    modules,
    threads: 2,
    scriptThreads: 2,
    scriptBytes: 64 << 20,
    maxTraces: 0,
    observer: { onLoad: () => {}, onEnd: () => {}, onDifference: () => {}, onDeath: () => {} },
    turnMs: 100,
    graceMs: 500,
    ...options,
  })
  pools.push(pool)
  return pool
}

const scriptJob = (source: string) => callJob(source)

/** Starts so many scripts at once, of one client or of one each, and returns how each ended. */
function attack(
  pool: TracePool,
  source: string,
  count: number,
  clientOf: () => object,
): Promise<string[]> {
  const asked = Array.from({ length: count }, async () => {
    const client = clientOf()
    const job = scriptJob(source)
    const hostile: Partial<TraceRequest> = { job, client, timeoutMs: HOURS, waitMs: HOURS }
    const trace = pool.start(request(readingLoop(10), hostile))
    return trace.then(
      () => 'done',
      ({ code }) => code,
    )
  })
  return Promise.all(asked)
}

const honest = (job: TraceRequest['job']) =>
  request(readingLoop(10), { job, client: {}, timeoutMs: 50_000 })

describe.each(HOSTILE)('a script that %s, run many times concurrently', (_, source, clients) => {
  test.each(['one client', 'a client each'])(
    'by %s, does not block the traces of other clients',
    async (whose) => {
      const pool = open()
      const hog = {}
      const isOne = whose === 'one client'
      const attacked = attack(pool, source, isOne ? CLIENTS : clients, () => (isOne ? hog : {}))
      const frame = await resultOf(await pool.start(honest(callJob('callTracer'))))
      expect(frame).toMatchObject({ type: 'CALL' })
      expect(await resultOf(await pool.start(honest(scriptJob(COUNT))))).toBe(STEPS)
      await pool.close()
      expect(new Set(await attacked)).not.toContain('done')
    },
    180_000,
  )
})

/** Scripts that occupy a thread for long in few loop turns, so that the sandbox rarely checks whether to continue. */
const SLUGGISH: readonly string[] = [
  '{step() { while (true) {} }, fault() {}, result() {}}',
  '{all: [], step() { for (;;) try { this.all.push(new Uint8Array(1 << 20).fill(1)) } catch { this.all = [] } }, fault() {}, result() {}}',
  '{f() { try { this.f() } catch {} this.f() }, step() { for (;;) try { this.f() } catch {} }, fault() {}, result() {}}',
  '{step() { for (;;) try { this.s = "x".repeat(1 << 24) + "y".repeat(1 << 24) } catch {} }, fault() {}, result() {}}',
  '{step() { for (;;) Array.from({length: 1 << 20}, (_, i) => -i).sort() }, fault() {}, result() {}}',
  '{step() { "a".repeat(1 << 24).lastIndexOf("b".repeat(1 << 12) + "a") }, fault() {}, result() {}}',
  '{step() { new Array(2 ** 32 - 1).join() }, fault() {}, result() {}}',
  '{step() { 7n ** 9999999n }, fault() {}, result() {}}',
]

describe.each(['one client', 'a client each'])(
  `${CLIENTS} concurrent scripts of all kinds, from %s,`,
  (whose) => {
    test('delay an honest script by only one or two turns', async () => {
      let deaths = 0
      const observer = {
        onLoad: () => {},
        onEnd: () => {},
        onDifference: () => {},
        onDeath: () => {
          deaths++
        },
      }
      const pool = open({ turnMs: 250, observer })
      // Opens the threads, as on a running node
      await Promise.all(
        [1, 2].map(async () => resultOf(await pool.start(honest(scriptJob(COUNT))))),
      )
      const hog = {}
      const attacks = SLUGGISH.map((source) =>
        attack(pool, source, CLIENTS / SLUGGISH.length, () => (whose === 'one client' ? hog : {})),
      )
      for (let i = 0; i < 4; i++) {
        const before = deaths
        expect(await resultOf(await pool.start(honest(scriptJob(COUNT))))).toBe(STEPS)
        // Each hostile script costs a thread, so only those of one or two turns ran first
        expect(deaths - before).toBeLessThanOrEqual(8)
      }
      await pool.close()
      const codes = new Set((await Promise.all(attacks)).flat())
      expect(codes).not.toContain('done')
    })
  },
)

/** Native loops of the sandbox, which use no fuel: searches, joins, sorts, fills, patterns, numbers. */
const NATIVE: readonly string[] = [
  '[].indexOf.call({length: 2 ** 53 - 1})',
  'new Array(2 ** 32 - 1).join()',
  'for (;;) "x".repeat(1 << 24)',
  'for (;;) Array.from({length: 1 << 20}, (_, i) => -i).sort()',
  '/^(a+)+$/.test("a".repeat(64) + "b")',
  'for (;;) JSON.stringify({get a() { return new Array(1 << 16).fill("a") }})',
  'for (;;) new Float64Array(1 << 21).fill(1)',
  '(2n ** 4194304n) ** 64n; for (;;) 3n ** 1048576n',
  '"a".repeat(1 << 24).lastIndexOf("b".repeat(1 << 12) + "a")',
]

test.each(NATIVE)(
  'a script with %s ends at its deadline, and the next trace runs',
  async (code) => {
    const pool = open({ threads: 1, scriptThreads: 1 })
    const job = scriptJob(`{step() { ${code} }, fault() {}, result() {}}`)
    const hostile = request(readingLoop(10), { job, client: {}, timeoutMs: 300 })
    const refusal = pool.start(hostile)
    const after = pool.start(honest(scriptJob(COUNT)))
    await expect(refusal).rejects.toMatchObject({
      code: expect.stringMatching(/^(LIMIT_EXCEEDED|EXECUTION_FAILED)$/),
    })
    expect(await resultOf(await after)).toBe(STEPS)
  },
)

test('a native call that blocks waiting traces fails with an error that names the configuration key', async () => {
  const pool = open({ scriptThreads: 1, turnMs: 20 })
  const job = scriptJob(`{step() { ${NATIVE[0]} }, fault() {}, result() {}}`)
  let isOver = false
  const refusal = pool
    .start(request(readingLoop(10), { job, timeoutMs: HOURS, waitMs: HOURS }))
    .finally(() => {
      isOver = true
    })
  const others = (async () => {
    while (!isOver) await resultOf(await pool.start(honest(scriptJob(COUNT))))
  })()
  await expect(refusal).rejects.toMatchObject({
    code: 'LIMIT_EXCEEDED',
    message: expect.stringContaining('[evm] trace_script_turn'),
    data: { key: 'evm.trace_script_turn' },
  })
  await others
})

/** Returns the resident memory of this process in bytes. */
function residentBytes(): number {
  const status = readFileSync('/proc/self/status', 'utf8')
  return 1024 * Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1])
}

/** Memory that grows with each step of the loop, in many small objects or few large ones. */
const HUNGRY = [
  'new Uint8Array(1 << 20).fill(1)',
  '"x".repeat(1 << 20) + this.all.length',
  'new Array(1 << 16).fill(7)',
  'Array.from({length: 1 << 14}, (_, i) => ({i}))',
  'log.memory.slice(0, 1 << 20)',
].map((what) => `{all: [], step(log) { this.all.push(${what}) }, result() { return 1 }}`)

test.each(HUNGRY)(
  'a script that exceeds its memory limit fails with an error that names the key: %s',
  async (source) => {
    const pool = open({ scriptBytes: 32 << 20 })
    const limits = { structLogBytes: 1 << 30, scriptBytes: 32 << 20 }
    const job = { ...scriptJob(source), limits }
    await expect(pool.start(honest(job))).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
      message: expect.stringContaining(
        '33554432 bytes of memory (memoryBytes, [evm] max_trace_script_bytes)',
      ),
      data: { key: 'evm.max_trace_script_bytes' },
    })
    expect(await resultOf(await pool.start(honest(scriptJob(COUNT))))).toBe(STEPS)
  },
)

test.runIf(process.platform === 'linux')(
  'the total memory of scripts is limited and is released after they end',
  async () => {
    const pool = open({ scriptThreads: 1, scriptBytes: 100 << 20 })
    await resultOf(await pool.start(honest(scriptJob(COUNT))))
    const before = residentBytes()
    let most = 0
    const watch = setInterval(() => {
      most = Math.max(most, residentBytes())
    }, 10)
    const source =
      '{all: [], step() { this.all.push(new Uint8Array(1 << 20).fill(1)) }, result() {}}'
    for (let i = 0; i < 3; i++) {
      await expect(pool.start(honest(scriptJob(source)))).rejects.toMatchObject({
        code: 'LIMIT_EXCEEDED',
      })
    }
    clearInterval(watch)
    expect(most - before).toBeLessThan(256 << 20)
    const bound = before + (64 << 20)
    await until(() => residentBytes() <= bound)
    expect(await resultOf(await pool.start(honest(scriptJob(COUNT))))).toBe(STEPS)
  },
  180_000,
)
