import { afterEach, beforeEach, expect, test } from 'vitest'
import { concatBytes } from '../../../../../host/base/bytes.ts'
import { TransactionTable } from '../../../../../host/storage/store/chain/transaction-index.ts'
import { MarkedEnv } from '../../../../../host/storage/store/lmdb/marked-env.ts'
import { temporaryDir } from '../temporary-storage.ts'
import { transactionHash } from './block-records.ts'

const [A, B, C] = [0, 1, 2].map((index) => transactionHash(1, index)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
]

let env: MarkedEnv
let index: TransactionTable
beforeEach(() => {
  env = new MarkedEnv(temporaryDir())
  index = env.add(new TransactionTable(env))
  index.apply({ height: 1, hashes: concatBytes([A, B]) })
  index.apply({ height: 2, hashes: concatBytes([C, A]) })
})
afterEach(() => env.close())

test('a transaction in two pending blocks is found in the later one', () => {
  expect(index.locate(A)).toEqual({ height: 2, index: 1 })
  index.apply({ height: 3, hashes: B })
  expect(index.locate(B)).toEqual({ height: 3, index: 0 })
  expect(index.locate(C)).toEqual({ height: 2, index: 0 })
})

test('removing pending blocks makes the earlier occurrence of a transaction visible again', () => {
  index.apply({ height: 3, hashes: concatBytes([A]) })
  index.forgetAbove(2)
  expect(index.locate(A)).toEqual({ height: 2, index: 1 })
  index.forgetAbove(1)
  expect(index.locate(A)).toEqual({ height: 1, index: 0 })
  expect(index.locate(C)).toBeUndefined()
})

test('pending blocks that were written are found on disk and removed from memory', async () => {
  index.forget(1)
  expect(index.locate(B)).toBeUndefined()
  await index.flush(2)
  index.apply({ height: 3, hashes: B })
  index.forget(2)
  expect(index.locate(A)).toEqual({ height: 2, index: 1 })
  expect(index.locate(B)).toEqual({ height: 3, index: 0 })
})
