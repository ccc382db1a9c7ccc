import { expect, test } from 'vitest'
import { ItemRows } from '../../../../../host/storage/store/chain/item-rows.ts'
import { LogIndex } from '../../../../../host/storage/store/chain/log-index.ts'
import { ByteReader } from '../../../../../host/storage/store/codec/byte-reader.ts'
import { encodeReceipts } from '../../../../../host/storage/store/codec/receipt-codec.ts'
import { MarkedEnv } from '../../../../../host/storage/store/lmdb/marked-env.ts'
import { makeRandom, runSeed } from '../../../../support/random.ts'
import { temporaryDir } from '../temporary-storage.ts'
import { digest } from './block-records.ts'
import { loggedBlock } from './random-logs.ts'

const seed = runSeed()
const random = makeRandom(seed)
const upTo = (end: number): number => Math.floor(random() * end)

test(`index items are read in order, and each occurs once with all its heights (LOCKSTEP_SEED=${seed})`, () => {
  for (const length of [0, 20, 32]) {
    const rows = new ItemRows(length)
    expect([...rows.postings()]).toEqual([])
    expect(rows.isEmpty).toBe(true)
    const described = new Map<string, number[]>()
    for (let offset = 0; offset < 4096; offset += 1 + upTo(300)) {
      for (let log = 0; log < 80; log++) {
        // Few distinct items behind leading zeros, as addresses in topics have
        const source = new Uint8Array(length + 3)
        if (length > 0) source[length + 2] = upTo(5)
        if (length > 0 && log % 2 === 0) source[length] = upTo(200)
        rows.add(source, 3, offset)
        const item = Buffer.from(source.subarray(3)).toString('hex')
        const heights = described.get(item) ?? []
        if (heights.at(-1) !== offset) described.set(item, [...heights, offset])
      }
    }
    const found = Array.from(rows.postings(), ({ start, gaps }) => {
      const first = ((start[length] as number) << 8) | (start[length + 1] as number)
      const heights = [first]
      const reader = new ByteReader(gaps ?? new Uint8Array(0))
      while (!reader.isAtEnd) heights.push((heights.at(-1) as number) + reader.uint())
      return [Buffer.from(start.subarray(0, length)).toString('hex'), heights]
    })
    expect(rows.isEmpty).toBe(false)
    expect(found).toEqual([...described].sort(([a], [b]) => (a < b ? -1 : 1)))
  }
})

test('more items than fit into one database transaction are all written', async () => {
  const env = new MarkedEnv(temporaryDir())
  const index = env.add(new LogIndex(env))
  const address = new Uint8Array(20).fill(1)
  const topics = Array.from({ length: 4096 }, (_, i) => digest('topic', i))
  const logs = topics.map((topic) => ({ address, topics: [topic], data: new Uint8Array(0) }))
  index.apply(3, encodeReceipts(loggedBlock(3, [logs]).executed.receipts))
  await env.flush(0, 3)
  env.forget(3)
  const named = (topic: Uint8Array) => index.heights({ addresses: [], topics: [[topic]] }, 0, 3)
  expect(topics.every((topic) => named(topic).length === 1)).toBe(true)
  expect(named(digest('topic', 4096))).toEqual([])
  await env.close()
})
