import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Changeset } from '../../../../host/evm/state/changeset.ts'
import {
  type LmdbCommitter,
  openCommitter,
} from '../../../../host/storage/commit/lmdb-committer.ts'
import { buildCommitModule } from '../../../support/engine/commit-module.ts'
import { bySet } from '../../../support/run/by-set.ts'
import { type BlockChanges, changeset } from '../store/chain/block-records.ts'
import { chain } from '../store/random-blocks.ts'
import { oracleAppHash, oracleAppHashes } from './commit-oracle.ts'

let module: WebAssembly.Module

beforeAll(async () => {
  module = new WebAssembly.Module(readFileSync(await buildCommitModule()))
})

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

function temporaryDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'lockstep-revert-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

async function commit(committer: LmdbCommitter, each: Changeset): Promise<string> {
  const hash = hex(await committer.stage(each))
  await committer.commit()
  return hash
}

type Step =
  | { readonly kind: 'blocks'; readonly blocks: readonly BlockChanges[] }
  | { readonly kind: 'revert'; readonly to: number }
  | { readonly kind: 'restart' }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: chain.map((blocks) => ({ kind: 'blocks' as const, blocks })) },
  { weight: 4, arbitrary: fc.nat().map((to) => ({ kind: 'revert' as const, to })) },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
)

test('after any reverts, in memory and across flushes, the app hash equals that of a chain that never reverted', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 2, maxLength: 10 }),
      fc.constantFrom(0, 1, 3),
      fc.constantFrom(0, 3),
      async (steps, keepRecent, flushEvery) => {
        const options = { dir: temporaryDir(), module, keepRecent, flushEvery, isReversible: true }
        let committer = await openCommitter(options)
        let kept: Changeset[] = []
        for (const each of steps) {
          if (each.kind === 'blocks') {
            for (const changes of each.blocks) {
              kept.push(changeset(kept.length, changes))
              await commit(committer, kept.at(-1) as Changeset)
            }
          } else if (each.kind === 'restart') {
            await committer.close()
            committer = await openCommitter(options)
          } else if (kept.length > 0) {
            const target = each.to % kept.length
            // Stage a changeset that the revert must discard.
            await committer.stage(changeset(kept.length, {}))
            await committer.revert(target, 0)
            expect(committer.version).toBeLessThanOrEqual(target)
            kept = kept.slice(0, target + 1)
            for (const next of kept.slice(committer.version + 1)) await commit(committer, next)
          }
          if (kept.length === 0) continue
          expect(committer.version).toBe(kept.length - 1)
          expect(hex(committer.appHash)).toBe(oracleAppHash(kept))
        }
        await committer.close()
        committer = await openCommitter(options)
        expect(committer.version).toBe(kept.length - 1)
        if (kept.length > 0) expect(hex(committer.appHash)).toBe(oracleAppHash(kept))
        await committer.close()
      },
    ),
    { numRuns: bySet(12, 60) },
  )
})

test('a version that was never flushed is restored from memory', async () => {
  const dir = temporaryDir()
  const committer = await openCommitter({ dir, module, isReversible: true })
  const hashes: string[] = []
  for (let height = 0; height < 200; height++) {
    hashes.push(
      await commit(
        committer,
        changeset(height, { accounts: [], storage: [[height % 4, 0, height]] }),
      ),
    )
  }
  for (const target of [150, 20, 0]) {
    await committer.revert(target, Number.MAX_SAFE_INTEGER)
    expect(committer.version).toBe(target)
    expect(hex(committer.appHash)).toBe(hashes[target])
  }
  await committer.close()
})

test('a revert to a version whose changesets were deleted is refused and changes nothing', async () => {
  const dir = temporaryDir()
  const committer = await openCommitter({ dir, module, flushEvery: 8, isReversible: true })
  const hashes: string[] = []
  for (let height = 0; height < 20; height++) {
    hashes.push(await commit(committer, changeset(height, { storage: [[0, 0, height]] })))
  }
  // Heights 0, 8 and 16 are on disk, so 12 needs the changesets of 9 to 12.
  await expect(committer.revert(12, 10)).rejects.toMatchObject({ code: 'STATE_PRUNED' })
  expect(committer.version).toBe(19)
  expect(await commit(committer, changeset(20, {}))).toBe(
    oracleAppHashes([
      ...Array.from({ length: 20 }, (_, height) =>
        changeset(height, { storage: [[0, 0, height]] }),
      ),
      changeset(20, {}),
    ]).at(-1),
  )
  await committer.revert(12, 9)
  expect(committer.version).toBe(8)
  expect(hex(committer.appHash)).toBe(hashes[8])
  await committer.close()
})
