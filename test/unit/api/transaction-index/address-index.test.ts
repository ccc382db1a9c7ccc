import { cpSync, mkdtempSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type {
  AddressIndex,
  IndexedHeights,
} from '../../../../host/api/transaction-index/address-index.ts'
import { IndexWorkerClient } from '../../../../host/api/transaction-index/index-worker-client.ts'
import {
  TransactionIndex,
  type TransactionIndexOptions,
} from '../../../../host/api/transaction-index/transaction-index.ts'
import { formatData, type Hex, parseData } from '../../../../host/base/hex.ts'
import type { EngineModules } from '../../../../host/evm/engine/engine-modules.ts'
import { compileEngine } from '../../../../host/node/wasm.ts'
import {
  ALL_ROLES,
  FROM_ROLES,
  ROLE,
  TO_ROLES,
} from '../../../../host/storage/store/address/address-rows.ts'
import { AddressStore } from '../../../../host/storage/store/address/address-store.ts'
import type { BlockRecord } from '../../../../host/storage/store/codec/block-record.ts'
import { signVariedBlock } from '../../../support/chain/varied-block.ts'
import { makeRandom, runSeed } from '../../../support/random.ts'
import { ChangingChain, type Expected, expectedOf, recordsOf, rehashed } from './indexed-chain.ts'

const SEED = runSeed()
const PER_BLOCK = 7
/** Height at which the second chain diverges from the first. */
const FORK = 8

let modules: EngineModules
let first: BlockRecord[]
let second: BlockRecord[]
let dir: string
let dropped: string[]
let failures: unknown[]
let progress: IndexedHeights[]

beforeAll(async () => {
  modules = await compileEngine()
  const { deployment, transactions } = await signVariedBlock(31_337, 63, SEED % 1000)
  const blocks: Hex[][] = [[deployment], []]
  for (let at = 0; at < transactions.length; at += PER_BLOCK) {
    blocks.push(transactions.slice(at, at + PER_BLOCK))
  }
  first = await recordsOf([], blocks)
  // The same transactions in other blocks, with other hashes.
  const others = blocks.slice(FORK).flat()
  const rest: Hex[][] = [[]]
  for (let at = 0; at < others.length; at += 5) rest.push(others.slice(at, at + 5))
  second = rehashed(await recordsOf(first.slice(0, FORK + 1), rest), FORK + 1)
}, 120_000)

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'lockstep-address-index-'))
  dropped = []
  failures = []
  progress = []
})

afterEach(() => {
  rmSync(dir, { recursive: true, force: true })
  expect(failures).toEqual([])
})

/** An index whose only table is that by address. */
type Opened = TransactionIndex & { readonly addresses: AddressIndex }

function open(
  chain: ChangingChain,
  path = join(dir, 'index'),
  options: Pick<TransactionIndexOptions, 'lag'> = {},
): Opened {
  const index = new TransactionIndex({
    ...chain.parts,
    addresses: {
      ...chain.replay,
      dir: path,
      modules,
      onProgress: (heights) => progress.push(heights),
      onDropped: (reason) => dropped.push(reason),
      onFailure: (error) => failures.push(error),
    },
    ...options,
  })
  return index as Opened
}

const known = new Map<string, Promise<Expected>>()

function expectedFor(records: readonly BlockRecord[]): Promise<Expected> {
  const key = formatData(records.at(-1)?.executed.block.header.hash ?? new Uint8Array())
  const expected = known.get(key) ?? expectedOf(records)
  known.set(key, expected)
  return expected
}

/** Expects the index to contain exactly what the call trees of the chain contain. */
async function expectWhole(index: Opened, records: readonly BlockRecord[], from = 0) {
  const latest = records.length - 1
  await index.addresses.reach(latest, 60_000)
  expect(Math.max(index.addresses.height, 0)).toBe(latest)
  const { places, nonces, creations } = await expectedFor(records)
  const isKept = (place: string) => Number(place.slice(0, place.indexOf('/'))) >= from
  for (const [address, all] of places) {
    const wanted = all.filter(isKept)
    const found = (roles: number, reverse: boolean) =>
      Array.from(
        index.addresses.places(parseData(address), roles, { from: 0, to: latest, reverse }),
        (place) => `${place.height}/${place.index}/${place.roles}`,
      )
    expect(found(ALL_ROLES, false), address).toEqual(wanted)
    expect(found(ALL_ROLES, true), address).toEqual(wanted.toReversed())
    for (const roles of [FROM_ROLES, TO_ROLES, ROLE.CREATED]) {
      const some = wanted.filter((place) => (Number(place.split('/')[2]) & roles) !== 0)
      expect(found(roles, false), address).toEqual(some)
    }
  }
  for (const [key, place] of nonces) {
    const [sender = '0x', nonce = '0'] = key.split('/')
    const found = index.addresses.byNonce(parseData(sender), BigInt(nonce))
    expect(found && `${found.height}/${found.index}`, key).toBe(isKept(place) ? place : undefined)
  }
  for (const [contract, made] of creations) {
    const found = index.addresses.creation(parseData(contract))
    const text = found && `${found.height}/${found.index}/${formatData(found.creator)}`
    expect(text, contract).toBe(isKept(made) ? made : undefined)
  }
}

function expectSound(path = join(dir, 'index')): Promise<void> {
  const store = new AddressStore(path)
  expect([...store.inconsistencies()]).toEqual([])
  return store.close()
}

test(`the index lists every address of the call trees with its roles, and the creator of each contract (seed ${SEED})`, async () => {
  const chain = new ChangingChain()
  const index = open(chain)
  for (let blocks = 1; blocks <= first.length; blocks++) {
    chain.show(first.slice(0, blocks))
    if (blocks % 3 === 0) await index.addresses.reach(blocks - 1, 60_000)
  }
  await expectWhole(index, first)
  const { places, creations } = await expectedFor(first)
  // The varied transactions create from transactions and from code, and call across contracts.
  expect(creations.size).toBeGreaterThan(1)
  const roles = [...places.values()].flat().reduce((all, at) => all | Number(at.split('/')[2]), 0)
  expect(roles).toBe(ALL_ROLES)
  await index.close()
  await expectSound()
}, 60_000)

test.each([
  ['follows', {}],
  ['keeps some blocks behind', { lag: { quietMs: 1, blocks: 4 } }],
])(
  `%s a chain whose latest blocks are reverted at any moment (seed ${SEED})`,
  async (_, options) => {
    const random = makeRandom(SEED)
    const pick = (below: number) => Math.floor(random() * below)
    const chain = new ChangingChain()
    let index = open(chain, undefined, options)
    let records: readonly BlockRecord[] = first.slice(0, 1)
    for (let round = 0; round < 25; round++) {
      const source = pick(2) === 0 ? first : second
      const common = records.findIndex((record, i) => source[i] !== record)
      const kept = common < 0 ? Math.min(records.length, source.length) : common
      const next = Math.max(1, pick(source.length + 1))
      // The removal is announced, as on a development chain, or detected.
      const isTold = pick(2) === 0
      const cut = Math.min(kept, next) - 1
      if (isTold && cut < records.length - 1) {
        const tellGone = chain.heads.announceRemoval(cut)
        chain.show(source.slice(0, cut + 1))
        tellGone()
      }
      records = source.slice(0, next)
      chain.show(records)
      const step = pick(5)
      if (step === 0) await expectWhole(index, records)
      else if (step === 1) await new Promise(setImmediate)
      else if (step === 2) {
        await index.close()
        index = open(chain, undefined, options)
      }
    }
    await expectWhole(index, records)
    await index.close()
    await expectSound()
    expect(dropped).toEqual([])
  },
  120_000,
)

test('blocks that are replaced without notice between two steps are not taken as pruned', async () => {
  const chain = new ChangingChain()
  chain.show(first.slice(0, FORK + 2))
  const index = open(chain)
  await index.settled()
  // No listener hears of the replaced block, only of the one after it.
  chain.show(second.slice(0, FORK + 3))
  await expectWhole(index, second.slice(0, FORK + 3))
  expect(dropped).toEqual([])
  await index.close()
  await expectSound()
}, 60_000)

test('the index lags behind new blocks until a limit is reached or a query needs them', async () => {
  const lag = { quietMs: 3_600_000, blocks: 4 }
  const chain = new ChangingChain()
  const index = open(chain, undefined, { lag })
  const show = async (blocks: number) => {
    chain.show(first.slice(0, blocks))
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
  }
  for (const blocks of [1, 2, 3]) await show(blocks)
  expect(index.addresses.height).toBe(-1)
  await show(4)
  await expect.poll(() => index.addresses.height).toBe(3)
  await show(6)
  expect(index.addresses.height).toBe(3)
  await expectWhole(index, first.slice(0, 6))
  await index.close()
  await expectSound()
}, 60_000)

function neverRead(): never {
  throw new Error('the state was read')
}

test('a search waits for the blocks by which the index may lag, and not for more', async () => {
  const records = await recordsOf(
    [],
    Array.from({ length: 70 }, () => []),
  )
  const chain = new ChangingChain()
  chain.show(records)
  const lagging = open(chain, undefined, { lag: { quietMs: 3_600_000, blocks: 80 } })
  await lagging.addresses.reach(70, 60_000)
  expect(lagging.addresses.height).toBe(70)
  await lagging.close()
  const following = open(chain, join(dir, 'other'), { lag: { quietMs: 3_600_000, blocks: 69 } })
  await expect(following.addresses.reach(70, 60_000)).rejects.toMatchObject({
    code: 'SERVER_BUSY',
  })
  await following.close()
}, 60_000)

test('an index worker that cannot start rejects every message', async () => {
  const script = new URL('http://127.0.0.1/index-worker.js')
  const replay = { modules, viewBefore: neverRead }
  const worker = new IndexWorkerClient({ hashes: undefined, addresses: '' }, replay, script)
  await expect(worker.cut('addresses', 1, new Uint8Array(32))).rejects.toMatchObject({
    code: 'ENGINE_FAULT',
    cause: { code: 'ERR_INVALID_URL_SCHEME' },
  })
  await worker.close()
})

test('the index catches up with an existing chain and reports its progress', async () => {
  const chain = new ChangingChain()
  chain.show(first)
  const index = open(chain)
  await expectWhole(index, first)
  expect(index.addresses.earliest).toBe(0)
  await expect(index.addresses.reach(first.length, 10)).rejects.toMatchObject({
    code: 'SERVER_BUSY',
    message: `the address index is being built: it has block ${first.length - 1} of ${first.length - 1}`,
  })
  await index.close()
}, 60_000)

test('the index starts above pruned blocks and drops blocks that are pruned later', async () => {
  const chain = new ChangingChain()
  chain.show(first.slice(0, 10), 4)
  const index = open(chain)
  // The state after block 4 is the earliest one.
  await index.addresses.reach(9, 60_000)
  expect(index.addresses.earliest).toBe(5)
  chain.show(first, 7)
  await expectWhole(index, first, 7)
  expect(index.addresses.earliest).toBe(7)
  await index.close()
  await expectSound()
}, 60_000)

test('the index is rebuilt if the blocks between it and the chain are missing', async () => {
  const chain = new ChangingChain()
  chain.show(first.slice(0, 5))
  const index = open(chain)
  await index.addresses.reach(4, 60_000)
  await index.close()
  chain.show(first, 9)
  const later = open(chain)
  await expectWhole(later, first, 10)
  expect(later.addresses.earliest).toBe(10)
  expect(dropped).toEqual(['the blocks above 4, or the states before them, are pruned up to 9'])
  await later.close()
  await expectSound()
}, 60_000)

test('an index whose files are deleted is abandoned, and the node keeps running', async () => {
  const chain = new ChangingChain()
  chain.show(first.slice(0, 5))
  const index = open(chain)
  await index.addresses.reach(4, 60_000)
  rmSync(join(dir, 'index'), { recursive: true })
  // Readers check the files every 5 ms. The first read after the next block finds them deleted.
  await new Promise((resolve) => setTimeout(resolve, 20))
  chain.show(first.slice(0, 6))
  await index.settled()
  expect(failures.splice(0)).toMatchObject([{ code: 'STORE_CORRUPTED' }])
  await expect(index.addresses.reach(first.length - 1, 60_000)).rejects.toThrow()
  await index.close()
})

test('a damaged index is rebuilt, and an older copy continues from its last block', async () => {
  const chain = new ChangingChain()
  chain.show(first.slice(0, 6))
  const index = open(chain)
  await index.addresses.reach(5, 60_000)
  await index.close()
  cpSync(join(dir, 'index'), join(dir, 'copy'), { recursive: true })
  truncateSync(join(dir, 'index', 'data.mdb'), 5000)
  chain.show(first)
  const again = open(chain)
  await expectWhole(again, first)
  expect(dropped).toHaveLength(1)
  await again.close()
  const copy = open(chain, join(dir, 'copy'))
  expect(copy.addresses.height).toBe(5)
  await expectWhole(copy, first)
  await copy.close()
}, 60_000)
