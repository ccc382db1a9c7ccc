import { expect, test } from 'vitest'
import type { Hex } from '../../../../../host/base/hex.ts'
import type {
  BlockRow,
  BlockView,
  TransactionRow,
} from '../../../../../host/explorer/browser/source/block-rows.ts'
import { RecentBlocksReader } from '../../../../../host/explorer/page/node/recent-chain.ts'

const word = (text: string): Hex => `0x${Buffer.from(text).toString('hex').padStart(64, '0')}`

/** A chain with a configured number of transactions per block that counts the requests. */
class FakeChain {
  readonly asked: string[] = []
  readonly counts: number[] = []
  readonly branches: string[] = []

  grow(count: number, transactions = 0, branch = 'a'): void {
    for (let i = 0; i < count; i++) {
      this.counts.push(transactions)
      this.branches.push(branch)
    }
  }

  cut(count: number): void {
    this.counts.length -= count
    this.branches.length -= count
  }

  get last(): number {
    return this.counts.length - 1
  }

  async recentBlocks(count: number, last = this.last): Promise<readonly BlockRow[]> {
    this.asked.push(`${last}-${last - count + 1}`)
    return Array.from({ length: Math.min(count, last + 1) }, (_, i) => this.#row(last - i))
  }

  async block(id: number | Hex): Promise<BlockView> {
    this.asked.push(`block ${id}`)
    const row = this.#row(Number(id))
    const transactions = Array.from({ length: row.transactionCount }, (_, index) => {
      return {
        hash: word(`${row.hash.slice(-8)} ${index}`),
        blockNumber: row.number,
        index,
      } as TransactionRow
    })
    return { ...row, transactions }
  }

  #row(number: number): BlockRow {
    const name = (at: number) =>
      word(`${at}${this.branches.slice(0, at + 1).join('').length}${this.branches[at]}`)
    return {
      number,
      hash: name(number),
      parentHash: name(number - 1),
      transactionCount: this.counts[number] ?? 0,
    } as BlockRow
  }
}

const LIMITS = { blocks: 5, transactions: 3, looked: 300 }
const places = (rows: readonly TransactionRow[]) =>
  rows.map(({ blockNumber, index }) => `${blockNumber}:${index}`)

test('the latest transactions are found below empty blocks, newest first', async () => {
  const chain = new FakeChain()
  chain.grow(10)
  chain.grow(1, 2)
  chain.grow(50)
  chain.grow(1, 1)
  chain.grow(20)
  const found = await new RecentBlocksReader(chain, LIMITS).upTo(chain.last)
  expect(found.blocks.map(({ number }) => number)).toEqual([81, 80, 79, 78, 77])
  expect(places(found.transactions)).toEqual(['61:0', '10:1', '10:0'])
})

test('only new blocks of a chain that has grown are fetched', async () => {
  const chain = new FakeChain()
  chain.grow(40, 1)
  const reader = new RecentBlocksReader(chain, LIMITS)
  await reader.upTo(chain.last)
  chain.asked.length = 0
  chain.grow(2, 1)
  const found = await reader.upTo(chain.last)
  expect(chain.asked.filter((one) => !one.startsWith('block'))).toEqual(['41-40'])
  expect(found.blocks.map(({ number }) => number)).toEqual([41, 40, 39, 38, 37])
})

test('a chain that was reorganized is read again', async () => {
  const chain = new FakeChain()
  chain.grow(40, 1)
  const reader = new RecentBlocksReader(chain, LIMITS)
  await reader.upTo(chain.last)
  chain.cut(4)
  chain.grow(6, 2, 'b')
  const found = await reader.upTo(chain.last)
  const fresh = await new RecentBlocksReader(chain, LIMITS).upTo(chain.last)
  expect(found.blocks).toEqual(fresh.blocks)
  expect(places(found.transactions)).toEqual(places(fresh.transactions))
})

test('no more than the given number of blocks is searched', async () => {
  const chain = new FakeChain()
  chain.grow(1, 5)
  chain.grow(1_000)
  const found = await new RecentBlocksReader(chain, LIMITS).upTo(chain.last)
  expect(found).toMatchObject({ transactions: [], looked: 300 })
})

test('a chain of one block is read to its end', async () => {
  const chain = new FakeChain()
  chain.grow(1)
  const found = await new RecentBlocksReader(chain, LIMITS).upTo(0)
  expect(found).toMatchObject({ transactions: [], looked: 1 })
  expect(found.blocks).toHaveLength(1)
})
