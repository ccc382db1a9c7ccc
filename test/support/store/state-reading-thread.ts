import { parentPort, workerData } from 'node:worker_threads'
import { LockstepError } from '../../../host/base/error.ts'
import type { StateView } from '../../../host/state/view.ts'
import type { StateEdition } from '../../../host/store/reader/state-edition.ts'
import { StateReader } from '../../../host/store/reader/state-reader.ts'
import { slot } from '../../unit/store/chain/block-records.ts'
import { makeRandom } from '../random.ts'
import { ACCOUNTS, BANK, HOLDERS, MODULE_KEYS, SLOTS, WrittenChain } from './written-chain.ts'

// A thread that reads a state which another writes, and compares all that it reads with what was written.

export interface ReadingThreadData {
  /** Of the chain. */
  readonly chain: number
  /** Of what is read. */
  readonly seed: number
  /** Milliseconds that it may be late to take an edition. */
  readonly lateMs: number
}

export type ToReadingThread =
  | { readonly kind: 'state'; readonly edition: StateEdition }
  /** The writer has acknowledged a block. */
  | { readonly kind: 'acknowledged'; readonly height: number }
  | { readonly kind: 'stop' }

export interface ReadingReport {
  readonly reads: number
  /** Reads of states that were older than the newest by more blocks than one flush takes. */
  readonly oldReads: number
  /** Times that no view could be had for a while. */
  readonly unreadable: number
  readonly latest: number
  readonly failure: string | undefined
}

const READS_A_TURN = 150
const LEAST_READS = 2_000
/** Views that are read from by turns; each is held over some editions. */
const HELD = 4

const { chain: chainSeed, seed, lateMs } = workerData as ReadingThreadData
const chain = new WrittenChain(chainSeed)
const random = makeRandom(seed)
const below = (limit: number) => Math.floor(random() * limit)

const reader = new StateReader()
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

/** A view may be pruned while it is held, and says so. */
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

/** Stopped, it still reads as much as shows something. */
function isDone(): boolean {
  return isStopping && (failure !== undefined || (reads >= LEAST_READS && oldReads > 0))
}

function finish(): void {
  reader.close()
  const { latest } = reader
  const report: ReadingReport = { reads, oldReads, unreadable, latest, failure }
  parentPort?.postMessage(report)
  parentPort?.close()
}

function turn(): void {
  if (isDone()) {
    finish()
    return
  }
  if (held.length < HELD) hold()
  else if (below(3) === 0) held.splice(below(held.length), 1)
  readSome()
  setImmediate(turn)
}

parentPort?.on('message', (message: ToReadingThread) => {
  switch (message.kind) {
    case 'state':
      if (lateMs > 0) Atomics.wait(clock, 0, 0, below(lateMs))
      reader.take(message.edition)
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
