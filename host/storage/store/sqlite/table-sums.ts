import { createHash } from 'node:crypto'
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'

/**
 * SQLite has no checksums, so a flipped byte goes unnoticed. Each table therefore has a sum, the SHA-256 of its rows
 * combined by XOR. Triggers update it in the transaction that changes rows. Recomputing the sum at the next start
 * detects rows that were lost or altered on disk. This finds damage; it is not a MAC.
 */
const SCHEMA = `
CREATE TABLE IF NOT EXISTS table_sums (
  name TEXT PRIMARY KEY,
  -- JSON of the names of the columns that the sum covers
  columns TEXT NOT NULL,
  rows INTEGER NOT NULL,
  -- how often a row was added, changed or removed; never goes back
  changes INTEGER NOT NULL,
  sum BLOB NOT NULL
) STRICT, WITHOUT ROWID`

const SUM_BYTES = 32

/** The function that triggers call; a program without it cannot write to the tables. */
const FUNCTION = 'lockstep_sum'

const TRIGGERS = ['insert', 'update', 'delete'] as const

interface TableSum {
  readonly rows: number
  readonly sum: Uint8Array
}

interface SumRow extends TableSum {
  readonly name: string
  readonly columns: string
}

function tagOf(value: SQLOutputValue): string {
  if (value === null) return '-'
  return typeof value === 'object' ? 'b' : typeof value === 'string' ? 't' : 'n'
}

/** Adds a row to the sum, or removes it again. */
function combine(sum: Uint8Array, values: readonly SQLOutputValue[]): Uint8Array {
  const hash = createHash('sha256')
  for (const value of values) {
    const bytes = value instanceof Uint8Array ? value : Buffer.from(String(value))
    hash.update(`${tagOf(value)}${bytes.length} `).update(bytes)
  }
  const combined = hash.digest()
  for (let i = 0; i < SUM_BYTES; i++) combined[i] = (combined[i] as number) ^ (sum[i] ?? 0)
  return combined
}

/** Registers the function that the triggers call, which each writing connection needs. */
export function registerSums(database: DatabaseSync): void {
  database.function(FUNCTION, { varargs: true, deterministic: true }, (sum, ...values) =>
    combine(sum as Uint8Array, values),
  )
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

function tablesOf(database: DatabaseSync): string[] {
  return database
    .prepare(`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`)
    .all()
    .map(({ name }) => name as string)
}

function columnsOf(database: DatabaseSync, table: string): string[] {
  return database
    .prepare('SELECT name FROM pragma_table_info(?) ORDER BY cid')
    .all(table)
    .map(({ name }) => name as string)
}

function sumOf(database: DatabaseSync, table: string, columns: readonly string[]): TableSum {
  let rows = 0
  let sum: Uint8Array = new Uint8Array(SUM_BYTES)
  const text = `SELECT ${columns.map(quoted).join(', ')} FROM ${quoted(table)}`
  for (const row of database.prepare(text).iterate()) {
    sum = combine(sum, Object.values(row as Record<string, SQLOutputValue>))
    rows++
  }
  return { rows, sum }
}

function triggerName(table: string, event: (typeof TRIGGERS)[number]): string {
  return quoted(`sum_${table}_${event}`)
}

function setTriggers(database: DatabaseSync, table: string, columns: readonly string[]): void {
  const of = (row: 'OLD' | 'NEW') => columns.map((column) => `${row}.${quoted(column)}`).join(', ')
  const without = `${FUNCTION}(sum, ${of('OLD')})`
  const changes = {
    insert: `rows = rows + 1, sum = ${FUNCTION}(sum, ${of('NEW')})`,
    update: `sum = ${FUNCTION}(${without}, ${of('NEW')})`,
    delete: `rows = rows - 1, sum = ${without}`,
  }
  for (const event of TRIGGERS) {
    const name = triggerName(table, event)
    database.exec(`DROP TRIGGER IF EXISTS ${name}`)
    database.exec(
      `CREATE TRIGGER ${name} AFTER ${event} ON ${quoted(table)} BEGIN
         UPDATE table_sums SET changes = changes + 1, ${changes[event]}
           WHERE name = '${table.replaceAll("'", "''")}';
       END`,
    )
  }
}

/** Stored instead of a sum if the rows are checked in another way; only the names of the columns are recorded. */
const NO_SUM = new Uint8Array(0)

/**
 * Creates sums for tables that have none, or whose columns changed. Rows that an earlier release wrote are trusted.
 * @param except - Tables whose rows are checked in another way.
 */
export function sumTables(database: DatabaseSync, except: readonly string[]): void {
  const others = ['table_sums', 'sqlite_sequence']
  database.exec('BEGIN IMMEDIATE')
  try {
    database.exec(SCHEMA)
    const known = database.prepare('SELECT columns FROM table_sums WHERE name = ?')
    const put = database.prepare(
      `INSERT INTO table_sums VALUES (?, ?, ?, 0, ?)
         ON CONFLICT DO UPDATE SET columns = excluded.columns, rows = excluded.rows, sum = excluded.sum`,
    )
    for (const table of tablesOf(database).filter((name) => !others.includes(name))) {
      const columns = columnsOf(database, table)
      const text = JSON.stringify(columns)
      if (known.get(table)?.columns === text) continue
      if (except.includes(table)) {
        put.run(table, text, 0, NO_SUM)
        continue
      }
      const { rows, sum } = sumOf(database, table, columns)
      put.run(table, text, rows, sum)
      setTriggers(database, table, columns)
    }
    database.exec('COMMIT')
  } catch (thrown) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw thrown
  }
}

function parseColumns(text: string): readonly string[] | undefined {
  try {
    return JSON.parse(text) as string[]
  } catch {
    return undefined
  }
}

/** Returns true if a row of the table has an integer above 2^53 - 1, which makes each query fail that reads the row. */
function hasUnreadableNumber(
  database: DatabaseSync,
  table: string,
  columns: readonly string[],
): boolean {
  const largest = Number.MAX_SAFE_INTEGER
  const isUnreadable = columns
    .map(quoted)
    .map((name) => `typeof(${name}) = 'integer' AND ${name} NOT BETWEEN -${largest} AND ${largest}`)
  const text = `SELECT 1 FROM ${quoted(table)} WHERE ${isUnreadable.join(' OR ')} LIMIT 1`
  return database.prepare(text).get() !== undefined
}

/** Returns what is wrong with the tables that have a sum, or undefined if each matches it. */
export function findAlteredTable(database: DatabaseSync): string | undefined {
  const tables = new Set(tablesOf(database))
  if (!tables.has('table_sums')) return undefined
  const known = database.prepare('SELECT * FROM table_sums').all() as unknown as SumRow[]
  for (const { name, columns, rows, sum } of known) {
    if (!tables.has(name)) return `table ${name} is missing`
    const wanted = parseColumns(columns)
    if (wanted === undefined) return `the columns of table ${name} cannot be read`
    const there = columnsOf(database, name)
    const lost = wanted.find((column) => !there.includes(column))
    if (lost !== undefined) return `table ${name} has no column ${lost}`
    if (hasUnreadableNumber(database, name, wanted))
      return `table ${name} has a number that was not written`
    if (sum.length === NO_SUM.length) continue
    const found = sumOf(database, name, wanted)
    if (found.rows !== rows) return `table ${name} has ${found.rows} rows, ${rows} were written`
    if (!Buffer.from(sum).equals(found.sum))
      return `the rows of table ${name} are not those written`
  }
  return undefined
}

/** Returns the number of row changes of the database. */
export function countChanges(database: DatabaseSync): number {
  if (!tablesOf(database).includes('table_sums')) return 0
  const row = database.prepare('SELECT coalesce(sum(changes), 0) AS total FROM table_sums').get()
  return Number(row?.total)
}
