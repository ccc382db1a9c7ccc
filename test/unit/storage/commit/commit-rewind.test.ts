import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Changeset } from '../../../../host/evm/state/changeset.ts'
import { rewindableVersions, rewindCommit } from '../../../../host/storage/commit/commit-rewind.ts'
import { CommitHasher } from '../../../../host/storage/commit/hash/commit-hasher.ts'
import { openCommitter } from '../../../../host/storage/commit/lmdb-committer.ts'
import { UNDO_TABLES } from '../../../../host/storage/commit/undo/undo-note.ts'
import { LmdbEnv } from '../../../../host/storage/store/lmdb/lmdb-env.ts'
import { buildCommitModule } from '../../../support/engine/commit-module.ts'
import { account, changeset, slot } from '../store/chain/block-records.ts'
import { chain } from '../store/random-blocks.ts'
import { oracleAppHashes } from './commit-oracle.ts'

let module: WebAssembly.Module

beforeAll(async () => {
  module = new WebAssembly.Module(readFileSync(await buildCommitModule()))
})

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

function temporaryDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'lockstep-rewind-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** Returns the rows of all tables except the flush records. */
async function rowsIn(dir: string): Promise<string[]> {
  const env = new LmdbEnv(dir)
  const rows = UNDO_TABLES.flatMap((name) =>
    Array.from(env.table(name).range({}), ({ key, value }) => `${name} ${hex(key)} ${hex(value)}`),
  )
  await env.close()
  return rows
}

/**
 * Commits changesets and closes the committer, which flushes the last of them.
 * @returns the app hashes
 */
async function commitAll(
  dir: string,
  changesets: readonly Changeset[],
  keepRecent: number,
): Promise<string[]> {
  const committer = await openCommitter({ dir, module, keepRecent })
  const hashes: string[] = []
  for (const each of changesets) {
    hashes.push(hex(await committer.stage(each)))
    await committer.commit()
  }
  await committer.close()
  return hashes
}

test('a rewind restores every row that was later written, cleared or deleted', async () => {
  await fc.assert(
    fc.asyncProperty(
      chain,
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 0, max: 3 }),
      fc.nat(),
      async (blocks, everyHeights, keepRecent, choice) => {
        const changesets = blocks.map((changes, height) => changeset(height, changes))
        const hashes = oracleAppHashes(changesets)
        const dir = temporaryDir()
        const rows = new Map<number, string[]>()
        for (let from = 0; from < changesets.length; from += everyHeights) {
          const next = changesets.slice(from, from + everyHeights)
          await commitAll(dir, next, keepRecent)
          rows.set(from + next.length - 1, await rowsIn(dir))
        }
        const versions = [...rows.keys()].reverse()
        expect(await rewindableVersions(dir)).toEqual([...versions, -1])
        const target = choice % changesets.length
        const reached = versions.find((version) => version <= target) ?? -1
        await rewindCommit(dir, target, new CommitHasher(module))
        expect(await rowsIn(dir)).toEqual(rows.get(reached) ?? [])
        if (reached >= 0) expect((await rewindableVersions(dir))[0]).toBe(reached)
        // The same changesets must lead to the same hashes again.
        expect(await commitAll(dir, changesets.slice(reached + 1), keepRecent)).toEqual(
          hashes.slice(reached + 1),
        )
        expect(await rowsIn(dir)).toHaveLength((rows.get(changesets.length - 1) as string[]).length)
      },
    ),
    { numRuns: 10 },
  )
}, 120_000)

test('the latest thousand heights can be restored, and older ones are deleted', async () => {
  const dir = temporaryDir()
  const changesets = Array.from({ length: 1100 }, (_, height) =>
    changeset(height, { accounts: [[height % 5, account(height, 1)]] }),
  )
  await commitAll(dir, changesets, 1)
  const versions = await rewindableVersions(dir)
  expect(versions[0]).toBe(1099)
  // A flush covers 16 heights. Its undo record is retained while it is among the latest thousand heights.
  expect(versions.at(-1)).toBeGreaterThan(1099 - 1000 - 17)
  expect(versions.at(-1)).toBeLessThan(1099 - 1000 + 1)
  await rewindCommit(dir, 700, new CommitHasher(module))
  const [reached = 0] = await rewindableVersions(dir)
  const hashes = oracleAppHashes(changesets.slice(0, 760))
  expect(await commitAll(dir, changesets.slice(reached + 1, 760), 1)).toEqual(
    hashes.slice(reached + 1),
  )
}, 60_000)

test('a damaged undo record is detected, and nothing is changed', async () => {
  const dir = temporaryDir()
  const write = (height: number) => changeset(height, { accounts: [[1, account(height, 1)]] })
  await commitAll(dir, [write(0)], 1)
  await commitAll(dir, [write(1)], 1)
  const env = new LmdbEnv(dir)
  const undo = env.table('undo')
  const note = undo.seek(Buffer.from('000000000000000100000000', 'hex'))
  if (note === undefined) throw new Error('no note')
  const changed = note.value.slice()
  // The balance of the account, which follows the height that wrote it.
  const at = Buffer.from(changed).indexOf(slot(1).slice(1))
  changed[at + 3] = 9
  env.write(() => undo.put(note.key, changed))
  await env.close()
  const before = await rowsIn(dir)
  await expect(rewindCommit(dir, 0, new CommitHasher(module))).rejects.toThrow(
    /^Database is corrupted: state commit \/.*: the rows of account that earlier flushes replaced do not give the hash/,
  )
  expect(await rowsIn(dir)).toEqual(before)
})
