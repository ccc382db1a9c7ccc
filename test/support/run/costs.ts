import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect } from 'vitest'

// With TEST_COSTS=<file>, appends one line of JSON for each test file with its costs by cause. Node's diagnostics
// channels report what a test started. The kernel reports CPU time, that of ended children separately.

const path = process.env.TEST_COSTS

/** Linux counts CPU time in ticks of 10 ms. */
const TICK_MS = 10

interface Processor {
  readonly own: number
  /** CPU time of ended children and their descendants. */
  readonly children: number
}

function processor(): Processor {
  // The program name may contain spaces, so fields are counted from its closing bracket.
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
    .map(Number)
  const ticks = (from: number): number => ((fields[from] ?? 0) + (fields[from + 1] ?? 0)) * TICK_MS
  return { own: ticks(11), children: ticks(13) }
}

interface Counts {
  processes: number
  threads: number
  servers: number
  sockets: number
  compiled: number
  instances: number
  compileMs: number
}

/** What this process has started so far. */
interface Counting {
  lockstepTestCounts?: Counts
}

function countFromNow(): Counts {
  const counts = {
    processes: 0,
    threads: 0,
    servers: 0,
    sockets: 0,
    compiled: 0,
    instances: 0,
    compileMs: 0,
  }
  subscribe('child_process', () => counts.processes++)
  subscribe('worker_threads', () => counts.threads++)
  subscribe('tracing:net.server.listen:asyncStart', () => counts.servers++)
  subscribe('net.client.socket', () => counts.sockets++)
  const instantiate = WebAssembly.instantiate
  WebAssembly.instantiate = (async (source: never, imports: never) => {
    counts.instances++
    return instantiate(source, imports)
  }) as typeof WebAssembly.instantiate
  const compile = WebAssembly.compile
  WebAssembly.compile = async (bytes) => {
    const start = performance.now()
    const module = await compile(bytes)
    counts.compiled++
    counts.compileMs += performance.now() - start
    return module
  }
  return counts
}

if (path !== undefined) {
  const shared = globalThis as Counting
  shared.lockstepTestCounts ??= countFromNow()
  const counts = shared.lockstepTestCounts
  const file = expect.getState().testPath ?? ''
  const before = { ...counts }
  const start = { at: performance.now(), ...processor() }
  let imported = start

  beforeAll(() => {
    imported = { at: performance.now(), ...processor() }
  })

  afterAll(() => {
    const end = processor()
    const line = {
      file: file.replace(/^.*\/test\//, 'test/'),
      startMs: start.own,
      importMs: imported.own - start.own,
      ownMs: end.own - imported.own,
      childrenMs: end.children - start.children,
      wallMs: Math.round(performance.now() - imported.at),
      rssMb: Math.round(process.memoryUsage().rss / 2 ** 20),
      ...Object.fromEntries(
        Object.entries(counts).map(([name, value]) => [
          name,
          Math.round(value - before[name as keyof Counts]),
        ]),
      ),
    }
    appendFileSync(path, `${JSON.stringify(line)}\n`)
  })
}
