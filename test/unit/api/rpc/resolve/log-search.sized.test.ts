import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { logRecord } from '../../../../../host/api/rpc/format/log-record.ts'
import { searchLogs } from '../../../../../host/api/rpc/resolve/log-search.ts'
import type { Log } from '../../../../../host/evm/chain-types/log.ts'
import type { LogFilter } from '../../../../../host/evm/chain-types/log-filter.ts'
import type { DroppedIndex } from '../../../../../host/storage/store/chain/chain-databases.ts'
import type { IndexProgress } from '../../../../../host/storage/store/chain/lmdb-chain-store.ts'
import type { NodeStorage } from '../../../../../host/storage/store/node-storage.ts'
import { DEFAULT_LIMITS, keccak256 } from '../../../../support/chain/fake-chain.ts'
import { makeRandom, runSeed } from '../../../../support/random.ts'
import { bySet } from '../../../../support/run/by-set.ts'
import { transactionHash } from '../../../storage/store/chain/block-records.ts'
import { loggedBlock, randomFilter, randomLogs } from '../../../storage/store/chain/random-logs.ts'
import { openAt, temporaryDir } from '../../../storage/store/temporary-storage.ts'

const seed = runSeed()

/** Logs by block and receipt. */
type Chain = readonly (readonly (readonly Log[])[])[]

/** Applies the filter rules of the execution-apis to one log. */
function isWanted({ addresses, topics }: LogFilter, log: Log): boolean {
  const isOneOf = (list: readonly Uint8Array[], value: Uint8Array | undefined): boolean =>
    list.length === 0 || list.some((one) => value !== undefined && Buffer.compare(one, value) === 0)
  return (
    isOneOf(addresses, log.address) &&
    topics.every((wanted, i) => i < log.topics.length && isOneOf(wanted, log.topics[i]))
  )
}

function scan(chain: Chain, filter: LogFilter, from: number, to: number): unknown[] {
  const found: unknown[] = []
  for (let height = from; height <= to; height++) {
    const { header } = loggedBlock(height, chain[height] ?? []).executed.block
    let logIndex = 0
    for (const [transactionIndex, logs] of (chain[height] ?? []).entries()) {
      const place = { header, transactionHash: transactionHash(height, transactionIndex) }
      for (const log of logs) {
        const record = logRecord(log, { ...place, transactionIndex, logIndex })
        if (isWanted(filter, log)) found.push(record)
        logIndex++
      }
    }
  }
  return found
}

async function search(storage: NodeStorage, filter: LogFilter, from: number, to: number) {
  const context = { chain: storage.chain, limits: DEFAULT_LIMITS, keccak256 }
  const costs = { yield: () => undefined, reserve: () => {} }
  const found = await searchLogs(context, filter, from, to, costs)
  return found.map(({ log, place }) => logRecord(log, place))
}

async function expectSameAsScan(
  storage: NodeStorage,
  chain: Chain,
  random: () => number,
): Promise<void> {
  const { earliest, latest } = storage.chain
  for (let query = 0; query < 25; query++) {
    const filter = randomFilter(random)
    const bounds = [0, 1].map(() => earliest + Math.floor(random() * (latest - earliest + 1)))
    bounds.sort((a, b) => a - b)
    const [from = 0, to = 0] = bounds
    expect(await search(storage, filter, from, to)).toEqual(scan(chain, filter, from, to))
  }
}

test(`a log search finds what a scan finds, across restarts and crashes (LOCKSTEP_SEED=${seed})`, async () => {
  const random = makeRandom(seed)
  const chain: Log[][][] = []
  let dir = temporaryDir()
  let storage = await openAt(dir, { flushInterval: 7 })
  for (let round = 0; round < bySet(6, 12); round++) {
    for (let blocks = Math.floor(random() * 20); blocks >= 0; blocks--) {
      const logs = randomLogs(random)
      await storage.append(loggedBlock(chain.length, logs))
      chain.push(logs)
      if (random() < 0.3) await new Promise((resolve) => setImmediate(resolve))
    }
    await expectSameAsScan(storage, chain, random)
    const end = random()
    if (end < 0.4) {
      await storage.close()
    } else {
      // The files as a kill leaves them, possibly in the middle of a flush.
      const left = temporaryDir()
      cpSync(dir, left, { recursive: true })
      await storage.close()
      dir = left
    }
    if (random() < 0.2) rmSync(join(dir, 'log_index.db'), { recursive: true })
    storage = await openAt(dir, { flushInterval: 1 + Math.floor(random() * 9) })
    expect(storage.chain.latest).toBe(chain.length - 1)
    await expectSameAsScan(storage, chain, random)
  }
  await storage.close()
}, 120_000)

test(`a log search above the prune height finds what a scan finds, and reports pruning below it (LOCKSTEP_SEED=${seed})`, async () => {
  const random = makeRandom(seed)
  const dir = temporaryDir()
  const chain = Array.from({ length: 320 }, () => randomLogs(random))
  const options = { keepRecent: 1, retainBlocks: 1, flushInterval: 50 }
  let storage = await openAt(dir, options)
  for (const [height, logs] of chain.entries()) await storage.append(loggedBlock(height, logs))
  await storage.close()
  storage = await openAt(dir, options)
  const { earliest, latest } = storage.chain
  expect(earliest).toBeGreaterThan(0)
  const everything = { addresses: [], topics: [] }
  await expect(search(storage, everything, earliest - 1, latest)).rejects.toMatchObject({
    code: 'STATE_PRUNED',
    data: { requested: earliest - 1, earliest, latest },
  })
  await expectSameAsScan(storage, chain, random)
  for (const _ of storage.chain.removal(storage.chain.earliest))
    await expectSameAsScan(storage, chain, random)
  await expectSameAsScan(storage, chain, random)
  await storage.close()
})

test('a home without a log index gets one when it is opened', async () => {
  const random = makeRandom(seed)
  const dir = temporaryDir()
  const chain = Array.from({ length: 60 }, () => randomLogs(random))
  let storage = await openAt(dir)
  for (const [height, logs] of chain.entries()) await storage.append(loggedBlock(height, logs))
  await storage.close()
  rmSync(join(dir, 'log_index.db'), { recursive: true })
  const progress: IndexProgress[] = []
  storage = await openAt(dir, { onIndexing: (step) => progress.push(step) })
  expect(progress).toEqual([{ index: 'logs', from: 0, height: 59, to: 59 }])
  await expectSameAsScan(storage, chain, random)
  await storage.close()
  // The index is built once: the next start finds it complete.
  storage = await openAt(dir, { onIndexing: (step) => progress.push(step) })
  expect(progress.length).toBe(1)
  await storage.close()
})

test('a log index that is ahead of the blocks is rebuilt', async () => {
  const [longer, shorter] = [temporaryDir(), temporaryDir()]
  for (const [dir, blocks] of [
    [longer, 9],
    [shorter, 5],
  ] as const) {
    const storage = await openAt(dir)
    for (let height = 0; height < blocks; height++) await storage.append(loggedBlock(height, []))
    await storage.close()
  }
  cpSync(join(longer, 'log_index.db'), join(shorter, 'log_index.db'), { recursive: true })
  const index = join(shorter, 'log_index.db')
  const dropped: DroppedIndex[] = []
  const storage = await openAt(shorter, { onDroppedIndex: (one) => dropped.push(one) })
  expect(dropped).toEqual([{ dir: index, reason: 'it ends at height 8, the blocks at 4' }])
  await storage.close()
})
