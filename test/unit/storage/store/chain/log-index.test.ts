import { expect, test } from 'vitest'
import type { Log } from '../../../../../host/evm/chain-types/log.ts'
import type { LogFilter } from '../../../../../host/evm/chain-types/log-filter.ts'
import { LogIndex } from '../../../../../host/storage/store/chain/log-index.ts'
import { encodeReceipts } from '../../../../../host/storage/store/codec/receipt-codec.ts'
import { MarkedEnv } from '../../../../../host/storage/store/lmdb/marked-env.ts'
import { makeRandom, runSeed } from '../../../../support/random.ts'
import { temporaryDir } from '../temporary-storage.ts'
import { loggedBlock, randomFilter, randomLogs } from './random-logs.ts'

const seed = runSeed()
const SECTION = 4096

/** Tells whether each criterion is met by some log of the block, not necessarily the same one. */
function meets(filter: LogFilter, logs: readonly Log[]): boolean {
  const same = (a: Uint8Array | undefined, b: Uint8Array) =>
    a !== undefined && !Buffer.compare(a, b)
  const criteria = [
    ...(filter.addresses.length > 0
      ? [logs.some((log) => filter.addresses.some((one) => same(log.address, one)))]
      : []),
    ...filter.topics.flatMap((wanted, i) =>
      wanted.length === 0
        ? []
        : [logs.some((log) => wanted.some((topic) => same(log.topics[i], topic)))],
    ),
  ]
  return logs.length > 0 && criteria.every((met) => met)
}

test(`an index of three sections returns the blocks that a plain model returns (LOCKSTEP_SEED=${seed})`, async () => {
  const random = makeRandom(seed)
  const dir = temporaryDir()
  // Three ranges, each across the boundary of two sections
  const heights = [1, 2, 3].flatMap((section) =>
    Array.from({ length: 160 }, (_, i) => section * SECTION - 80 + i),
  )
  const logs = new Map(heights.map((height) => [height, randomLogs(random)]))
  let env = new MarkedEnv(dir)
  let index = env.add(new LogIndex(env))
  let applied = 0
  const applyTo = (end: number): void => {
    for (; applied < end; applied++) {
      const height = heights[applied] as number
      const { receipts } = loggedBlock(height, logs.get(height) ?? []).executed
      index.apply(height, encodeReceipts(receipts))
    }
  }
  const reopen = async (): Promise<void> => {
    await env.close()
    env = new MarkedEnv(dir)
    index = env.add(new LogIndex(env))
    applied = heights.filter((height) => height <= env.latest).length
  }
  while (env.latest < (heights.at(-1) as number)) {
    applyTo(Math.min(heights.length, applied + 1 + Math.floor(random() * 60)))
    const newest = heights[applied - 1] as number
    if (random() < 0.3) {
      // A kill between the rows and the marker: the rows are written again, with later ones
      await index.flush(newest)
      await reopen()
    } else {
      await env.flush(heights[0] as number, newest)
      env.forget(newest)
      if (random() < 0.3) await reopen()
    }
    for (let query = 0; query < 40; query++) {
      const filter = randomFilter(random)
      const bounds = [0, 1].map(() => 3900 + Math.floor(random() * 9000)).sort((a, b) => a - b)
      const [from = 0, to = 0] = query % 10 === 0 ? [bounds[0], bounds[0]] : bounds
      const stored = heights.filter(
        (height) =>
          height >= from &&
          height <= Math.min(to, env.latest) &&
          meets(filter, (logs.get(height) ?? []).flat()),
      )
      const pending = Array.from(
        { length: Math.max(0, to - Math.max(from, env.latest + 1) + 1) },
        (_, i) => Math.max(from, env.latest + 1) + i,
      )
      expect(index.heights(filter, from, to)).toEqual([...stored, ...pending])
    }
  }
  await env.close()
})

test('pruning removes only whole sections below the prune height', async () => {
  const env = new MarkedEnv(temporaryDir())
  const index = env.add(new LogIndex(env))
  const log = { address: new Uint8Array(20).fill(1), topics: [], data: new Uint8Array() }
  const heights = [5, 4095, 4096, 8191, 8192]
  for (const height of heights) {
    index.apply(height, encodeReceipts(loggedBlock(height, [[log]]).executed.receipts))
  }
  await env.flush(5, 8192)
  env.forget(8192)
  const all = { addresses: [], topics: [] }
  expect(index.prune(4095)).toBe(true)
  expect(index.heights(all, 0, 9000)).toEqual([...heights, ...range(8193, 9000)])
  expect(index.prune(8191)).toBe(true)
  expect(index.heights(all, 0, 8192)).toEqual([4096, 8191, 8192])
  expect(index.heights({ addresses: [log.address], topics: [] }, 0, 8192)).toEqual([
    4096, 8191, 8192,
  ])
  await env.close()
})

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i)
}
