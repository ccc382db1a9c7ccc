import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import type { StoragePublisher } from '../../../../../host/storage/store/reader/storage-publisher.ts'
import { makeRandom, runSeed } from '../../../../support/random.ts'
import { bySet } from '../../../../support/run/by-set.ts'
import { delayAtomics } from '../../../../support/trace/late-atomics.ts'
import { openAt, temporaryDir } from '../temporary-storage.ts'
import { BANK_STORE, WrittenChain } from '../written-chain.ts'
import type { ReadingReport, ReadingThreadData, ToReadingThread } from './storage-reading-thread.ts'

const SCRIPT = new URL('storage-reading-thread.ts', import.meta.url)

const BLOCKS = bySet(120, 600)

const seed = runSeed()

/** A thread that applies a publisher's deltas and reads until it is stopped. */
class ReadingThread {
  readonly #worker: Worker
  readonly #detach: () => void
  readonly #report: Promise<ReadingReport>

  constructor(publisher: StoragePublisher, latest: () => number, data: ReadingThreadData) {
    const worker = new Worker(SCRIPT, { workerData: data })
    this.#worker = worker
    this.#report = new Promise((resolve, reject) => {
      worker.on('message', resolve)
      worker.on('error', reject)
    })
    this.#detach = publisher.attach((edition) => {
      // A delta contains only blocks that are on disk, which this thread's reads show as well.
      expect(edition.state.latest).toBe(latest())
      this.send({ kind: 'storage', edition })
    })
    onTestFinished(async () => void (await worker.terminate()))
  }

  send(message: ToReadingThread): void {
    this.#worker.postMessage(message)
  }

  async stop(): Promise<ReadingReport> {
    this.send({ kind: 'stop' })
    const report = await this.#report
    this.#detach()
    return report
  }
}

test.each([
  { evmSplit: false, evmSeparateDbs: true },
  { evmSplit: true, evmSeparateDbs: true },
])(
  `threads read every retained block and state while blocks are added, flushed, compacted and pruned (split $evmSplit, seed ${seed})`,
  { timeout: bySet(60_000, 600_000) },
  async (members) => {
    expect(BANK_STORE).toBe('bank')
    const random = makeRandom(seed)
    const chain = new WrittenChain(seed)
    const storage = await openAt(temporaryDir(), {
      ...members,
      flushInterval: 2,
      keepRecent: 40,
      retainBlocks: 50,
    })
    onTestFinished(() => storage.close())
    const publisher = storage.publisher as StoragePublisher
    const threads: ReadingThread[] = []
    const open = (lateMs: number) => {
      const data = { chain: seed, dirs: storage.chain.dirs, seed: seed + threads.length, lateMs }
      threads.push(new ReadingThread(publisher, () => storage.chain.latest, data))
    }
    open(0)
    open(25)
    onTestFinished(delayAtomics({ seed, oneOf: 100, milliseconds: 1 }))
    for (let height = 0; height < BLOCKS; height++) {
      await storage.append(chain.record(height))
      for (const thread of threads) thread.send({ kind: 'acknowledged', height })
      if (height === BLOCKS / 3) open(0)
      if (random() < 0.02) await storage.settle()
    }
    const reports = await Promise.all(threads.map((thread) => thread.stop()))
    expect(reports.map(({ failure }) => failure)).toEqual([undefined, undefined, undefined])
    expect(reports.map(({ unreadable }) => unreadable)).toEqual([0, 0, 0])
    expect(reports.map(({ latest }) => latest)).toEqual(Array(3).fill(BLOCKS - 1))
  },
)
