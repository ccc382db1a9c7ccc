import { execFileSync, spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { StateDatabase } from '../../../../../host/storage/store/state/state-backend.ts'
import type { TableName } from '../../../../../host/storage/store/state/table-rows.ts'
import { bySet } from '../../../../support/run/by-set.ts'
import { account, address, blockRecord, slot, word } from '../chain/block-records.ts'
import { crashRecord } from '../crash-chain.ts'
import { chain } from '../random-blocks.ts'
import { temporaryDir } from '../temporary-storage.ts'
import {
  BACKENDS,
  type BackendKind,
  openSplit,
  openWhole,
  type StartedBackend,
  TestWal,
} from './state-backends.ts'
import { VersionModel } from './version-model.ts'

const KILLS = bySet(1, 5)
const none = (): readonly string[] => []

/** A started backend. Closed with its databases when the test ends, unless the test has closed it. */
class Fixture {
  readonly dir: string
  readonly wal: TestWal
  readonly model = new VersionModel()
  readonly #kind: BackendKind
  #started: StartedBackend
  #databases: StateDatabase[] = []
  #isClosed = false

  constructor(kind: BackendKind, dir = temporaryDir()) {
    this.dir = dir
    this.#kind = kind
    this.wal = new TestWal(dir)
    this.#started = kind.start()
    onTestFinished(async () => {
      await this.close()
      await this.wal.close()
    })
  }

  get backend() {
    return this.#started.backend
  }

  async whole(): Promise<StateDatabase> {
    const database = await openWhole(this.backend, this.dir)
    this.#databases.push(database)
    return database
  }

  async split(): Promise<readonly StateDatabase[]> {
    this.#databases = await openSplit(this.backend, this.dir)
    return this.#databases
  }

  append(record: ReturnType<typeof blockRecord>): void {
    this.wal.append(record)
    this.model.apply(record.changeset)
  }

  async flush(
    databases: readonly StateDatabase[],
    to = this.wal.latest,
    also = none,
  ): Promise<void> {
    await this.backend.flush(databases, { wal: this.wal, first: 0, to, also })
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#started.close(this.#databases)
  }

  async reopen(): Promise<StateDatabase> {
    await this.close()
    this.#started = this.#kind.start()
    this.#databases = []
    this.#isClosed = false
    return this.whole()
  }
}

function bytesOf(...values: readonly number[]): Uint8Array {
  return Uint8Array.from(values)
}

describe.each(BACKENDS.filter(({ missing }) => missing === undefined))('$name', (kind) => {
  test('finds what a plain model finds at every height, and the keys in order', async () => {
    await fc.assert(
      fc.asyncProperty(
        chain,
        fc.array(fc.nat(3), { minLength: 1, maxLength: 6 }),
        async (blocks, steps) => {
          const fixture = new Fixture(kind)
          let database = await fixture.whole()
          for (const [height, changes] of blocks.entries()) {
            fixture.append(blockRecord(height, changes, 0))
            const step = steps[height % steps.length] as number
            if (step > 0) await fixture.flush([database])
            if (step > 2) database = await fixture.reopen()
          }
          await fixture.flush([database])
          fixture.model.expectDatabase(database, 0, database.latest)
          fixture.model.expectKeys(database)
          await fixture.backend.settle()
          database = await fixture.reopen()
          expect(database.latest).toBe(blocks.length - 1)
          fixture.model.expectDatabase(database, 0, database.latest)
          fixture.model.expectKeys(database)
          await fixture.close()
        },
      ),
      { numRuns: bySet(2, 6) },
    )
  }, 120_000)

  test('distinguishes an empty value from a deleted key, and a deleted key from one never written', async () => {
    const fixture = new Fixture(kind)
    const database = await fixture.whole()
    const empty = { module: 'bank', writes: [{ key: bytesOf(1), value: bytesOf() }] }
    const deleted = { module: 'bank', writes: [{ key: bytesOf(1), value: undefined }] }
    fixture.append(
      blockRecord(0, {
        accounts: [[1, account(1, 1)]],
        storage: [[1, 1, 7]],
        modules: [empty],
        codes: [bytesOf(0, 0)],
      }),
    )
    fixture.append(
      blockRecord(1, { accounts: [[1, undefined]], storage: [[1, 1, 0]], modules: [deleted] }),
    )
    await fixture.flush([database])
    const storageKey = Buffer.concat([address(1), slot(1)])
    const find = (table: TableName, key: Uint8Array, height: number) => {
      const found = database.table(table).find(key, height)
      return found && { height: found.height, value: new Uint8Array(found.value) }
    }
    expect(find('account', address(1), 0)).toEqual({ height: 0, value: account(1, 1) })
    expect(find('account', address(1), 1)).toEqual({ height: 1, value: bytesOf() })
    expect(find('account', address(2), 1)).toBeUndefined()
    expect(find('storage', storageKey, 0)).toEqual({ height: 0, value: word(7) })
    expect(find('storage', storageKey, 1)).toEqual({ height: 1, value: bytesOf() })
    const moduleKey = Uint8Array.from([...Buffer.from('bank'), 0, 1, 1, 0, 1])
    expect(find('modules', moduleKey, 0)).toEqual({ height: 0, value: bytesOf(1) })
    expect(find('modules', moduleKey, 1)).toEqual({ height: 1, value: bytesOf() })
    expect(database.table('modules').isEmpty()).toBe(false)
    expect(database.table('legacy').isEmpty()).toBe(true)
    expect(database.table('account').size().rows).toBe(2)
  })

  test('stores its heights with the rows, so that a repeated flush changes nothing', async () => {
    const fixture = new Fixture(kind)
    let database = await fixture.whole()
    expect(fixture.backend.holds(database.dir)).toBe(true)
    expect(fixture.backend.holds(join(fixture.dir, 'elsewhere'))).toBe(false)
    expect([database.latest, database.earliest, database.marker('evm_latest')]).toEqual([
      -1, -1, -1,
    ])
    expect(database.hasHistory).toBe(false)
    for (let height = 0; height <= 4; height++) fixture.append(crashRecord(height))
    const also = () => ['evm_latest']
    await fixture.backend.flush([database], { wal: fixture.wal, first: 0, to: 0, also: none })
    expect(database.hasHistory).toBe(false)
    await fixture.backend.flush([database], { wal: fixture.wal, first: 0, to: 3, also })
    expect([database.latest, database.earliest, database.marker('evm_latest')]).toEqual([3, 0, 3])
    const { rows } = database.table('account').size()
    await fixture.backend.flush([database], { wal: fixture.wal, first: 0, to: 3, also })
    await fixture.backend.flush([database], { wal: fixture.wal, first: 0, to: 2, also })
    expect(database.table('account').size().rows).toBe(rows)
    database.raise(2)
    database.raise(1)
    database = await fixture.reopen()
    expect([database.latest, database.earliest, database.marker('evm_latest')]).toEqual([3, 2, 3])
    expect(database.marker('other')).toBe(-1)
    expect(database.hasHistory).toBe(true)
    await fixture.flush([database])
    expect([database.latest, database.marker('evm_latest')]).toEqual([4, 3])
    fixture.model.expectDatabase(database, 2, 4, true)
  })

  test('answers during a flush as it did before', async () => {
    const fixture = new Fixture(kind)
    const databases = await fixture.split()
    for (let height = 0; height <= 20; height++) fixture.append(crashRecord(height))
    await fixture.flush(databases, 10)
    let isDone = false
    const flush = fixture.flush(databases).finally(() => {
      isDone = true
    })
    const [accounts] = databases as [StateDatabase]
    let reads = 0
    for (let n = 0; !isDone; n = (n + 7) % 400) {
      const height = n % 11
      const key = Buffer.from(address(n)).toString('latin1')
      const found = accounts.table('account').find(address(n), height)
      const expected = fixture.model.find('account', key, height)
      expect(found && [found.height, new Uint8Array(found.value)]).toEqual(expected)
      reads++
      await new Promise((resolve) => setImmediate(resolve))
    }
    await flush
    expect(reads).toBeGreaterThan(0)
    for (const database of databases) fixture.model.expectDatabase(database, 0, 20)
  })

  test('prunes without changing an answer at or above the prune height', async () => {
    await fc.assert(
      fc.asyncProperty(chain, fc.nat(), fc.boolean(), async (blocks, at, isReopened) => {
        const fixture = new Fixture(kind)
        let database = await fixture.whole()
        const pruneHeight = at % blocks.length
        for (const [height, changes] of blocks.entries()) {
          fixture.append(blockRecord(height, changes, 0))
          if (height % 2 === 0) await fixture.flush([database])
        }
        await fixture.flush([database], blocks.length - 1)
        database.raise(pruneHeight)
        if (isReopened) database = await fixture.reopen()
        fixture.append(blockRecord(blocks.length, {}, 0))
        await fixture.flush([database])
        fixture.model.expectDatabase(database, pruneHeight, blocks.length, true)
        await fixture.backend.settle()
        fixture.model.expectDatabase(database, pruneHeight, blocks.length, true)
        database = await fixture.reopen()
        fixture.model.expectDatabase(database, pruneHeight, blocks.length, true)
        for (const name of database.tables) {
          const least = fixture.model.reached(name, pruneHeight)
          expect(database.table(name).size().rows, name).toBeGreaterThanOrEqual(least)
        }
        await fixture.close()
      }),
      { numRuns: bySet(2, 6) },
    )
  }, 120_000)

  test('deletes rows that no read can reach', async () => {
    const fixture = new Fixture(kind)
    const database = await fixture.whole()
    const latest = 60
    for (let height = 0; height <= latest; height++) {
      const accounts = Array.from({ length: 500 }, (_, n) => [n, account(height, n)] as const)
      fixture.append(blockRecord(height, { accounts }, 0))
      if (height % 10 === 9) await fixture.flush([database])
    }
    await fixture.flush([database])
    expect(database.table('account').size().rows).toBe(500 * (latest + 1))
    for (let pruneHeight = 1; pruneHeight <= latest; pruneHeight++) {
      database.raise(pruneHeight)
      if (pruneHeight % 10 === 0) {
        fixture.append(blockRecord(fixture.wal.latest + 1, { accounts: [[0, account(1, 1)]] }, 0))
        await fixture.flush([database])
        await fixture.backend.settle()
      }
    }
    fixture.model.expectDatabase(database, latest, fixture.wal.latest, true)
    expect(database.table('account').size().rows).toBeLessThan(500 * 20)
  })

  test('imports rows in key order and continues from there', async () => {
    const fixture = new Fixture(kind)
    let database = await fixture.whole()
    const keys = Array.from({ length: 3000 }, (_, n) => address(n)).sort(Buffer.compare)
    const rows = keys.map((key, n) => ({ key, value: account(n, 1) }))
    const loader = database.loader('account', 100)
    for (const row of rows) loader.add(row)
    await loader.finish()
    expect(database.latest).toBe(-1)
    database.markLoaded(100, ['evm_latest'])
    for (let pass = 0; pass < 2; pass++) {
      expect([database.latest, database.earliest, database.marker('evm_latest')]).toEqual([
        100, 100, 100,
      ])
      const table = database.table('account')
      expect(table.size().rows).toBe(3000)
      for (const { key, value } of rows) {
        expect(table.find(key, 100)).toEqual({ height: 100, value })
        expect(table.find(key, 99)).toBeUndefined()
      }
      expect([...table.keys(bytesOf(), bytesOf(255, 255), false)]).toHaveLength(3000)
      expect(table.find(address(5000), 100)).toBeUndefined()
      if (pass === 0) database = await fixture.reopen()
    }
    // Heights of the write-ahead log begin at zero here. The import contains those up to 100.
    for (let height = 0; height <= 101; height++) {
      fixture.wal.append(blockRecord(height, { accounts: [[1, account(height, 9)]] }, 0))
    }
    await fixture.flush([database])
    expect(database.table('account').find(address(1), 101)?.height).toBe(101)
    expect(database.table('account').find(address(1), 100)?.height).toBe(100)
  })

  test('restarts an import that was interrupted', async () => {
    const fixture = new Fixture(kind)
    const broken = (await fixture.whole()).loader('account', 90)
    broken.add({ key: address(1), value: account(1, 1) })
    await broken.finish()
    const database = await fixture.reopen()
    const loader = database.loader('account', 100)
    loader.add({ key: address(2), value: account(2, 2) })
    await loader.finish()
    database.markLoaded(100, [])
    expect(database.table('account').find(address(1), 100)).toBeUndefined()
    expect(database.table('account').find(address(2), 100)?.value).toEqual(account(2, 2))
    expect(database.table('account').size().rows).toBe(1)
  })

  test('has every row up to its recorded heights after the process is killed', async () => {
    const dir = temporaryDir()
    const seed = Date.now() % 1_000_000
    let state = seed
    for (let kill = 0; kill < KILLS; kill++) {
      state = (state * 1103515245 + 12345) % 2 ** 31
      await flushUntilKilled(kind, dir, state % 120)
      const fixture = new Fixture(kind, dir)
      const databases = await fixture.split()
      const latest = databases.map((database) => database.latest)
      // Databases are marked in order, so a later one is never ahead of an earlier one.
      expect(latest, `seed ${seed}`).toEqual(latest.toSorted((a, b) => b - a))
      for (let height = 0; height <= (latest[0] as number); height++) {
        fixture.append(crashRecord(height))
      }
      for (const database of databases) {
        fixture.model.expectDatabase(database, 0, database.latest)
        expect(database.earliest).toBe(database.latest < 0 ? -1 : 0)
      }
      await fixture.flush(databases)
      for (const database of databases) {
        fixture.model.expectDatabase(database, 0, fixture.wal.latest)
        fixture.model.expectKeys(database)
        for (const name of database.tables) {
          expect(database.table(name).size().rows).toBe(fixture.model.reached(name, -1))
        }
      }
      await fixture.close()
    }
  }, 240_000)

  test('lets the process exit after it is closed', () => {
    const dir = temporaryDir()
    const output = execFileSync(process.execPath, writerArguments(kind, dir, '3'))
    expect(output.toString()).toBe('0\n1\n2\n3\n')
  })

  test('refuses damaged files and reports their path', async () => {
    const fixture = new Fixture(kind)
    const { dir } = await fixture.whole()
    const database = await fixture.reopen()
    for (let height = 0; height <= 5; height++) fixture.append(crashRecord(height))
    await fixture.flush([database])
    await fixture.reopen()
    await fixture.close()
    const files = readdirSync(dir).filter((name) => kind.rowFiles.test(name))
    expect(files.length).toBeGreaterThan(0)
    for (const file of [files[0] as string, kind.root]) {
      const path = join(dir, file)
      const whole = readFileSync(path)
      writeFileSync(path, Buffer.alloc(whole.length, 0x5a))
      const again = kind.start()
      await expect(openWhole(again.backend, fixture.dir)).rejects.toMatchObject({
        code: 'STORE_CORRUPTED',
        message: expect.stringContaining(dir),
      })
      await again.close([])
      writeFileSync(path, whole)
    }
    const repaired = await fixture.reopen()
    fixture.model.expectDatabase(repaired, 0, 5)
  })
})

test.skipIf(BACKENDS.every(({ missing }) => missing === undefined))(
  `every backend can run here${BACKENDS.map(({ missing = '' }) => missing && `: ${missing}`).join('')}`,
  () => {},
)

function writerArguments(kind: BackendKind, dir: string, to: string): string[] {
  const script = fileURLToPath(new URL('state-backend-writer.ts', import.meta.url))
  return [script, kind.name, dir, to]
}

/** Runs a process that flushes block after block, and kills it `ms` milliseconds after its first height. */
async function flushUntilKilled(kind: BackendKind, dir: string, ms: number): Promise<void> {
  const writer = spawn(process.execPath, writerArguments(kind, dir, '1000000'), {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  writer.stdout.once('data', () => setTimeout(() => writer.kill('SIGKILL'), ms))
  const signal = await new Promise((resolve) => writer.on('close', (_, by) => resolve(by)))
  expect(signal).toBe('SIGKILL')
}
