import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LockstepError } from '../../host/base/error.ts'
import { type LmdbCommitter, openCommitter } from '../../host/storage/commit/lmdb-committer.ts'
import { encodeRecord } from '../../host/storage/store/codec/record-codec.ts'
import { openStorage } from '../../host/storage/store/open-storage.ts'
import type { StateStore } from '../../host/storage/store/state/state-store.ts'
import type { StorageOptions } from '../../host/storage/store/storage-options.ts'
import { buildCommitModule } from '../support/engine/commit-module.ts'
import { makeRandom, runSeed } from '../support/random.ts'
import { type KilledStore, type KillPoint, StoreProcess } from '../support/store/store-process.ts'
import { appendNoise, cutNewest, tearNext, walEnd } from '../support/store/torn-wal.ts'
import { changesetAt, codeHashes, splitBlock } from '../unit/storage/store/state/split-blocks.ts'
import { SplitModel } from '../unit/storage/store/state/split-model.ts'
import type { SplitWriterReport } from '../unit/storage/store/state/split-writer.ts'
import { digestAt, readsOf } from '../unit/storage/store/state/state-answers.ts'
import { stripProgram } from './process/stripped-program.ts'

const WRITER = fileURLToPath(
  new URL('../unit/storage/store/state/split-writer.ts', import.meta.url),
)
const seed = runSeed()
/** Kills for each layout. 100 take five minutes: LOCKSTEP_KILLS=100 npm run -s test:all -- test/faults/store */
const KILLS = Number(process.env.LOCKSTEP_KILLS ?? 15)
/** Minimum number of kills that must hit their phase, since a kill may come late. */
const HITS = 1
/** A busy machine is often late, but a phase that so many kills miss does not exist. */
const MOST_KILLS = 10 * KILLS
const KEEP_RECENT = 6
/** Distance between two prune heights (PRUNE_STEP of retention.ts). */
const PRUNE_STEP = 16

/** All disk operations of the store (split-writer.ts). */
const PHASES = [
  'open',
  'thread',
  'wal',
  'flush',
  'chain',
  'install',
  'compact',
  'replace',
  'prune',
  'commit',
]
/** These occur once in a process. */
const ONCE = ['open', 'thread']
/** These occur soonest if a process first flushes and compacts what it finds. */
const SETTLED = ['flush', 'chain', 'install', 'compact', 'replace', 'prune']

const LAYOUTS: readonly (readonly [string, Partial<StorageOptions>])[] = [
  ['split off', { evmSplit: false }],
  ['split on, separate databases', { evmSplit: true, evmSeparateDbs: true }],
  ['split on, one database', { evmSplit: true, evmSeparateDbs: false }],
]

let wasm: string
let writer: ReturnType<typeof stripProgram>
let module: WebAssembly.Module
const home = mkdtempSync(join(tmpdir(), 'lockstep-faults-'))

beforeAll(async () => {
  wasm = await buildCommitModule()
  module = new WebAssembly.Module(readFileSync(wasm))
  writer = stripProgram(WRITER)
})

afterAll(() => {
  for (const dir of [home, writer.dir]) rmSync(dir, { recursive: true, force: true })
})

/** The expected chain: reads from a simple model, app hashes from a state commit that is never killed. */
class Expected {
  readonly #seed: number
  readonly #committer: LmdbCommitter
  readonly #model = new SplitModel()
  readonly #digests: string[] = []
  readonly #appHashes: string[] = []

  static async of(seed: number, dir: string): Promise<Expected> {
    return new Expected(seed, await openCommitter({ dir, module }))
  }

  private constructor(seed: number, committer: LmdbCommitter) {
    this.#seed = seed
    this.#committer = committer
  }

  async appHash(height: number): Promise<string> {
    await this.#grow(height)
    return this.#appHashes[height] as string
  }

  async digest(height: number): Promise<string> {
    await this.#grow(height)
    return this.#digests[height] as string
  }

  close(): Promise<void> {
    return this.#committer.close()
  }

  async #grow(to: number): Promise<void> {
    for (let height = this.#digests.length; height <= to; height++) {
      const changeset = changesetAt(this.#seed, height)
      this.#model.apply(changeset)
      this.#digests.push(digestAt(this.#model, height, codeHashes(this.#seed, height)))
      this.#appHashes.push(Buffer.from(await this.#committer.stage(changeset)).toString('hex'))
      await this.#committer.commit()
    }
  }
}

/** One home, written by consecutive processes, each of which is killed. */
class Lane {
  readonly hits = new Map(PHASES.map((phase) => [phase, 0]))
  kills = 0
  torn = 0
  cut = 0
  readonly #options: StorageOptions
  readonly #expected: Expected
  readonly #random: () => number
  readonly #seed: number
  #next: StoreProcess
  #acknowledged = -1
  #earliest = -1
  /** Bytes after the last record of the log. */
  #tornBytes = 0

  constructor(options: StorageOptions, expected: Expected, seed: number) {
    this.#options = options
    this.#expected = expected
    this.#seed = seed
    this.#random = makeRandom(seed)
    this.#next = this.#load()
  }

  get isDone(): boolean {
    return this.kills >= KILLS && [...this.hits.values()].every((hits) => hits >= HITS)
  }

  /** Runs a process until it is killed, checks what it found, and sometimes damages the end of the log. */
  async kill(): Promise<void> {
    const running = this.#next
    this.#next = this.#load()
    const { found, acknowledged, phases } = await running.runUntil(this.#killPoint())
    this.kills++
    for (const phase of phases) this.hits.set(phase, (this.hits.get(phase) ?? 0) + 1)
    if (found !== undefined) await this.#expectFound(found)
    // It may have truncated the torn end before it was killed.
    else this.#tornBytes = 0
    await this.#expectAcknowledged(acknowledged)
    const chance = this.#random()
    // Ensures a torn end even with few kills.
    const isTearDue = this.torn === 0 && this.kills > KILLS / 2
    if (chance < 0.25 || isTearDue) this.#tear()
    else if (chance < 0.35) await this.#openCut()
  }

  /** Opens the store a last time and checks all heights after the remaining work is done. */
  async finish(): Promise<void> {
    await this.#next.end()
    const storage = await openStorage(this.#options)
    try {
      await storage.settle()
      const { latest } = storage.chain
      for (let height = 0; height <= latest; height++) {
        const { block, receipts } = splitBlock(this.#seed, height).executed
        expect(storage.chain.block(height)).toEqual(block)
        expect(storage.chain.receipts(height)).toEqual(receipts)
      }
      const { earliest } = storage.state
      expect(earliest).toBeGreaterThan(latest - KEEP_RECENT + 1 - PRUNE_STEP)
      await this.#expectState(storage.state, earliest, latest)
    } finally {
      await storage.close()
    }
  }

  stop(): Promise<void> {
    return this.#next.end()
  }

  #load(): StoreProcess {
    const task = { seed: this.#seed, options: this.#options, wasm }
    return new StoreProcess([process.execPath, writer.program], task)
  }

  #killPoint(): KillPoint {
    // The phase hit least, or a random one
    const ordered = [...this.hits].sort((a, b) => a[1] - b[1])
    const [phase] = ordered[this.#below(2) === 0 ? 0 : this.#below(ordered.length)] as [
      string,
      number,
    ]
    return {
      phase,
      occurrence: ONCE.includes(phase) ? 1 : 1 + this.#below(phase === 'wal' ? 12 : 3),
      settles: SETTLED.includes(phase),
      milliseconds: Math.floor(this.#random() ** 2 * (ONCE.includes(phase) ? 40 : 5)),
      heights: 1 + this.#below(24),
    }
  }

  async #expectFound(found: SplitWriterReport): Promise<void> {
    const latest = found.latest[0] as number
    expect(found.latest).toEqual([latest, latest, latest])
    expect(latest).toBeGreaterThanOrEqual(this.#acknowledged)
    // The block in progress may be there without an acknowledgement.
    expect(latest).toBeLessThanOrEqual(this.#acknowledged + 1)
    this.#acknowledged = latest
    expect(found.cutBytes).toBeGreaterThanOrEqual(this.#tornBytes)
    if (found.cutBytes > 0) this.torn++
    this.#tornBytes = 0
    expect(found.earliest).toBeGreaterThanOrEqual(this.#earliest)
    expect(found.earliest).toBeLessThanOrEqual(Math.max(0, latest - KEEP_RECENT + 1))
    this.#earliest = found.earliest
    for (const [height, digest] of found.digests) {
      expect(digest, `height ${height}`).toBe(await this.#expected.digest(height))
    }
    expect(found.wrongBlocks).toEqual([])
    if (latest >= 0) expect(found.appHash).toBe(await this.#expected.appHash(latest))
  }

  async #expectAcknowledged(acknowledged: KilledStore['acknowledged']): Promise<void> {
    for (const [height, appHash] of acknowledged) {
      expect(height).toBe(this.#acknowledged + 1)
      expect(appHash).toBe(await this.#expected.appHash(height))
      this.#acknowledged = height
    }
  }

  /** Appends a partial write, as a crash or a file system leaves it. */
  #tear(): void {
    const { dir } = this.#options
    if (this.#acknowledged < 0) return
    const { bytes } = encodeRecord(splitBlock(this.#seed, walEnd(dir).latest + 1))
    const length = 1 + this.#below(bytes.length)
    const kind = this.#below(3)
    if (kind === 0) tearNext(dir, bytes, length)
    else if (kind === 1) appendNoise(dir, new Uint8Array(length))
    else
      appendNoise(
        dir,
        Uint8Array.from({ length }, () => this.#below(256)),
      )
    const { size, end } = walEnd(dir)
    this.#tornBytes = size - end
  }

  /** Truncates the log in a copy of the home, which must be correct at its height or be refused. */
  async #openCut(): Promise<void> {
    const { dir } = this.#options
    if (this.#acknowledged < 1) return
    const copy = `${dir}-cut`
    cpSync(dir, copy, { recursive: true })
    try {
      cutNewest(copy, 1 + this.#below(2000))
      const { latest } = walEnd(copy)
      const storage = await openStorage({ ...this.#options, dir: copy })
      try {
        expect([storage.chain.latest, storage.state.latest]).toEqual([latest, latest])
        const { earliest } = storage.state
        await this.#expectState(storage.state, Math.max(earliest, latest - 4), latest)
      } finally {
        await storage.close()
      }
    } catch (thrown) {
      if (!(thrown instanceof LockstepError)) throw thrown
      expect([thrown.code, thrown.message]).toEqual(['STORE_CORRUPTED', expect.any(String)])
    } finally {
      rmSync(copy, { recursive: true })
    }
    this.cut++
  }

  async #expectState(state: StateStore, from: number, to: number): Promise<void> {
    for (let height = from; height <= to; height++) {
      const digest = digestAt(readsOf(state), height, codeHashes(this.#seed, height))
      expect(digest, `height ${height}`).toBe(await this.#expected.digest(height))
    }
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit)
  }
}

test(`${KILLS * LAYOUTS.length} kills in all phases of the store lose no block (LOCKSTEP_SEED=${seed})`, async () => {
  const lanes = await Promise.all(
    LAYOUTS.map(async ([, layout], place) => {
      const dir = join(home, `store-${place}`)
      const expected = await Expected.of(seed + place, join(home, `expected-${place}`))
      const options: StorageOptions = {
        dir,
        backend: 'lmdb',
        evmSplit: false,
        evmSeparateDbs: true,
        keepRecent: KEEP_RECENT,
        retainBlocks: 0,
        flushInterval: 2,
        ...layout,
      }
      return { lane: new Lane(options, expected, seed + place), expected }
    }),
  )
  try {
    await Promise.all(
      lanes.map(async ({ lane }) => {
        while (!lane.isDone && lane.kills < MOST_KILLS) await lane.kill()
      }),
    )
    for (const { lane } of lanes) await lane.finish()
  } finally {
    for (const { lane, expected } of lanes) {
      await lane.stop()
      await expected.close()
    }
  }
  for (const [place, [name]] of LAYOUTS.entries()) {
    const { kills, hits, torn, cut } = (lanes[place] as (typeof lanes)[number]).lane
    const counts = [...hits].map(([phase, count]) => `${phase} ${count}`).join(', ')
    console.info(`${name}: ${kills} kills (${counts}), ${torn} torn ends, ${cut} ends cut off`)
    expect(kills).toBeGreaterThanOrEqual(KILLS)
    for (const [phase, count] of hits) expect(count, phase).toBeGreaterThanOrEqual(HITS)
    expect(torn).toBeGreaterThan(0)
  }
}, 900_000)
