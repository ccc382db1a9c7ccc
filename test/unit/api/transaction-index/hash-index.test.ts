import { cpSync, mkdtempSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { HashIndex } from '../../../../host/api/transaction-index/hash-index.ts'
import { type IndexedPosition, ROW_KIND } from '../../../../host/api/transaction-index/hash-rows.ts'
import { HashStore } from '../../../../host/api/transaction-index/hash-store.ts'
import {
  TransactionIndex,
  type TransactionIndexOptions,
} from '../../../../host/api/transaction-index/transaction-index.ts'
import { equalBytes } from '../../../../host/base/bytes.ts'
import { sha256 } from '../../../../host/chain/consensus/comet/sha256.ts'
import { BlockListeners } from '../../../../host/chain/consensus/head-feed.ts'
import type { Receipt } from '../../../../host/evm/chain-types/receipt.ts'
import type { ChainStore } from '../../../../host/storage/store/chain/chain-store.ts'
import type { ExecutedBlock } from '../../../../host/storage/store/codec/block-record.ts'
import { makeRandom, runSeed } from '../../../support/random.ts'
import { until } from '../../../support/until.ts'

const SEED = runSeed()

function bytes(length: number, ...numbers: number[]): Uint8Array {
  const made = new Uint8Array(length)
  new DataView(made.buffer).setUint32(0, numbers[0] ?? 0)
  new DataView(made.buffer).setUint32(4, numbers[1] ?? 0)
  return made
}

/** A chain of meaningless blocks with the sender and recipient of each transaction. */
class PaperChain {
  earliest = 0
  readonly heads = new BlockListeners((error) => {
    throw error
  })
  readonly blocks: ExecutedBlock[] = []
  #salt: number

  constructor(salt = 0) {
    this.#salt = salt
    // The genesis block.
    this.add()
  }

  get latest(): number {
    return this.blocks.length - 1
  }

  /** Adds a block of transactions, each from one numbered address to another. */
  add(...moves: readonly (readonly [from: number, to: number])[]): void {
    const number = this.blocks.length
    const transactions = moves.map((_, i) => bytes(100 + i, number, i + 1000 * this.#salt))
    const receipts = moves.map(
      ([from, to]) => ({ from: bytes(20, from), to: bytes(20, to) }) as unknown as Receipt,
    )
    const header = { number, hash: bytes(32, number, this.#salt) }
    const executed = { block: { header, transactions }, transactionHashes: [], receipts }
    this.blocks.push(executed as unknown as ExecutedBlock)
    this.heads.announce(executed as unknown as ExecutedBlock)
  }

  /** Removes the blocks above a height. Blocks that are added later differ from them. */
  cut(height: number): void {
    const tellGone = this.heads.announceRemoval(height)
    this.blocks.length = height + 1
    this.#salt++
    tellGone()
  }

  store(): ChainStore {
    const at = (height: number) => (height < this.earliest ? undefined : this.blocks[height])
    const chain = this
    return {
      get earliest() {
        return chain.earliest
      },
      get latest() {
        return chain.latest
      },
      header: (height: number) => at(height)?.block.header,
      block: (height: number) => at(height)?.block,
      receipts: (height: number) => at(height)?.receipts,
      transaction: (height: number, index: number) => at(height)?.block.transactions[index],
    } as unknown as ChainStore
  }

  /** Returns all locations of a party by a full scan. */
  places(party: 'from' | 'to', who: number): IndexedPosition[] {
    return this.blocks.flatMap(({ receipts }, height) =>
      receipts.flatMap((receipt, index) =>
        height >= this.earliest && equalBytes(receipt[party] as Uint8Array, bytes(20, who))
          ? [{ height, index }]
          : [],
      ),
    )
  }
}

let dir: string
const dropped: string[] = []
const failures: unknown[] = []

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'lockstep-tx-index-'))
  dropped.length = 0
  failures.length = 0
})

afterEach(() => {
  rmSync(dir, { recursive: true, force: true })
  expect(failures).toEqual([])
})

/** An index whose only table is that by hash. */
type Opened = TransactionIndex & { readonly hashes: HashIndex }

function open(
  chain: PaperChain,
  path = join(dir, 'index'),
  options: Pick<TransactionIndexOptions, 'lag'> = {},
): Opened {
  const index = new TransactionIndex({
    chain: chain.store(),
    heads: chain.heads,
    hashes: {
      dir: path,
      onDropped: (reason) => dropped.push(reason),
      onFailure: (error) => failures.push(error),
    },
    ...options,
  })
  return index as Opened
}

async function expectAll(index: Opened, chain: PaperChain): Promise<void> {
  await until(() => index.hashes.height === chain.latest)
  for (let who = 0; who < 6; who++) {
    const sent = [...index.hashes.places(ROW_KIND.SENDER, bytes(20, who), 0, chain.latest)]
    const got = [...index.hashes.places(ROW_KIND.RECIPIENT, bytes(20, who), 0, chain.latest)]
    expect([sent, got]).toEqual([chain.places('from', who), chain.places('to', who)])
  }
  for (const { block } of chain.blocks.slice(chain.earliest)) {
    for (const [i, raw] of block.transactions.entries()) {
      expect(await index.hashes.find(sha256(raw))).toEqual({
        height: block.header.number,
        index: i,
      })
    }
  }
  expect(await index.hashes.find(sha256(bytes(50)))).toBeUndefined()
}

describe('the index of transactions', () => {
  test(`finds what a full scan finds, across restarts (seed ${SEED})`, async () => {
    const random = makeRandom(SEED)
    const pick = (below: number) => Math.floor(random() * below)
    const chain = new PaperChain()
    for (let run = 0; run < 4; run++) {
      const index = open(chain)
      for (let i = pick(40); i > 0; i--) {
        chain.add(...Array.from({ length: pick(5) }, () => [pick(6), pick(6)] as const))
        if (pick(3) === 0) await new Promise(setImmediate)
      }
      // Closed in the middle of its work or at the end.
      if (pick(2) === 0) await expectAll(index, chain)
      await index.close()
      // Blocks that it is not notified of.
      chain.add([pick(6), pick(6)])
    }
    const index = open(chain)
    await expectAll(index, chain)
    await index.close()
    expect(dropped).toEqual([])
  })

  test('finds a transaction of a block that is not yet indexed', async () => {
    const chain = new PaperChain()
    chain.add([1, 2])
    const index = open(chain)
    expect(index.hashes.height).toBe(-1)
    expect(
      await index.hashes.find(sha256(chain.blocks[1]?.block.transactions[0] as Uint8Array)),
    ).toEqual({
      height: 1,
      index: 0,
    })
    await index.close()
  })

  test('may lag behind new blocks up to a bound and still finds their transactions', async () => {
    const chain = new PaperChain()
    const index = open(chain, undefined, { lag: { quietMs: 3_600_000, blocks: 4 } })
    const add = async (blocks: number) => {
      for (let block = 0; block < blocks; block++) {
        chain.add([1, 2])
        await new Promise(setImmediate)
      }
    }
    await add(3)
    expect(index.hashes.height).toBe(-1)
    await add(1)
    await until(() => index.hashes.height === 4)
    await add(3)
    for (const { block } of chain.blocks.slice(1)) {
      const place = await index.hashes.find(sha256(block.transactions[0] as Uint8Array))
      expect(place).toEqual({ height: block.header.number, index: 0 })
    }
    expect(index.hashes.height).toBe(4)
    await index.settled()
    expect(index.hashes.height).toBe(7)
    await index.close()
  })

  test('resumes at the end of its copied files, whatever was being written', async () => {
    const chain = new PaperChain()
    const index = open(chain)
    for (let i = 0; i < 30; i++) chain.add([1, 2], [3, 1])
    await until(() => index.hashes.height >= 5)
    const copy = join(dir, 'copy')
    cpSync(join(dir, 'index'), copy, { recursive: true })
    await index.close()
    const again = open(chain, copy)
    await expectAll(again, chain)
    await again.close()
  })

  test.each([
    ['follows', {}],
    ['keeps some blocks behind', { lag: { quietMs: 1, blocks: 4 } }],
  ])(
    `%s a chain whose latest blocks are reverted, at any moment (seed ${SEED})`,
    async (_, options) => {
      const random = makeRandom(SEED)
      const pick = (below: number) => Math.floor(random() * below)
      const chain = new PaperChain()
      chain.add([1, 2])
      const index = open(chain, undefined, options)
      const gone: Uint8Array[] = []
      for (let round = 0; round < 40; round++) {
        for (let i = pick(8); i > 0; i--) {
          chain.add(...Array.from({ length: pick(5) }, () => [pick(6), pick(6)] as const))
          if (pick(3) === 0) await new Promise(setImmediate)
        }
        if (pick(4) === 0) await expectAll(index, chain)
        const kept = pick(chain.blocks.length)
        for (const { block } of chain.blocks.slice(kept + 1)) gone.push(...block.transactions)
        chain.cut(kept)
        for (const raw of gone.slice(-3))
          expect(await index.hashes.find(sha256(raw))).toBeUndefined()
      }
      await expectAll(index, chain)
      for (const raw of gone) expect(await index.hashes.find(sha256(raw))).toBeUndefined()
      await index.close()
      const again = open(chain, undefined, options)
      expect(again.hashes.height).toBe(chain.latest)
      await expectAll(again, chain)
      await again.close()
      expect(dropped).toEqual([])
    },
  )

  test('is rebuilt for another chain, and if the chain has been reverted', async () => {
    const first = new PaperChain()
    for (let i = 0; i < 10; i++) first.add([1, 2])
    const index = open(first)
    await expectAll(index, first)
    await index.close()
    const other = new PaperChain(7)
    for (let i = 0; i < 12; i++) other.add([2, 3])
    const foreign = open(other)
    await expectAll(foreign, other)
    await foreign.close()
    other.blocks.length = 5
    const shorter = open(other)
    await expectAll(shorter, other)
    await shorter.close()
    expect(dropped).toEqual([
      'it ends with block 10 of another chain',
      'it ends with block 12 of another chain',
    ])
  })

  test('is rebuilt if its files are damaged', async () => {
    const chain = new PaperChain()
    for (let i = 0; i < 10; i++) chain.add([1, 2])
    const index = open(chain)
    await expectAll(index, chain)
    await index.close()
    truncateSync(join(dir, 'index', 'data.mdb'), 5000)
    const again = open(chain)
    await expectAll(again, chain)
    await again.close()
    expect(dropped).toHaveLength(1)
  })

  test('drops sections of pruned blocks', async () => {
    const chain = new PaperChain()
    for (let i = 0; i < 4200; i++) chain.add([1, 2])
    const index = open(chain)
    await until(() => index.hashes.height === chain.latest)
    chain.earliest = 4150
    chain.add([1, 3])
    await until(() => index.hashes.height === chain.latest)
    expect([...index.hashes.places(ROW_KIND.SENDER, bytes(20, 1), 0, 5000)]).toHaveLength(52)
    await index.close()
    const store = new HashStore(join(dir, 'index'))
    // Rows are pruned in steps, whole sections at the end.
    while (!store.prune(4150));
    expect([...store.places(ROW_KIND.SENDER, bytes(20, 1), 0, 4095)]).toEqual([])
    expect([...store.places(ROW_KIND.SENDER, bytes(20, 1), 0, 5000)]).toHaveLength(106)
    await store.close()
  })
})
