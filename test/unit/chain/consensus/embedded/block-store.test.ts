import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { EMPTY_BYTES } from '../../../../../host/base/bytes.ts'
import type { BlockId } from '../../../../../host/chain/consensus/comet/block-id.ts'
import { encodeBlockResults } from '../../../../../host/chain/consensus/comet/block-results.ts'
import type { Commit } from '../../../../../host/chain/consensus/comet/commit.ts'
import type { ConsensusBlockStore } from '../../../../../host/chain/consensus/embedded/block-store.ts'
import { LmdbEnv } from '../../../../../host/storage/store/lmdb/lmdb-env.ts'
import { ToyHome } from '../toy-chain.ts'

function commitOf(height: number): Commit {
  const hash = new Uint8Array(32).fill(height)
  const blockId: BlockId = { hash, parts: { total: 1, hash } }
  return { height, round: 0, blockId, signatures: [] }
}

const RESULTS = [{ code: 0, data: EMPTY_BYTES, gasWanted: 1n, gasUsed: 1n }]

let home: ToyHome
let store: ConsensusBlockStore

beforeEach(async () => {
  home = await ToyHome.create()
  store = home.openStore()
})

afterEach(async () => {
  await store.close()
  await home.remove()
})

describe('the block store', () => {
  test('counts a proposed block only after it is decided', () => {
    store.propose(300, Uint8Array.of(0x0a, 0))
    expect([store.base, store.height]).toEqual([0, 0])
    expect(store.block(300)?.encoded).toEqual(Uint8Array.of(0x0a, 0))
    expect(store.decided(300)).toBeUndefined()
    store.decide(commitOf(300))
    expect([store.base, store.height]).toEqual([300, 300])
    expect(store.decided(300)?.commit).toEqual(commitOf(300))
    expect(store.heightOf(commitOf(300).blockId.hash)).toBe(300)
  })

  test('has every block after it is reopened, in the order of the heights', async () => {
    for (const height of [254, 255, 256, 257]) {
      store.propose(height, Uint8Array.of(0x0a, 0))
      store.decide(commitOf(height))
      store.saveResults(height, encodeBlockResults(RESULTS))
    }
    await store.close()
    store = home.openStore()
    expect([store.base, store.height]).toEqual([254, 257])
    expect(store.results(256)).toEqual(RESULTS)
    expect(store.results(258)).toBeUndefined()
  })

  test('never drops the latest decided block', () => {
    for (const height of [1, 2, 3]) {
      store.propose(height, Uint8Array.of(0x0a, 0))
      store.decide(commitOf(height))
      store.saveResults(height, encodeBlockResults(RESULTS))
    }
    store.prune(100)
    expect([store.base, store.height]).toEqual([3, 3])
    expect(store.heightOf(commitOf(2).blockId.hash)).toBeUndefined()
    expect([store.block(2), store.commit(2), store.results(2)]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect(store.decided(3)).toBeDefined()
  })

  test('reports the height of a row that cannot be decoded', async () => {
    store.propose(1, Uint8Array.of(0xff, 0xff))
    const code = { code: 'STORE_CORRUPTED' }
    expect(() => store.block(1)).toThrow(/^Database is corrupted: block of height 1 in /)
    expect(() => store.block(1)).toThrow(expect.objectContaining(code))
    await store.close()
    const env = new LmdbEnv(join(home.path, 'data', 'blockstore.db'))
    const commits = env.table('commits')
    env.write(() => commits.put(Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 1), Uint8Array.of(0xff)))
    await env.close()
    store = home.openStore()
    expect(() => store.commit(1)).toThrow(expect.objectContaining(code))
  })
})
