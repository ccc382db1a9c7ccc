import {
  copyFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { markPath } from '../../../../../host/storage/store/sqlite/commit-mark.ts'
import {
  guardDatabase,
  verifyDatabase,
} from '../../../../../host/storage/store/sqlite/guard-database.ts'
import { loadSqlite, openDatabase } from '../../../../../host/storage/store/sqlite/sqlite.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'guarded-'))
  path = join(folder, 'some.db')
})
afterEach(() => rmSync(folder, { recursive: true }))

const damaged = (problem: string | RegExp) =>
  expect.objectContaining({
    code: 'STORE_CORRUPTED',
    message: expect.stringMatching(problem),
    hint: expect.stringContaining(`restore the folder of ${path}`),
  })

function thrownBy(work: () => void): unknown {
  try {
    work()
    return undefined
  } catch (thrown) {
    return thrown
  }
}

const verify = () => thrownBy(() => verifyDatabase(path))

/** Creates the tables with rows but without checksums. */
function makeTables(): DatabaseSync {
  const database = openDatabase(path)
  database.exec(`
    CREATE TABLE limits (id TEXT PRIMARY KEY, amount TEXT NOT NULL, seen INTEGER, data BLOB) STRICT;
    CREATE TABLE uses (id TEXT REFERENCES limits (id) ON DELETE CASCADE) STRICT;
    INSERT INTO limits VALUES ('old', '1000000', NULL, x'00ff');
  `)
  return database
}

function change(database: DatabaseSync): void {
  database.exec(`
    INSERT INTO limits VALUES ('a', '2000000', 1, NULL), ('b', '3000000', 2, x'01');
    INSERT INTO uses VALUES ('a'), ('b');
    UPDATE limits SET amount = '4000000' WHERE id = 'old';
    INSERT OR REPLACE INTO limits VALUES ('b', '5000000', 3, NULL);
    INSERT INTO limits VALUES ('b', '1', 1, NULL) ON CONFLICT DO UPDATE SET amount = '6000000';
    DELETE FROM limits WHERE id = 'a';
  `)
}

/** Replaces the first occurrence of `from` in the database file. */
function alter(from: string, to: string): void {
  const bytes = readFileSync(path)
  const at = bytes.indexOf(from)
  expect(at).toBeGreaterThan(0)
  bytes.write(to, at)
  writeFileSync(path, bytes)
}

test('a database passes after every kind of change, and a database of an earlier release passes as well', () => {
  const database = makeTables()
  guardDatabase(database, path).close()
  change(database)
  guardDatabase(database, path).close()
  database.close()
  expect(verify()).toBeUndefined()
  const sums = openDatabase(path).prepare(
    'SELECT name, rows, changes FROM table_sums ORDER BY name',
  )
  // Limits: 2 inserted, 1 updated, 1 replaced (1 deleted, 1 inserted), 1 updated, 1 deleted. Uses: 2 inserted, 2
  // cascaded.
  expect(sums.all()).toEqual([
    { name: 'limits', rows: 2, changes: 7 },
    { name: 'uses', rows: 0, changes: 4 },
  ])
})

test('a flipped byte in a row is detected, although SQLite reports no error', () => {
  const database = makeTables()
  guardDatabase(database, path).close()
  database.close()
  alter('1000000', '9000000')
  const plain = openDatabase(path)
  expect(plain.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  plain.close()
  expect(verify()).toEqual(damaged('the rows of table limits are not those written'))
})

/** SQLite stores this value in eight bytes, which occur nowhere else in the file. */
const MARKED = 0x0123456789abcd

test.each([
  ['a table that has a sum', []],
  ['a table that is checked in another way', ['limits']],
])('a number of %s that no query can read is reported as damage', (_, except) => {
  const database = makeTables()
  guardDatabase(database, path, except).close()
  database.exec(`UPDATE limits SET seen = ${MARKED}`)
  database.close()
  expect(verify()).toBeUndefined()
  const bytes = readFileSync(path)
  const at = bytes.indexOf(Buffer.from('000123456789abcd', 'hex'))
  bytes[at] = 0xff
  writeFileSync(path, bytes)
  expect(verify()).toEqual(damaged('table limits has a number that was not written'))
})

test('a row that a program without checksums deleted is detected', () => {
  const database = makeTables()
  change(database)
  guardDatabase(database, path).close()
  database.exec('DROP TRIGGER sum_limits_delete')
  database.exec(`DELETE FROM limits WHERE id = 'old'`)
  database.close()
  expect(verify()).toEqual(damaged('table limits has 1 rows, 2 were written'))
})

test('a program without checksums cannot write a guarded table', () => {
  const database = makeTables()
  guardDatabase(database, path).close()
  database.close()
  const other = new (loadSqlite().DatabaseSync)(path)
  expect(() => other.exec(`INSERT INTO limits VALUES ('c', '1', 1, NULL)`)).toThrow(
    'no such function: lockstep_sum',
  )
  other.close()
})

test('a column added by a later release is included in the checksum', () => {
  const database = makeTables()
  guardDatabase(database, path).close()
  database.exec(`ALTER TABLE limits ADD COLUMN per TEXT DEFAULT 'week'`)
  guardDatabase(database, path).close()
  database.exec(`UPDATE limits SET per = 'month'`)
  database.close()
  expect(verify()).toBeUndefined()
  alter('month', 'monty')
  expect(verify()).toEqual(damaged('the rows of table limits are not those written'))
})

const FILES = ['some.db', 'some.db-wal', 'some.db.mark'] as const

/** Returns a function that restores the files as a kill would leave them, with the log not yet checkpointed. */
function killed(database: DatabaseSync): () => void {
  for (const name of FILES) copyFileSync(join(folder, name), join(folder, `${name}.killed`))
  database.close()
  return () => {
    for (const name of FILES) copyFileSync(join(folder, `${name}.killed`), join(folder, name))
  }
}

const LOST =
  /it has \d+ changes of rows, and \d+ were written: its end is lost, or it is an older copy/

test.each<[string, (wal: string) => void]>([
  ['is cut', (wal) => truncateSync(wal, readFileSync(wal).length - 5000)],
  [
    'has a flipped byte',
    (wal) => {
      const bytes = readFileSync(wal)
      const at = bytes.length - 2000
      bytes[at] = (bytes[at] as number) ^ 1
      writeFileSync(wal, bytes)
    },
  ],
  ['is gone', (wal) => rmSync(wal)],
])(
  'an SQLite log that %s is detected, although SQLite accepts it as a shorter one',
  (_, damage) => {
    const database = makeTables()
    const mark = guardDatabase(database, path)
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    for (let i = 0; i < 4; i++) {
      database.exec(`INSERT INTO limits VALUES ('${i}', '1', 1, zeroblob(3000))`)
      mark.note()
    }
    mark.close()
    const restore = killed(database)
    restore()
    expect(verify()).toBeUndefined()
    restore()
    damage(`${path}-wal`)
    expect(verify()).toEqual(damaged(LOST))
  },
)

test('an older copy of a database is refused until its marker is removed, and a damaged marker is ignored', () => {
  const database = makeTables()
  const mark = guardDatabase(database, path)
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  copyFileSync(path, `${path}.older`)
  change(database)
  mark.note()
  mark.close()
  database.close()
  copyFileSync(`${path}.older`, path)
  expect(verify()).toEqual(damaged(LOST))
  const whole = readFileSync(markPath(path))
  writeFileSync(markPath(path), whole.subarray(0, 9))
  expect(verify()).toBeUndefined()
  writeFileSync(markPath(path), whole)
  expect(verify()).toEqual(damaged(LOST))
  rmSync(markPath(path))
  expect(verify()).toBeUndefined()
})

test('a database that is missing, truncated or not a database is not recreated', () => {
  const database = makeTables()
  const mark = guardDatabase(database, path)
  change(database)
  mark.note()
  mark.close()
  database.close()
  truncateSync(path, 0)
  expect(verify()).toEqual(damaged(LOST))
  rmSync(path)
  expect(verify()).toEqual(damaged(LOST))
  writeFileSync(path, Buffer.alloc(8192, 7))
  expect(verify()).toEqual(damaged('file is not a database'))
})
