import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { AddressIndexOptions } from '../../../../host/api/transaction-index/address-index.ts'
import { ROW_KIND } from '../../../../host/api/transaction-index/hash-rows.ts'
import {
  TransactionIndex,
  type TransactionIndexOptions,
} from '../../../../host/api/transaction-index/transaction-index.ts'
import type { Hex } from '../../../../host/base/hex.ts'
import { sha256 } from '../../../../host/chain/consensus/comet/sha256.ts'
import type { EngineModules } from '../../../../host/evm/engine/engine-modules.ts'
import { compileEngine } from '../../../../host/node/wasm.ts'
import { ROLE } from '../../../../host/storage/store/address/address-rows.ts'
import type { BlockRecord } from '../../../../host/storage/store/codec/block-record.ts'
import { signVariedBlock } from '../../../support/chain/varied-block.ts'
import { makeRandom, runSeed } from '../../../support/random.ts'
import { until } from '../../../support/until.ts'
import { ChangingChain, recordsOf, rehashed } from './indexed-chain.ts'

const SEED = runSeed()
/** Blocks of the chain: more than are indexed together. */
const BLOCKS = 80
/** Height at which the second chain diverges from the first. */
const FORK = 6

let modules: EngineModules
let first: BlockRecord[]
let second: BlockRecord[]
let dir: string
let dropped: string[]
let failed: string[]

beforeAll(async () => {
  modules = await compileEngine()
  const { deployment, transactions } = await signVariedBlock(31_337, 36, SEED % 1000)
  const blocks: Hex[][] = [[deployment]]
  for (let at = 0; at < transactions.length; at += 3) blocks.push(transactions.slice(at, at + 3))
  while (blocks.length < BLOCKS - 1) blocks.push([])
  first = await recordsOf([], blocks)
  // The same transactions in other blocks, with other hashes.
  const others = blocks.slice(FORK).flat()
  const rest: Hex[][] = [[]]
  for (let at = 0; at < others.length; at += 2) rest.push(others.slice(at, at + 2))
  second = rehashed(await recordsOf(first.slice(0, FORK + 1), rest), FORK + 1)
}, 120_000)

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'lockstep-index-'))
  dropped = []
  failed = []
})

afterEach(() => {
  rmSync(dir, { recursive: true, force: true })
})

interface Changes extends Partial<Pick<AddressIndexOptions, 'history' | 'state'>> {
  readonly chain?: TransactionIndexOptions['chain']
  readonly lag?: TransactionIndexOptions['lag']
  readonly hasHashes?: boolean
  readonly hasAddresses?: boolean
}

function open(chain: ChangingChain, changes: Changes = {}): TransactionIndex {
  const { hasHashes = true, hasAddresses = true, lag, chain: store, ...replay } = changes
  const table = (name: string) => ({
    dir: join(dir, name),
    onDropped: (reason: string) => dropped.push(`${name}: ${reason}`),
    onFailure: (error: unknown) => failed.push(`${name}: ${(error as Error).message}`),
  })
  return new TransactionIndex({
    ...chain.parts,
    ...(store !== undefined && { chain: store }),
    lag,
    hashes: hasHashes ? table('hashes') : undefined,
    addresses: hasAddresses
      ? {
          ...table('addresses'),
          ...chain.replay,
          ...replay,
          modules,
          onProgress: () => {},
        }
      : undefined,
  })
}

/** Returns the chain, and the heights of the blocks that were read from it. */
function recorded(chain: ChangingChain) {
  const read: number[] = []
  const { chain: store } = chain.parts
  const block = (height: number) => {
    read.push(height)
    return store.block(height)
  }
  const get = (_: object, name: string | symbol) =>
    name === 'block' ? block : Reflect.get(store, name)
  return { read, chain: new Proxy<typeof store>(store, { get }) }
}

const heightsOf = (records: readonly BlockRecord[]) => records.map((_, height) => height).slice(1)

/** Expects each transaction of the chain at its position, by hash, by sender and by address. */
async function expectBoth(index: TransactionIndex, records: readonly BlockRecord[]) {
  const { hashes, addresses } = index
  const latest = records.length - 1
  await addresses?.reach(latest, 60_000)
  await index.settled()
  expect([hashes?.height ?? latest, Math.max(addresses?.height ?? latest, 0)]).toEqual([
    latest,
    latest,
  ])
  const senders = new Map<string, { height: number; index: number }[]>()
  for (const [height, { executed }] of records.entries()) {
    for (const [at, raw] of executed.block.transactions.entries()) {
      const place = { height, index: at }
      if (hashes !== undefined) expect(await hashes.find(sha256(raw))).toEqual(place)
      const sender = Buffer.from(executed.receipts[at]?.from as Uint8Array).toString('hex')
      senders.set(sender, [...(senders.get(sender) ?? []), place])
    }
  }
  expect(senders.size).toBeGreaterThan(0)
  for (const [sender, places] of senders) {
    const address = Buffer.from(sender, 'hex')
    if (hashes !== undefined) {
      expect([...hashes.places(ROW_KIND.SENDER, address, 0, latest)]).toEqual(places)
    }
    if (addresses !== undefined) {
      const found = addresses.places(address, ROLE.SENDER, { from: 0, to: latest })
      expect(Array.from(found, ({ height, index: at }) => ({ height, index: at }))).toEqual(places)
    }
  }
}

test('a block is read once for both tables', async () => {
  const some = first.slice(0, 20)
  const chain = new ChangingChain()
  chain.show(some)
  const { read, chain: store } = recorded(chain)
  const replays: number[] = []
  const before = (height: number) => {
    replays.push(height)
    return chain.replay.history.before(height)
  }
  const index = open(chain, { chain: store, history: { before } })
  await index.settled()
  expect(read).toEqual(heightsOf(some))
  // Only blocks that may have run code need a replay, and each needs one.
  expect(replays).toEqual([...new Set(replays)])
  expect(replays.length).toBeGreaterThan(0)
  await expectBoth(index, some)
  await index.close()
}, 60_000)

test('a table that is far behind does not wait for the replays of the other', async () => {
  const chain = new ChangingChain()
  chain.show(first)
  const { read, chain: store } = recorded(chain)
  const index = open(chain, { chain: store })
  await index.settled()
  expect(first).toHaveLength(BLOCKS)
  expect(read).toEqual([...heightsOf(first), ...heightsOf(first)])
  await expectBoth(index, first)
  await index.close()
}, 60_000)

test('an index does nothing if the chain has only its genesis block', async () => {
  const chain = new ChangingChain()
  chain.show(first.slice(0, 1))
  const index = open(chain)
  await index.settled()
  expect([index.hashes?.height, index.addresses?.height]).toEqual([-1, -1])
  await index.close()
})

test('a table that is enabled late catches up, and the other does not repeat its work', async () => {
  const chain = new ChangingChain()
  chain.show(first.slice(0, 9))
  const alone = open(chain, { hasAddresses: false })
  expect(alone.addresses).toBeUndefined()
  await expectBoth(alone, first.slice(0, 9))
  await alone.close()
  const { read, chain: store } = recorded(chain)
  const both = open(chain, { chain: store })
  await both.settled()
  expect(read).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  await both.close()
  chain.show(first.slice(0, 12))
  const other = open(chain, { hasHashes: false })
  expect(other.hashes).toBeUndefined()
  await expectBoth(other, first.slice(0, 12))
  await other.close()
  const again = open(chain)
  await expectBoth(again, first.slice(0, 12))
  await again.close()
  expect([dropped, failed]).toEqual([[], []])
}, 60_000)

test('a failed replay stops the table by address, and the table by hash goes on', async () => {
  const chain = new ChangingChain()
  chain.show(first.slice(0, 4))
  const before = (): never => {
    throw new Error('the state is gone')
  }
  const index = open(chain, { history: { before } })
  await index.settled()
  chain.show(first.slice(0, 9))
  await index.settled()
  expect([index.hashes?.height, index.addresses?.height]).toEqual([8, -1])
  expect(failed).toEqual([expect.stringMatching(/^addresses: .*the state is gone/)])
  await expect(index.addresses?.reach(8, 60_000)).rejects.toMatchObject({
    code: 'ENGINE_FAULT',
    message: expect.stringContaining('the address index has stopped at block -1: '),
  })
  await index.close()
}, 60_000)

test('tables whose first blocks differ meet at the same height', async () => {
  const chain = new ChangingChain()
  chain.show(first.slice(0, 12))
  const { read, chain: store } = recorded(chain)
  const state = { evmWholeFrom: 4 }
  const index = open(chain, { chain: store, state })
  await index.settled()
  expect(index.addresses?.earliest).toBe(5)
  // 11 is not read again: it is announced to both.
  chain.show(first.slice(0, 13))
  await index.settled()
  expect(read).toEqual([...heightsOf(first.slice(0, 12)), 5, 6, 7, 8, 9, 10, 11])
  expect([index.hashes?.height, index.addresses?.height]).toEqual([12, 12])
  await index.close()
  expect([dropped, failed]).toEqual([[], []])
}, 60_000)

test.each([
  ['follow', undefined],
  ['keep some blocks behind', { quietMs: 1, blocks: 4 }],
])(
  `both tables %s a chain whose latest blocks are removed at any moment (seed ${SEED})`,
  async (_, lag) => {
    const random = makeRandom(SEED)
    const pick = (below: number) => Math.floor(random() * below)
    const chain = new ChangingChain()
    let index = open(chain, { lag })
    let records: readonly BlockRecord[] = first.slice(0, 1)
    chain.show(records)
    const lengths = [20, second.length] as const
    for (let round = 0; round < 25; round++) {
      const isFirst = pick(2) === 0
      const source = isFirst ? first.slice(0, lengths[0]) : second
      const length = 2 + pick(source.length - 1)
      const common = records.findIndex((record, i) => source[i] !== record)
      const kept = Math.min(common < 0 ? records.length : common, length)
      if (kept < records.length) {
        const announce = chain.heads.announceRemoval(kept - 1)
        if (pick(2) === 0) await new Promise(setImmediate)
        chain.show(source.slice(0, kept))
        announce()
      }
      records = source.slice(0, length)
      for (let end = kept + 1; end <= length; end++) {
        chain.show(records.slice(0, end))
        if (pick(3) === 0) await new Promise(setImmediate)
      }
      const step = pick(5)
      if (step === 0) await expectBoth(index, records)
      else if (step === 1) {
        await index.close()
        index = open(chain, { lag })
      }
    }
    await expectBoth(index, records)
    await index.close()
    expect([dropped, failed]).toEqual([[], []])
  },
  120_000,
)

test('pruned blocks are found in neither table', async () => {
  const chain = new ChangingChain()
  chain.show(first.slice(0, 8))
  const index = open(chain)
  await expectBoth(index, first.slice(0, 8))
  const raw = first[1]?.executed.block.transactions[0] as Uint8Array
  const sender = first[1]?.executed.receipts[0]?.from as Uint8Array
  const found = () => {
    const range = { from: 0, to: 100 }
    const { hashes, addresses } = index
    return [
      ...(hashes?.places(ROW_KIND.SENDER, sender, 0, 100) ?? []),
      ...(addresses?.places(sender, ROLE.SENDER, range) ?? []),
    ].map(({ height }) => height)
  }
  expect(found()).toContain(1)
  chain.show(first.slice(0, 9), 3)
  await index.settled()
  await until(() => Math.min(...found()) >= 3)
  expect(await index.hashes?.find(sha256(raw))).toBeUndefined()
  expect(index.addresses?.earliest).toBe(3)
  await index.close()
  expect([dropped, failed]).toEqual([[], []])
}, 60_000)
