import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LockstepError } from '../../../../../host/base/error.ts'
import { checkEnvironment } from '../../../../../host/storage/store/lmdb/lmdb-check.ts'
import { LmdbEnv } from '../../../../../host/storage/store/lmdb/lmdb-env.ts'
import { makeRandom, runSeed } from '../../../../support/random.ts'
import { temporaryDir } from '../temporary-storage.ts'

const seed = runSeed()
const random = makeRandom(seed)
const below = (limit: number): number => Math.floor(random() * limit)

const PAGE = 4096

/** Creates an environment with branch pages, long rows and free pages, and closes it. */
async function makeEnv(): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'lockstep-store-'))
  const env = new LmdbEnv(dir)
  const rows = env.table('rows')
  const others = env.table('others')
  for (let round = 0; round < 12; round++) {
    env.write(() => {
      for (let i = 0; i < 150; i++) {
        const key = Buffer.from(`key ${below(1500)}`)
        const length = below(40) === 0 ? below(30_000) : below(60)
        if (below(3) === 0) rows.remove(key)
        else rows.put(key, Buffer.alloc(length, i))
      }
      others.put(Buffer.from(`other ${round}`), Buffer.alloc(round))
    })
  }
  await env.close()
  return dir
}

/** Returns the error of the check for these bytes, or undefined if they pass. */
function verdict(bytes: Uint8Array): LockstepError | undefined {
  const dir = temporaryDir()
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, 'data.mdb'), bytes)
  try {
    checkEnvironment(dir)
    return undefined
  } catch (thrown) {
    // Any other error is a fault of the check itself.
    if (thrown instanceof LockstepError) return thrown
    throw thrown
  } finally {
    rmSync(dir, { recursive: true })
  }
}

let dir: string
let sound: Buffer

beforeAll(async () => {
  dir = await makeEnv()
  sound = readFileSync(join(dir, 'data.mdb'))
})

afterAll(() => rmSync(dir, { recursive: true, force: true }))

describe('the check of an environment', () => {
  test('passes a file that LMDB wrote and counts its rows', async () => {
    const env = new LmdbEnv(dir)
    const rows = [...env.table('rows').range({})].length
    await env.close()
    expect(checkEnvironment(dir)).toEqual([
      { name: 'others', rows: 12 },
      { name: 'rows', rows },
      { name: 'tables-2', rows: 2 },
    ])
  })

  test('passes an environment that is missing or empty', () => {
    expect(checkEnvironment(join(dir, 'none'))).toBeUndefined()
    expect(verdict(new Uint8Array(0))).toBeUndefined()
  })

  test(`refuses every file that lost a page in use (LOCKSTEP_SEED=${seed})`, () => {
    for (let round = 0; round < 60; round++) {
      const bytes = sound.subarray(0, 1 + below(sound.length / 2))
      expect(verdict(bytes)).toMatchObject({ code: 'STORE_CORRUPTED' })
    }
  })

  test(`detects every flipped bit that changes a row (LOCKSTEP_SEED=${seed})`, async () => {
    const before = await contents(dir)
    let refused = 0
    for (let round = 0; round < 150; round++) {
      const bytes = Buffer.from(sound)
      const page = below(bytes.length / PAGE)
      for (let flips = 1 + below(3); flips > 0; flips--) {
        // Half of them in the page header and pointers
        const at = page * PAGE + below(below(2) === 0 ? 64 : PAGE)
        bytes[at] = (bytes[at] as number) ^ (1 << below(8))
      }
      const found = verdict(bytes)
      if (found !== undefined) {
        expect(found.code).toBe('STORE_CORRUPTED')
        expect(found.message).toContain('data.mdb')
        refused++
        continue
      }
      const copy = temporaryDir()
      mkdirSync(copy, { recursive: true })
      writeFileSync(join(copy, 'data.mdb'), bytes)
      // An invalid meta page (0 or 1) makes LMDB open the previous transaction.
      const after = await contents(copy)
      if (page > 1) expect(after).toEqual(before)
      rmSync(copy, { recursive: true })
    }
    expect(refused).toBeGreaterThan(20)
  }, 60_000)

  test(`refuses a file whose pages in use were zeroed (LOCKSTEP_SEED=${seed})`, () => {
    let refused = 0
    for (let round = 0; round < 100; round++) {
      const bytes = Buffer.from(sound)
      const start = below(bytes.length)
      bytes.fill(0, start, Math.min(bytes.length, start + 1 + below(2 * PAGE)))
      if (verdict(bytes) !== undefined) refused++
    }
    expect(refused).toBeGreaterThan(20)
    expect(verdict(Buffer.alloc(sound.length))?.message).toContain(
      'page 0 is not the head of an LMDB file',
    )
  })

  test('reports an environment of an earlier release without checksums', async () => {
    const former = temporaryDir()
    const env = new LmdbEnv(former)
    env.write(() => env.table('rows').put(Buffer.from('key'), Buffer.from('value')))
    await env.close()
    const path = join(former, 'data.mdb')
    const bytes = readFileSync(path)
    for (let at = bytes.indexOf('tables-2'); at >= 0; at = bytes.indexOf('tables-2', at)) {
      bytes.write('tables-x', at)
    }
    writeFileSync(path, bytes)
    expect(() => new LmdbEnv(former)).toThrow(
      expect.objectContaining({
        code: 'STORE_CORRUPTED',
        message: expect.stringContaining('written by an earlier release, without checksums'),
        hint: expect.stringContaining('export a snapshot with the release that wrote it'),
      }),
    )
  })
})

async function contents(at: string): Promise<string[]> {
  const env = new LmdbEnv(at)
  try {
    return ['rows', 'others'].flatMap((name) =>
      Array.from(
        env.table(name).range({}),
        ({ key, value }) => `${Buffer.from(key)} ${Buffer.from(value).toString('hex')}`,
      ),
    )
  } finally {
    await env.close()
  }
}
