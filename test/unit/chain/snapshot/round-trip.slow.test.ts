import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hexDigits } from '../../../../host/base/hex.ts'
import { verifySnapshot } from '../../../../host/chain/snapshot/verify-snapshot.ts'
import { CommitHasher } from '../../../../host/storage/commit/hash/commit-hasher.ts'
import { buildCommitModule } from '../../../support/engine/commit-module.ts'
import { runSeed } from '../../../support/random.ts'
import { backendOf } from '../../storage/store/state/state-backends.ts'
import { genesis, KEYS, moduleKey, RandomChain } from './random-chain.ts'
import {
  importInto,
  type Layout,
  makeDir,
  ROCKSDB,
  removeDir,
  SEPARATE,
  SnapshotHome,
  SPLIT,
  UNSPLIT,
} from './snapshot-home.ts'
import { stateOf } from './state-of.ts'

const HEIGHT = 262
const FIRST_BLOCK = HEIGHT - 255
const AFTER = 6
const seed = runSeed()

const root = makeDir()
afterAll(() => removeDir(root))

let module: WebAssembly.Module
let hasher: CommitHasher
beforeAll(async () => {
  module = new WebAssembly.Module(readFileSync(await buildCommitModule()))
  hasher = new CommitHasher(module)
})

const LAYOUTS: readonly (readonly [string, Layout, Layout])[] = [
  ['unsplit', SEPARATE, UNSPLIT],
  ['split', UNSPLIT, SPLIT],
  ['separate', SPLIT, SEPARATE],
  ['another backend', SEPARATE, ROCKSDB],
]

const canRun = ({ backend }: Layout): boolean => backendOf(backend).missing === undefined

test.each(LAYOUTS.filter(([, , to]) => canRun(to)))(
  `a snapshot is imported as the same chain, %s (LOCKSTEP_SEED=${seed})`,
  async (name, from, to) => {
    const chain = new RandomChain(seed, hasher)
    const home = await SnapshotHome.open(`${root}/${name}-from`, from, module)
    await home.grow(chain, HEIGHT)
    await home.committer.close()
    const { dir, metadata } = await home.export(16 * 1024)
    expect(metadata.height).toBe(HEIGHT)
    expect(metadata.appHash).toBe(hexDigits(home.committer.appHash))
    expect(metadata.chunks.length).toBeGreaterThan(10)
    expect(await verifySnapshot({ dir, hasher, genesis })).toEqual(metadata)

    await importInto(dir, `${root}/${name}-to`, to, module)
    const copy = await SnapshotHome.open(`${root}/${name}-to`, to, module)
    expect(copy.committer.version).toBe(HEIGHT)
    expect(copy.committer.appHash).toEqual(home.committer.appHash)
    expect(copy.storage.startup.replayed).toBeUndefined()
    expect([copy.storage.state.earliest, copy.storage.state.latest]).toEqual([HEIGHT, HEIGHT])
    expect(stateOf(copy, HEIGHT)).toEqual(stateOf(home, HEIGHT))
    const { chain: blocks } = home.storage
    const { chain: copied } = copy.storage
    expect([copied.earliest, copied.latest]).toEqual([FIRST_BLOCK, HEIGHT])
    for (const height of [0, FIRST_BLOCK, 100, HEIGHT]) {
      expect(copied.block(height)).toEqual(blocks.block(height))
      expect(copied.receipts(height)).toEqual(blocks.receipts(height))
    }
    expect(copied.block(FIRST_BLOCK - 1)).toBeUndefined()
    for (const number of [FIRST_BLOCK - 1, FIRST_BLOCK, HEIGHT, HEIGHT + 1]) {
      const hashes = [home, copy].map(({ storage }) => storage.state.view(HEIGHT).blockHash(number))
      expect(hashes[1]).toEqual(hashes[0])
    }
    const decided = home.decided.decided(HEIGHT)
    expect(copy.decided.decided(HEIGHT)).toEqual(decided)
    expect([copy.decided.base, copy.decided.height]).toEqual([HEIGHT, HEIGHT])
    expect(copy.decided.results(HEIGHT)).toEqual(home.decided.results(HEIGHT))

    await home.storage.close()
    await home.decided.close()
    const original = await SnapshotHome.open(home.dir, from, module)
    // Both continue with the same blocks: the same steps in the same order.
    for (const key of Array.from({ length: KEYS }, (_, n) => moduleKey(n))) {
      const proof = await copy.committer.prove('bank', key, HEIGHT)
      expect(proof).toEqual(await original.committer.prove('bank', key, HEIGHT))
    }
    const twin = chain.copy()
    await original.grow(chain, HEIGHT + AFTER)
    await copy.grow(twin, HEIGHT + AFTER)
    expect(copy.committer.appHash).toEqual(original.committer.appHash)
    expect(stateOf(copy, HEIGHT + AFTER)).toEqual(stateOf(original, HEIGHT + AFTER))
    await original.close()
    await copy.close()
  },
  120_000,
)
