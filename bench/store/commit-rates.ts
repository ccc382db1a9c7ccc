import { concatBytes } from '../../host/base/bytes.ts'
import type { KeyWrite } from '../../host/evm/state/changeset.ts'
import { readModule } from '../../host/node/wasm.ts'
import { CommitHasher } from '../../host/storage/commit/hash/commit-hasher.ts'
import { ElementList } from '../../host/storage/commit/hash/element-list.ts'
import { LATTICE_BYTES } from '../../host/storage/commit/hash/lattice-hasher.ts'
import { type IavlNode, iavlRoot, writeIavl } from '../../host/storage/commit/iavl/iavl.ts'
import { makeRandom } from '../../test/support/random.ts'
import { median } from '../statistics.ts'

export interface CommitRatesOptions {
  /** Keys of the IAVL tree. */
  readonly keys?: number
  /** Updates hashed together, like those of a block. */
  readonly batch?: number
  readonly rounds?: number
}

/** Updates per second of the state commit on one thread, without its disk. */
export interface CommitRates {
  /** An update takes the old row of an account out of a lattice and adds the new one. */
  readonly lthash_updates_per_s: number
  /** An update sets an existing key of the tree. The root is computed after each batch. */
  readonly iavl_updates_per_s: number
}

/** Row sizes of FlatKV's account database: without code, and with its hash. */
const ACCOUNT_ROWS = [49, 81]
const ACCOUNT_PREFIX = Uint8Array.from(Buffer.from('evm/\x0a', 'latin1'))

/** A balance key of the bank module: prefix, length, address, denomination. */
const BALANCE_PREFIX = Uint8Array.of(2, 20)
const DENOMINATION = Buffer.from('usei')

/** Returns medians over the rounds, each of one batch. */
export async function commitRates(options: CommitRatesOptions = {}): Promise<CommitRates> {
  const { keys = 1_000_000, batch = 10_000, rounds = 9 } = options
  const hasher = new CommitHasher(new WebAssembly.Module(await readModule('commit')))
  const random = makeRandom(1)
  return {
    lthash_updates_per_s: lattice(hasher, random, batch, rounds),
    iavl_updates_per_s: iavl(hasher, random, keys, batch, rounds),
  }
}

function randomBytes(random: () => number, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => random() * 256)
}

function lattice(
  hasher: CommitHasher,
  random: () => number,
  batch: number,
  rounds: number,
): number {
  const addresses = Array.from({ length: batch }, () => randomBytes(random, 20))
  const rows = () => addresses.map((_, i) => randomBytes(random, ACCOUNT_ROWS[i % 2] as number))
  const sum = new Uint8Array(LATTICE_BYTES)
  const added = new ElementList()
  const removed = new ElementList()
  let old = rows()
  return perSecond(batch, rounds, () => {
    const next = rows()
    return () => {
      added.clear()
      removed.clear()
      for (const [i, address] of addresses.entries()) {
        removed.add(ACCOUNT_PREFIX, address, old[i] as Uint8Array)
        added.add(ACCOUNT_PREFIX, address, next[i] as Uint8Array)
      }
      hasher.subtract(sum, removed.bytes)
      hasher.add(sum, added.bytes)
      hasher.root(sum)
      old = next
    }
  })
}

function iavl(
  hasher: CommitHasher,
  random: () => number,
  keys: number,
  batch: number,
  rounds: number,
): number {
  const all = Array.from({ length: keys }, () =>
    concatBytes([BALANCE_PREFIX, randomBytes(random, 20), DENOMINATION]),
  )
  const write = (key: Uint8Array): KeyWrite => ({ key, value: randomBytes(random, 10) })
  let version = 0
  let root: IavlNode | undefined
  const commit = (writes: readonly KeyWrite[]): void => {
    root = writeIavl(root, version++, writes).root
    iavlRoot(root, hasher)
  }
  for (let from = 0; from < keys; from += batch) commit(all.slice(from, from + batch).map(write))
  return perSecond(batch, rounds, () => {
    const writes = Array.from({ length: batch }, () =>
      write(all[Math.floor(random() * keys)] as Uint8Array),
    )
    return () => commit(writes)
  })
}

/** `prepare` returns what a round measures. One extra round warms up. */
function perSecond(updates: number, rounds: number, prepare: () => () => void): number {
  const rates: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const work = prepare()
    const start = performance.now()
    work()
    if (round > 0) rates.push((updates / (performance.now() - start)) * 1000)
  }
  return Math.round(median(rates))
}
