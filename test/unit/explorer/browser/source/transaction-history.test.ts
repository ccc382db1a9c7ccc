import { expect, test } from 'vitest'
import type { MinedRow } from '../../../../../host/explorer/browser/source/block-rows.ts'
import {
  lastOfNewer,
  transactionsUpTo,
} from '../../../../../host/explorer/browser/source/transaction-history.ts'

/** A chain whose filled blocks are given with the number of their transactions; every third transaction fails. */
function chainOf(filled: Readonly<Record<number, number>>) {
  const asked: string[] = []
  return {
    asked,
    async filledBlocks(last: number, windows: number) {
      asked.push(`filled ${last} ${windows}`)
      const from = Math.max(0, last - windows * 1_024 + 1)
      const numbers = Object.keys(filled)
        .map(Number)
        .filter((number) => number >= from && number <= last)
        .sort((a, b) => b - a)
      return { numbers, from }
    },
    async minedTransactions(blocks: readonly number[]) {
      asked.push(`blocks ${blocks.join()}`)
      return blocks.map((number) =>
        Array.from({ length: filled[number] ?? 0 }, (_, i) => {
          const index = (filled[number] as number) - 1 - i
          return { blockNumber: number, index, receipt: { success: index % 3 !== 2 } } as MinedRow
        }),
      )
    },
  }
}

const places = (rows: readonly MinedRow[]) =>
  rows.map(({ blockNumber, index }) => `${blockNumber}:${index}`)

test('the transactions below a hundred thousand empty blocks are found, latest first', async () => {
  const chain = chainOf({ 7: 2, 100000: 1 })
  const page = await transactionsUpTo(chain, 200_000, { enough: 25 })
  expect(places(page.rows)).toEqual(['100000:0', '7:1', '7:0'])
  expect(page).toMatchObject({ from: 0, last: 200_000 })
  expect(chain.asked.length).toBeLessThan(30)
})

test('a page ends with the block that fills it, and the next one begins below', async () => {
  const filled = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [10 * i, 2]))
  const chain = chainOf(filled)
  const seen: string[] = []
  for (let last = 395; last >= 0; ) {
    const page = await transactionsUpTo(chain, last, { enough: 7 })
    expect(page.rows.length).toBe(8)
    seen.push(...places(page.rows))
    last = page.from - 1
  }
  const all = Object.keys(filled).flatMap((number) => [`${number}:0`, `${number}:1`])
  expect(seen).toEqual(all.reverse())
})

test('the newer page above a page is the one that leads back to it', async () => {
  const chain = chainOf(Object.fromEntries(Array.from({ length: 40 }, (_, i) => [100 * i, 2])))
  const options = { enough: 8 }
  const first = await transactionsUpTo(chain, 3_950, options)
  const second = await transactionsUpTo(chain, first.from - 1, options)
  const third = await transactionsUpTo(chain, second.from - 1, options)
  const top = await lastOfNewer(chain, third.last, 3_950, options)
  expect(places((await transactionsUpTo(chain, top, options)).rows)).toEqual(places(second.rows))
  expect(await lastOfNewer(chain, second.last, 3_950, options)).toBe(first.rows[0]?.blockNumber)
  expect(await lastOfNewer(chain, 3_900, 3_950, options)).toBe(3_950)
})

test('a filter searches until there are enough of its transactions', async () => {
  const chain = chainOf(
    Object.fromEntries(Array.from({ length: 60 }, (_, i) => [i, i % 2 === 0 ? 3 : 1])),
  )
  const accepts = ({ receipt }: MinedRow) => receipt?.success === false
  const page = await transactionsUpTo(chain, 59, { enough: 4, accepts })
  expect(places(page.rows)).toEqual(['58:2', '56:2', '54:2', '52:2'])
  expect(page.from).toBe(52)
})

test('a search that was aborted reads no more blocks', async () => {
  const chain = chainOf({ 5: 1 })
  const ended = new AbortController()
  ended.abort(new Error('left'))
  const search = transactionsUpTo(chain, 9, { enough: 1, signal: ended.signal })
  await expect(search).rejects.toThrow('left')
  expect(chain.asked).toEqual(['filled 9 1'])
})
