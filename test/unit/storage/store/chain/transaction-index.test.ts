import { expect, onTestFinished, test } from 'vitest'
import { concatBytes } from '../../../../../host/base/bytes.ts'
import type { TransactionLocation } from '../../../../../host/storage/store/chain/chain-store.ts'
import { TransactionTable } from '../../../../../host/storage/store/chain/transaction-index.ts'
import { MarkedEnv } from '../../../../../host/storage/store/lmdb/marked-env.ts'
import { temporaryDir } from '../temporary-storage.ts'
import { digest } from './block-records.ts'

const HASH = new Uint8Array(32).fill(7)

function openIndex() {
  const env = new MarkedEnv(temporaryDir())
  onTestFinished(() => env.close())
  const index = new TransactionTable(env)
  const write = async (height: number) => {
    index.apply({ height, hashes: HASH })
    await index.flush(height)
    index.forget(height)
  }
  return { index, write }
}

test('a cached index is replaced by a later index of the same transaction', async () => {
  const { index, write } = openIndex()
  await write(1)
  expect(index.locate(HASH)).toEqual({ height: 1, index: 0 })
  index.apply({ height: 2, hashes: HASH })
  expect(index.locate(HASH)).toEqual({ height: 2, index: 0 })
  index.forgetAbove(1)
  expect(index.locate(HASH)).toEqual({ height: 1, index: 0 })
  await write(3)
  expect(index.locate(HASH)).toEqual({ height: 3, index: 0 })
})

test('every transaction of the pending blocks up to a height is written with its latest index', async () => {
  const { index } = openIndex()
  const places = new Map<number, TransactionLocation>()
  // Every third transaction is also in the block before
  for (let height = 1; height <= 4; height++) {
    const numbers = Array.from(
      { length: 3000 },
      (_, i) => height * 3000 + (i % 3 === 0 ? i - 2999 : i),
    )
    index.apply({ height, hashes: concatBytes(numbers.map((number) => digest('hash', number))) })
    if (height > 3) continue
    for (const [i, number] of numbers.entries()) places.set(number, { height, index: i })
  }
  // Cached lookups must not affect what is written
  expect(index.locate(digest('hash', 3000 + 2))).toEqual({ height: 1, index: 2 })
  await index.flush(3)
  index.forgetAbove(3)
  index.forget(3)
  expect(places.size).toBe(7000)
  for (const [number, place] of places) expect(index.locate(digest('hash', number))).toEqual(place)
  expect(index.locate(digest('hash', 4 * 3000 + 2))).toBeUndefined()
})

test('a cached index is removed with its row and updated when the row moves', async () => {
  const { index, write } = openIndex()
  await write(5)
  expect(index.locate(HASH)).toEqual({ height: 5, index: 0 })
  index.move(HASH, { height: 4, index: 9 })
  expect(index.locate(HASH)).toEqual({ height: 4, index: 9 })
  index.remove([HASH], 5)
  expect(index.locate(HASH)).toBeUndefined()
  await write(6)
  expect(index.locate(HASH)).toEqual({ height: 6, index: 0 })
  index.removeAbove([HASH], 5)
  expect(index.locate(HASH)).toBeUndefined()
})
