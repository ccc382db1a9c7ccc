import { expect, onTestFinished, test } from 'vitest'
import { TransactionIndex } from '../../../../host/store/chain/transaction-index.ts'
import { MarkedEnv } from '../../../../host/store/lmdb/marked-env.ts'
import { temporaryDir } from '../temporary-storage.ts'

const HASH = new Uint8Array(32).fill(7)

function openIndex() {
  const env = new MarkedEnv(temporaryDir())
  onTestFinished(() => env.close())
  const index = new TransactionIndex(env)
  const write = async (height: number) => {
    index.apply({ height, hashes: HASH })
    await index.flush(height)
    index.forget(height)
  }
  return { index, write }
}

test('a place that was read gives way to a later one of the same transaction', async () => {
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

test('a place that was read is gone with its row, and moves with it', async () => {
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
