import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Changeset } from '../../../../host/evm/state/changeset.ts'
import {
  type LmdbCommitter,
  openCommitter,
} from '../../../../host/storage/commit/lmdb-committer.ts'
import { buildCommitModule } from '../../../support/engine/commit-module.ts'
import { bySet } from '../../../support/run/by-set.ts'
import { account, changeset, codeHashOf, slot } from '../store/chain/block-records.ts'
import { chain } from '../store/random-blocks.ts'
import { oracleAppHashes } from './commit-oracle.ts'

let module: WebAssembly.Module

beforeAll(async () => {
  module = new WebAssembly.Module(readFileSync(await buildCommitModule()))
})

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

function temporaryDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'lockstep-commit-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

async function commitAll(
  committer: LmdbCommitter,
  changesets: readonly Changeset[],
): Promise<string[]> {
  const hashes: string[] = []
  for (const each of changesets) {
    const hash = hex(await committer.stage(each))
    await committer.commit()
    expect(committer.version).toBe(each.height)
    expect(hex(committer.appHash)).toBe(hash)
    hashes.push(hash)
  }
  return hashes
}

describe('app hashes', () => {
  test('equal those of a plain recomputation, also after restarts', async () => {
    await fc.assert(
      fc.asyncProperty(chain, fc.integer({ min: 1, max: 8 }), async (blocks, reopenEvery) => {
        const changesets = blocks.map((changes, height) => changeset(height, changes))
        const dir = temporaryDir()
        const hashes: string[] = []
        for (let from = 0; from < changesets.length; from += reopenEvery) {
          const committer = await openCommitter({ dir, module })
          expect(committer.version).toBe(from - 1)
          hashes.push(...(await commitAll(committer, changesets.slice(from, from + reopenEvery))))
          await committer.close()
        }
        expect(hashes).toEqual(oracleAppHashes(changesets))
      }),
      { numRuns: bySet(12, 60) },
    )
  }, 300_000)

  test('depend on the height at which a row was written, as in upstream Sei', () => {
    const write = { accounts: [[1, account(1, 1)]] as const }
    const early = oracleAppHashes([changeset(0, write), changeset(1)])
    const late = oracleAppHashes([changeset(0), changeset(1, write)])
    expect(early[1]).not.toBe(late[1])
  })
})

describe('staging a changeset', () => {
  test('replaces a changeset that was staged before', async () => {
    const committer = await openCommitter({ dir: temporaryDir(), module })
    const first = changeset(0, {
      accounts: [[1, account(1, 1)]],
      storage: [[1, 1, 1]],
      modules: [{ module: 'gone', writes: [{ key: slot(1), value: slot(1) }] }],
    })
    const second = changeset(0, { accounts: [[2, account(2, 2)]] })
    const third = changeset(1, {
      storage: [[1, 1, 2]],
      modules: [{ module: 'bank', writes: [{ key: slot(2), value: slot(2) }] }],
    })
    await committer.stage(first)
    expect(hex(await committer.stage(second))).toBe(oracleAppHashes([second])[0])
    expect(committer.version).toBe(-1)
    await committer.commit()
    await committer.stage(changeset(1, { accounts: [[2, undefined]] }))
    expect(hex(await committer.stage(third))).toBe(oracleAppHashes([second, third])[1])
    await committer.close()
  })

  test('accepts only the next height', async () => {
    const committer = await openCommitter({ dir: temporaryDir(), module })
    await expect(committer.stage(changeset(1))).rejects.toThrow(
      'committing bad version: got 1, want 0',
    )
    await expect(committer.commit()).rejects.toThrow('commit without a staged version')
    await committer.close()
  })

  test('requires the code of a new contract to be in a changeset', async () => {
    const committer = await openCommitter({ dir: temporaryDir(), module })
    const code = Uint8Array.of(1)
    const taken = changeset(0, { accounts: [[1, account(1, 1, codeHashOf(code))]] })
    await expect(committer.stage(taken)).rejects.toThrow(
      /takes code 0x[0-9a-f]{64}, which no changeset holds/,
    )
    await committer.close()
  })
})

describe('the version on disk', () => {
  test('lags at most 16 heights and catches up to the same app hash', async () => {
    const changesets = Array.from({ length: 50 }, (_, height) =>
      changeset(height, {
        accounts: [[height % 7, account(height, height)]],
        modules: [{ module: 'bank', writes: [{ key: slot(height % 11), value: slot(height) }] }],
      }),
    )
    const dir = temporaryDir()
    const committer = await openCommitter({ dir, module })
    const hashes = await commitAll(committer, changesets)
    // A second process sees what is on disk before the first has closed.
    const behind = await openCommitter({ dir, module })
    expect(behind.version).toBeGreaterThan(49 - 16)
    expect(hex(behind.appHash)).toBe(hashes[behind.version])
    const rest = await commitAll(behind, changesets.slice(behind.version + 1))
    expect(rest.at(-1)).toBe(hashes.at(-1))
    await behind.close()
    await committer.close()
  })
})
