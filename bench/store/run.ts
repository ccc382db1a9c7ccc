import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeRandom } from '../../test/support/random.ts'
import { quantile } from '../statistics.ts'
import type { OpenedLayout, StoreLayout } from './layouts/layout.ts'
import { Accounts, type BlockShape, Workload } from './workload.ts'

const BLOCK_MS = 400
/** Reads between two blocks, and after all of them. */
const READS_BESIDE = 100
const READS_AFTER = 50_000
const MB = 1e6

export interface StoreRun {
  readonly layout: StoreLayout
  readonly accounts: Accounts
  readonly shape: BlockShape
  /** Seconds of blocks at the block time. Half as many follow at full speed. */
  readonly seconds: number
}

/** Runs one layout in a directory that is deleted afterwards, and prints a row per phase. */
export async function runStore(run: StoreRun, print: (row: object) => void): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'lockstep-bench-store-'))
  try {
    const { layout, accounts } = run
    const common = { layout: layout.name, accounts: accounts.count }
    const start = performance.now()
    await layout.preload(dir, accounts.rows())
    const opening = performance.now()
    const store = await layout.open(dir)
    print({
      ...common,
      phase: 'preload',
      rows_per_s: Math.round((accounts.count / (opening - start)) * 1000),
      open_ms: Math.round(performance.now() - opening),
      disk_mb: megabytes(dir),
    })
    const meter = new StoreMeter(run, store, dir)
    print({ ...common, phase: 'paced', ...(await meter.write(BLOCK_MS, run.seconds)) })
    print({ ...common, phase: 'saturated', ...(await meter.write(0, run.seconds / 2)) })
    print({ ...common, phase: 'reads', ...(await meter.readAfter()) })
    await store.close()
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** Writes blocks into a store, reads from it, and times both. */
class StoreMeter {
  readonly #store: OpenedLayout
  readonly #workload: Workload
  readonly #shape: BlockShape
  readonly #dir: string
  readonly #random = makeRandom(11)
  #height = 0

  constructor({ accounts, shape }: StoreRun, store: OpenedLayout, dir: string) {
    this.#store = store
    this.#shape = shape
    this.#workload = new Workload(accounts, shape)
    this.#dir = dir
  }

  /** Writes one block every `period` ms, or as soon as the previous one is durable. */
  async write(period: number, seconds: number): Promise<object> {
    const work: number[] = []
    const reads: number[] = []
    let largestLag = 0
    let prepared = 0
    const written = bytesWritten()
    const start = performance.now()
    for (let next = start; performance.now() - start < seconds * 1000; next += period) {
      const making = performance.now()
      const record = this.#workload.record(++this.#height)
      prepared += performance.now() - making
      await delay(next - performance.now())
      const began = performance.now()
      await this.#store.append(record)
      work.push(performance.now() - began)
      if (period > 0) reads.push(...(await this.#read(READS_BESIDE)))
      largestLag = Math.max(largestLag, this.#store.lag)
    }
    const elapsed = performance.now() - start - (period > 0 ? 0 : prepared)
    await this.#store.settle()
    const settled = performance.now() - start - (period > 0 ? 0 : prepared)
    const blocks = work.length
    const rate = (rows: number, ms: number) => Math.round((rows * blocks * 1000) / ms)
    const { accounts, slots, moduleKeys } = this.#shape
    return {
      blocks,
      rows_per_s: rate(this.#workload.rowsOfBlock, elapsed),
      settled_rows_per_s: rate(this.#workload.rowsOfBlock, settled),
      accounts_per_s: rate(accounts, elapsed),
      slots_per_s: rate(slots, elapsed),
      ...(moduleKeys > 0 && { module_rows_per_s: rate(moduleKeys, elapsed) }),
      block_p50_ms: round(quantile(work, 0.5)),
      block_p99_ms: round(quantile(work, 0.99)),
      block_max_ms: round(Math.max(...work)),
      write_amplification: round(
        (bytesWritten() - written) / (blocks * this.#workload.bytesOfBlock),
      ),
      lag_blocks: largestLag,
      ...(reads.length > 0 && readFields(reads)),
      rss_mb: Math.round(process.memoryUsage.rss() / MB),
      disk_mb: megabytes(this.#dir),
    }
  }

  /** Reads after everything is settled. */
  async readAfter(): Promise<object> {
    const start = performance.now()
    const times = await this.#read(READS_AFTER)
    return {
      reads_per_s: Math.round((times.length * 1000) / (performance.now() - start)),
      ...readFields(times),
    }
  }

  /** Returns the microseconds of reads of random accounts at random heights, each checked. */
  async #read(count: number): Promise<number[]> {
    const { accounts } = this.#workload
    const times: number[] = []
    for (let i = 0; i < count; i++) {
      const address = accounts.address(Math.floor(this.#random() * accounts.count))
      const height = Math.floor(this.#random() * (this.#height + 1))
      const start = performance.now()
      const answer = this.#store.account(address, height)
      const record = answer instanceof Promise ? await answer : answer
      times.push((performance.now() - start) * 1000)
      if (record === undefined || Accounts.heightOf(record) > height) {
        throw new Error(`account ${Buffer.from(address).toString('hex')} is wrong at ${height}`)
      }
    }
    return times
  }
}

function readFields(times: readonly number[]): object {
  return { get_p50_us: round(quantile(times, 0.5)), get_p99_us: round(quantile(times, 0.99)) }
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => (ms > 0 ? setTimeout(resolve, ms) : setImmediate(resolve)))
}

/** Returns the bytes that this process has written to disk (Linux). */
function bytesWritten(): number {
  return Number(/^write_bytes: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])
}

function megabytes(dir: string): number {
  let bytes = 0
  for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
    bytes += statSync(join(dir, name), { throwIfNoEntry: false })?.size ?? 0
  }
  return Math.round(bytes / MB)
}
