import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { LockstepError } from '../../../../host/base/error.ts'
import {
  CommitThread,
  type CommitThreadOptions,
} from '../../../../host/storage/commit/commit-thread.ts'
import { CommitHasher } from '../../../../host/storage/commit/hash/commit-hasher.ts'
import { LmdbCommitter, openCommitter } from '../../../../host/storage/commit/lmdb-committer.ts'
import { LmdbEnv } from '../../../../host/storage/store/lmdb/lmdb-env.ts'
import { buildCommitModule } from '../../../support/engine/commit-module.ts'
import { bySet } from '../../../support/run/by-set.ts'
import { account, changeset, codeHashOf, slot } from '../store/chain/block-records.ts'
import { chain } from '../store/random-blocks.ts'

let module: WebAssembly.Module

beforeAll(async () => {
  module = new WebAssembly.Module(readFileSync(await buildCommitModule()))
})

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

function temporaryDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'lockstep-commit-thread-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

function raise(error: Error): never {
  throw error
}

function openThread(options: Partial<CommitThreadOptions> = {}): Promise<CommitThread> {
  return CommitThread.open({ dir: temporaryDir(), module, onError: raise, ...options })
}

describe('the commit thread', () => {
  test('returns the app hashes that the in-process class returns, also after restarts', async () => {
    await fc.assert(
      fc.asyncProperty(chain, fc.integer({ min: 1, max: 8 }), async (blocks, reopenEvery) => {
        const changesets = blocks.map((changes, height) => changeset(height, changes))
        const inProcess = await openCommitter({ dir: temporaryDir(), module })
        const dir = temporaryDir()
        for (let from = 0; from < changesets.length; from += reopenEvery) {
          const thread = await openThread({ dir })
          expect([thread.version, hex(thread.appHash)]).toEqual([
            inProcess.version,
            hex(inProcess.appHash),
          ])
          for (const each of changesets.slice(from, from + reopenEvery)) {
            expect(hex(await thread.stage(each))).toBe(hex(await inProcess.stage(each)))
            await Promise.all([thread.commit(), inProcess.commit()])
          }
          await thread.close()
        }
        await inProcess.close()
      }),
      { numRuns: bySet(6, 20) },
    )
  }, 300_000)

  test('accepts calls before earlier ones are answered, and closes after all of them are done', async () => {
    const changesets = Array.from({ length: 40 }, (_, height) =>
      changeset(height, { accounts: [[height % 7, account(height, height)]] }),
    )
    const dir = temporaryDir()
    const thread = await openThread({ dir })
    const hashes = changesets.map((each) => {
      const staged = thread.stage(each)
      thread.commit()
      return staged
    })
    await thread.close()
    const last = hex((await Promise.all(hashes)).at(-1) as Uint8Array)
    expect(thread.busyNs).toBeGreaterThan(0)
    const again = await openCommitter({ dir, module })
    expect([again.version, hex(again.appHash)]).toEqual([39, last])
    await again.close()
  })

  test('does not take ownership of the changeset', async () => {
    const thread = await openThread()
    const given = changeset(0, { accounts: [[1, account(1, 1)]], storage: [[1, 2, 3]] })
    await thread.stage(given)
    expect(given).toEqual(changeset(0, { accounts: [[1, account(1, 1)]], storage: [[1, 2, 3]] }))
    await thread.close()
  })

  test('returns errors with their code and continues', async () => {
    const thread = await openThread()
    await expect(thread.stage(changeset(1))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'committing bad version: got 1, want 0',
    })
    const taken = { accounts: [[1, account(1, 1, codeHashOf(slot(1)))]] as const }
    await expect(thread.stage(changeset(0, taken))).rejects.toMatchObject({
      code: 'STORE_CORRUPTED',
      message: expect.stringMatching(/takes code 0x[0-9a-f]{64}, which no changeset holds$/),
    })
    await expect(thread.commit()).rejects.toThrow('commit without a staged version')
    await thread.stage(changeset(0))
    await thread.commit()
    expect(thread.version).toBe(0)
    await thread.close()
  })

  test('refuses to open a directory that is not a database', async () => {
    const dir = temporaryDir()
    writeFileSync(join(dir, 'data.mdb'), new Uint8Array(4096).fill(1))
    const told: LockstepError[] = []
    await expect(openThread({ dir, onError: (error) => told.push(error) })).rejects.toMatchObject({
      code: 'STORE_CORRUPTED',
    })
    expect(told).toEqual([])
  })
})

describe('a commit thread that dies', () => {
  const opened = `import { parentPort } from 'node:worker_threads'
    const done = { number: 0, result: { version: -1, appHash: new Uint8Array(32), outcome: {}, busyNs: 0 } }
    const respond = ({ number }, then) => number > 0 ? then() : parentPort.postMessage(done)\n`

  function scriptOf(source: string): URL {
    const path = join(temporaryDir(), 'worker.mjs')
    writeFileSync(path, source)
    return pathToFileURL(path)
  }

  test.each([
    ['of an error', `throw new Error('out of memory')`, 'out of memory'],
    ['without a word', 'process.exit(3)', 'it ended with code 3'],
    [
      'of an answer to another request',
      'parentPort.postMessage({ ...done, number: 1000 })',
      'it answered request 1000, which was not made',
    ],
  ])(
    'because it %s fails every pending call, reports the failure once, and closes',
    async (_, body, how) => {
      const told: LockstepError[] = []
      const script = scriptOf(
        `${opened}parentPort.on('message', (message) => respond(message, () => { ${body} }))`,
      )
      const thread = await openThread({ script, onError: (error) => told.push(error) })
      const died = { code: 'ENGINE_FAULT', message: `the state commit thread died: ${how}` }
      const asked = [thread.stage(changeset(0)), thread.commit()]
      for (const each of asked) await expect(each).rejects.toMatchObject(died)
      await expect(thread.stage(changeset(0))).rejects.toMatchObject(died)
      await expect(thread.close()).rejects.toMatchObject(died)
      expect(told).toEqual([expect.objectContaining(died)])
    },
  )

  test('before it has opened causes an opening error', async () => {
    const told: LockstepError[] = []
    const script = scriptOf(`throw new Error('no such module')`)
    await expect(openThread({ script, onError: (error) => told.push(error) })).rejects.toThrow(
      'the state commit thread died: no such module',
    )
    expect(told).toHaveLength(1)
  })

  test('before it receives an open request fails the opening with the same error', async () => {
    const script = scriptOf(`throw new Error('no such module')`)
    const { thread, died } = await new Promise<{ thread: CommitThread; died: LockstepError }>(
      (resolve) => {
        const thread: CommitThread = new CommitThread({
          script,
          onError: (died) => resolve({ thread, died }),
        })
      },
    )
    expect(died.message).toBe('the state commit thread died: no such module')
    await expect(thread.open({ dir: temporaryDir(), module })).rejects.toBe(died)
    await thread.close()
  })
})

test('a commit thread that never opened anything closes', async () => {
  const thread = new CommitThread({ onError: raise })
  await thread.close()
  await expect(thread.commit()).rejects.toMatchObject({ code: 'SERVER_BUSY' })
})

test('after a failed flush every call fails with the same error, and the disk keeps the earlier version', async () => {
  const dir = temporaryDir()
  const env = new LmdbEnv(dir)
  const committer = new LmdbCommitter(env, new CommitHasher(module), {})
  for (let height = 0; height < 20; height++) {
    await committer.stage(changeset(height, { accounts: [[height, account(1, height)]] }))
    await committer.commit()
  }
  const full = new Error('disk full')
  env.write = () => {
    throw full
  }
  let failed: unknown
  for (let height = 20; failed === undefined; height++) {
    await committer.stage(changeset(height))
    failed = await committer.commit().catch((error: unknown) => error)
  }
  expect(failed).toBe(full)
  await expect(committer.stage(changeset(committer.version + 1))).rejects.toBe(full)
  await expect(committer.commit()).rejects.toBe(full)
  await committer.close()
  const again = await openCommitter({ dir, module })
  expect(again.version).toBe(15)
  await again.close()
})
