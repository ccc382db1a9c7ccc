import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import type { BlockRecord } from '../../../../host/storage/store/codec/block-record.ts'
import type { NodeStorage } from '../../../../host/storage/store/node-storage.ts'
import type { StorageOptions } from '../../../../host/storage/store/storage-options.ts'
import { verifyWal } from '../../../../host/storage/store/wal/wal-opening.ts'
import {
  address,
  type BlockChanges,
  blockRecord,
  codeHashOf,
  digest,
  slot,
} from './chain/block-records.ts'
import { ACCOUNTS, CODES, chain, KEYS, MODULES, SLOTS } from './random-blocks.ts'
import { openAt, temporaryDir } from './temporary-storage.ts'

const FILTER = { addresses: [address(7)], topics: [[slot(1)]] }
/** A transaction that is in many blocks and failed in each. */
const AGAIN = digest('again')

/** Returns a block that differs from every other of its height. Some contain the failed transaction again. */
function record(height: number, salt: number, changes: BlockChanges): BlockRecord {
  const made = blockRecord(height, changes, (height + salt) % 5)
  const { block, receipts } = made.executed
  const transactionHashes = receipts.map((_, index) =>
    index === 0 && salt % 2 === 0 ? AGAIN : digest('transaction', height, '/', index, '/', salt),
  )
  return {
    ...made,
    executed: {
      block: { ...block, header: { ...block.header, hash: digest('block', height, '/', salt) } },
      transactionHashes,
      receipts: receipts.map((receipt, index) => ({
        ...receipt,
        transactionHash: transactionHashes[index] as Uint8Array,
        status: index === 0 ? 0 : receipt.status,
      })),
    },
  }
}

/** Returns everything a storage can read: state, block and receipts of each height, and the indexes of `ever`. */
function readAll(storage: NodeStorage, ever: readonly BlockRecord[]): unknown[] {
  const { chain: blocks, state } = storage
  const found: unknown[] = [blocks.earliest, blocks.latest, state.earliest, state.latest]
  for (let height = 0; height <= blocks.latest + 3; height++) {
    found.push(blocks.header(height), blocks.block(height), blocks.receipts(height))
    found.push(blocks.receipt(height, 0), blocks.transaction(height, 0))
    if (height > blocks.latest) continue
    const view = state.view(height)
    for (let n = 0; n < ACCOUNTS; n++) {
      found.push(view.account(address(n)))
      for (let s = 0; s < SLOTS; s++) found.push(view.storage(address(n), slot(s)))
    }
    for (const code of CODES) found.push(view.code(codeHashOf(code)))
    for (const key of KEYS) found.push(state.legacy(key, height))
    for (const name of MODULES) found.push([...state.module(name).range({ height })])
    found.push(view.blockHash(height))
  }
  for (const { executed } of ever) {
    found.push(blocks.heightOf(executed.block.header.hash))
    for (const hash of executed.transactionHashes) found.push(blocks.locate(hash))
  }
  // The index may return extra blocks, if nothing of their section is flushed. It must not miss one.
  const named = blocks.logHeights(FILTER, 0, blocks.latest)
  found.push(named.filter((height) => hasLog(storage, height)))
  found.push(Array.from(storage.changesets(Math.max(storage.firstChangeset, 0))).length > 0)
  return found
}

function hasLog({ chain: blocks }: NodeStorage, height: number): boolean {
  return blocks.receipts(height)?.some(({ logs }) => logs.length > 0) ?? false
}

function expectSame(one: NodeStorage, other: NodeStorage, ever: readonly BlockRecord[]): void {
  const [found, expected] = [readAll(one, ever), readAll(other, ever)]
  if (!isDeepStrictEqual(found, expected)) expect(found).toEqual(expected)
}

type Step =
  | { readonly kind: 'append'; readonly blocks: readonly BlockChanges[] }
  | { readonly kind: 'cut'; readonly to: number }
  | { readonly kind: 'settle' | 'restart' | 'read' }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: chain.map((blocks) => ({ kind: 'append' as const, blocks })) },
  { weight: 5, arbitrary: fc.nat().map((to) => ({ kind: 'cut' as const, to })) },
  { weight: 1, arbitrary: fc.constantFrom('settle', 'restart', 'read').map((kind) => ({ kind })) },
)

async function opened(dir: string, options: Partial<StorageOptions>): Promise<NodeStorage> {
  const storage = await openAt(dir, options)
  onTestFinished(() => storage.close().catch(() => undefined))
  return storage
}

async function matchesUncut(
  steps: readonly Step[],
  options: Partial<StorageOptions>,
): Promise<void> {
  const dir = temporaryDir()
  let storage = await opened(dir, options)
  let kept: BlockRecord[] = []
  const ever: BlockRecord[] = []
  for (const each of steps) {
    if (each.kind === 'append') {
      for (const changes of each.blocks) {
        const codes = kept.length === 0 ? CODES : []
        const made = record(kept.length, ever.length, { ...changes, codes })
        kept.push(made)
        ever.push(made)
        await storage.append(made)
      }
    } else if (each.kind === 'cut') {
      if (kept.length === 0) continue
      const target = each.to % kept.length
      await storage.cut(target)
      kept = kept.slice(0, target + 1)
      expect([storage.chain.latest, storage.state.latest]).toEqual([target, target])
    } else if (each.kind === 'settle') {
      await storage.settle()
    } else if (each.kind === 'read') {
      // Fill the caches.
      readAll(storage, ever)
    } else {
      await storage.close()
      storage = await opened(dir, options)
    }
  }
  if (kept.length === 0) return
  const plain = await opened(temporaryDir(), { ...options, isLate: false })
  for (const made of kept) await plain.append(made)
  expectSame(storage, plain, ever)
  const next = record(kept.length, ever.length, {})
  for (const each of [storage, plain]) await each.append(next)
  await storage.close()
  expect(verifyWal(`${dir}/wal`).findings).toEqual([])
  const again = await opened(dir, options)
  expectSame(again, plain, [...ever, next])
  await Promise.all([again.close(), plain.close()])
}

test.each([
  { name: 'all in memory', runs: 12, options: { flushInterval: 1000, isLate: true } },
  { name: 'flushed at every height', runs: 3, options: { flushInterval: 1 } },
  {
    name: 'flushed now and then, in many files, with the split',
    runs: 4,
    options: { flushInterval: 5, walFileBytes: 4000, isLate: true, evmSplit: true },
  },
])(
  'a storage whose latest blocks were removed reads as if it never had them: $name',
  async ({ options, runs }) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 9 }), (steps) =>
        matchesUncut(steps, options),
      ),
      { numRuns: runs },
    )
  },
  60_000,
)

test('blocks that are partly pruned cannot be removed', async () => {
  const storage = await opened(temporaryDir(), {
    flushInterval: 1,
    keepRecent: 20,
    walFileBytes: 1000,
  })
  for (let height = 0; height <= 60; height++) await storage.append(blockRecord(height))
  await storage.settle()
  const { lowestCut } = storage
  expect(lowestCut).toBeGreaterThan(20)
  await expect(storage.cut(lowestCut - 1)).rejects.toMatchObject({
    code: 'STATE_PRUNED',
    message: `blocks can be removed down to height ${lowestCut}, not to ${lowestCut - 1}: earlier ones are not fully retained`,
  })
  expect(storage.chain.latest).toBe(60)
  await storage.cut(lowestCut)
  expect(storage.chain.latest).toBe(lowestCut)
  await storage.close()
})
