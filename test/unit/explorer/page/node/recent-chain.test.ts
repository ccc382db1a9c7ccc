import { expect, test } from 'vitest'
import type { Hex } from '../../../../../host/base/hex.ts'
import type { BlockRow } from '../../../../../host/explorer/browser/source/block-rows.ts'
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

const numbers = (rows: readonly BlockRow[]) => rows.map(({ number }) => number)

test('only new blocks of a chain that has grown are fetched', async () => {
  const chain = new FakeChain()
  chain.grow(40, 1)
  const reader = new RecentBlocksReader(chain, 5)
  await reader.upTo(chain.last)
  chain.asked.length = 0
  chain.grow(2, 1)
  const found = await reader.upTo(chain.last)
  expect(chain.asked).toEqual(['41-40'])
  expect(numbers(found)).toEqual([41, 40, 39, 38, 37])
})

test('a chain that was reorganized is read again', async () => {
  const chain = new FakeChain()
  chain.grow(40, 1)
  const reader = new RecentBlocksReader(chain, 5)
  await reader.upTo(chain.last)
  chain.cut(4)
  chain.grow(6, 2, 'b')
  const found = await reader.upTo(chain.last)
  expect(found).toEqual(await new RecentBlocksReader(chain, 5).upTo(chain.last))
})

test('a chain of one block is read to its end', async () => {
  const chain = new FakeChain()
  chain.grow(1)
  expect(numbers(await new RecentBlocksReader(chain, 5).upTo(0))).toEqual([0])
})
