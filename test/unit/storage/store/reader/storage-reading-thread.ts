import { inspect, isDeepStrictEqual } from 'node:util'
import { parentPort, workerData } from 'node:worker_threads'
import { LockstepError } from '../../../../../host/base/error.ts'
import type { StateView } from '../../../../../host/evm/state/view.ts'
import type { ChainDirs } from '../../../../../host/storage/store/chain/lmdb-chain-store.ts'
import type { StorageDelta } from '../../../../../host/storage/store/reader/storage-delta.ts'
import { StorageReader } from '../../../../../host/storage/store/reader/storage-reader.ts'
import { makeRandom } from '../../../../support/random.ts'
import { header, slot, transactionHash } from '../chain/block-records.ts'
import { ACCOUNTS, BANK, HOLDERS, MODULE_KEYS, SLOTS, WrittenChain } from '../written-chain.ts'

// A thread that reads blocks and states while another thread writes them, and compares them with the expected values.

export interface ReadingThreadData {
  /** Seed of the chain. */
  readonly chain: number
  readonly dirs: ChainDirs
  /** Seed of the reads. */
  readonly seed: number
  /** Maximum delay before a delta is applied, in milliseconds. */
  readonly lateMs: number
}

export type ToReadingThread =
  | { readonly kind: 'storage'; readonly edition: StorageDelta }
  /** The writer has acknowledged a block. */
  | { readonly kind: 'acknowledged'; readonly height: number }
  | { readonly kind: 'stop' }

export interface ReadingReport {
  readonly reads: number
  /** Number of reads of states older than the latest by more blocks than one flush covers. */
  readonly oldReads: number
  /** Number of times that no view was available. */
  readonly unreadable: number
  readonly latest: number
  readonly failure: string | undefined
}

const READS_A_TURN = 150
const BLOCKS_A_TURN = 20
const LEAST_READS = 2_000
/** Number of views in use at a time. Each is used across several deltas. */
const HELD = 4

const { chain: chainSeed, dirs, seed, lateMs } = workerData as ReadingThreadData
const chain = new WrittenChain(chainSeed)
const random = makeRandom(seed)
const below = (limit: number) => Math.floor(random() * limit)

const storage = new StorageReader(dirs)
const reader = storage.state
const held: { readonly height: number; readonly view: StateView }[] = []
const clock = new Int32Array(new SharedArrayBuffer(4))
let reads = 0
let oldReads = 0
let unreadable = 0
let failure: string | undefined
let isStopping = false

function hold(): void {
  if (reader.latest < 0) return
  const first = Math.max(0, reader.earliest)
  const height = below(3) === 0 ? reader.latest : first + below(reader.latest - first + 1)
  const view = reader.view(height, () => undefined)
  if (view === undefined) unreadable++
  else held.push({ height, view })
}

function expectSame(what: string, got: Uint8Array | undefined, expected: Uint8Array | undefined) {
  reads++
  const text = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString('hex')
  if (text(got) !== text(expected)) {
    failure ??= `${what}: ${text(got)} was read, ${text(expected)} is right; latest ${reader.latest}`
  }
}

function readOne({ height, view }: { readonly height: number; readonly view: StateView }): void {
  if (height < reader.latest - 8) oldReads++
  switch (below(5)) {
    case 0: {
      const at = below(height + 1)
      expectSame(`code ${at} at ${height}`, view.code(chain.codeHash(at)), chain.code(at))
      break
    }
    case 1: {
      const key = below(MODULE_KEYS)
      const got = view.storage(BANK, slot(key))
      expectSame(`row ${key} at ${height}`, got, chain.moduleValue(key, height))
      break
    }
    case 2:
    case 3: {
      const n = below(ACCOUNTS)
      const got = view.account(chain.address(n))
      expectSame(`account ${n} at ${height}`, got, chain.account(n, height))
      break
    }
    default: {
      const [n, s] = [below(HOLDERS), below(SLOTS)]
      const got = view.storage(chain.address(n), slot(s))
      expectSame(`slot ${n}/${s} at ${height}`, got, chain.storage(n, s, height))
    }
  }
}

/** Checks that a block is found by height and by hash while it is retained, and not at all after it is pruned. */
function readBlock(): void {
  const { chain: blocks } = storage
  const height = below(blocks.latest + 1)
  const index = below(height % 7)
  const expected: unknown[] = [header(height).hash, height]
  const got: unknown[] = [blocks.header(height)?.hash, blocks.heightOf(header(height).hash)]
  if (height % 7 > 0) {
    const named = transactionHash(height, index)
    const place = blocks.locate(named)
    expected.push({ height, index }, named)
    got.push(place, blocks.receipt(height, index)?.receipt.transactionHash)
  }
  reads += expected.length
  const isKept = height === 0 || height >= blocks.earliest
  for (const [i, part] of expected.entries()) {
    const found = got[i]
    if (!isDeepStrictEqual(found, isKept ? part : undefined)) {
      failure ??= `part ${i} of block ${height}: ${inspect(found)} was read, kept from ${blocks.earliest}`
    }
  }
}

/** Reads from the open views. A read may fail with STATE_PRUNED only below the prune height. */
function readSome(): void {
  for (let i = 0; i < READS_A_TURN && held.length > 0; i++) {
    const at = below(held.length)
    const one = held[at] as (typeof held)[number]
    try {
      readOne(one)
    } catch (thrown) {
      const isPruned = thrown instanceof LockstepError && thrown.code === 'STATE_PRUNED'
      if (!isPruned || one.height >= reader.earliest) failure ??= String(thrown)
      held.splice(at, 1)
    }
  }
}

/** After the stop, reading continues until the thread has done enough reads to be meaningful. */
function isDone(): boolean {
  return isStopping && (failure !== undefined || (reads >= LEAST_READS && oldReads > 0))
}

async function finish(): Promise<void> {
  const { latest } = reader
  await storage.close()
  const report: ReadingReport = { reads, oldReads, unreadable, latest, failure }
  parentPort?.postMessage(report)
  parentPort?.close()
}

function turn(): void {
  if (isDone()) {
    void finish()
    return
  }
  if (held.length < HELD) hold()
  else if (below(3) === 0) held.splice(below(held.length), 1)
  readSome()
  for (let i = 0; i < BLOCKS_A_TURN && reader.latest >= 0; i++) readBlock()
  setImmediate(turn)
}

parentPort?.on('message', (message: ToReadingThread) => {
  switch (message.kind) {
    case 'storage':
      if (lateMs > 0) Atomics.wait(clock, 0, 0, below(lateMs))
      storage.take(message.edition)
      if (storage.chain.latest !== reader.latest) {
        failure ??= `blocks up to ${storage.chain.latest}, states up to ${reader.latest}`
      }
      break
    case 'acknowledged':
      if (reader.latest < message.height) {
        failure ??= `block ${message.height} was acknowledged, ${reader.latest} can be read`
      }
      break
    case 'stop':
      isStopping = true
      break
  }
})

turn()
