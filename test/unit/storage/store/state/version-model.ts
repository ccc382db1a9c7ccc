import { expect } from 'vitest'
import { isZero } from '../../../../../host/base/bytes.ts'
import type { Changeset } from '../../../../../host/evm/state/changeset.ts'
import type { StateDatabase } from '../../../../../host/storage/store/state/state-backend.ts'
import { type TableName, writeRows } from '../../../../../host/storage/store/state/table-rows.ts'
import type { Version } from '../../../../../host/storage/table/version.ts'

function text(key: Uint8Array): string {
  return Buffer.from(key).toString('latin1')
}

function bytes(key: string): Uint8Array {
  return new Uint8Array(Buffer.from(key, 'latin1'))
}

/** Ten thousand calls of `expect` would take a minute. */
function isSame(found: Version | undefined, expected: [number, Uint8Array] | undefined): boolean {
  if (found === undefined || expected === undefined) return found === expected
  return found.height === expected[0] && Buffer.compare(found.value, expected[1]) === 0
}

/** Every version of every table in plain maps, latest last. */
export class VersionModel {
  readonly #tables = new Map<TableName, Map<string, Map<number, Uint8Array>>>()
  latest = -1

  apply(changeset: Changeset): void {
    const { height } = changeset
    const put = (table: TableName, key: Uint8Array, value: Uint8Array): void => {
      const rows = this.#rows(table)
      const versions = rows.get(text(key)) ?? new Map<number, Uint8Array>()
      versions.set(height, new Uint8Array(value))
      rows.set(text(key), versions)
    }
    writeRows(changeset, {
      packed(table, { bytes, width, keyLength }) {
        for (let start = 0; start < bytes.length; start += width) {
          const value = start + keyLength
          const end = start + width
          const last = isZero(bytes, value, end) ? value : end
          put(table, bytes.subarray(start, value), bytes.subarray(value, last))
        }
      },
      row: (table, { key, value }) => put(table, key, value),
    })
    this.latest = height
  }

  /** Returns the keys that have a version at or below `height`, in byte order. */
  keys(table: TableName, height = this.latest): string[] {
    const rows = [...this.#rows(table)].filter(
      ([, versions]) => Math.min(...versions.keys()) <= height,
    )
    return rows.map(([key]) => key).sort()
  }

  find(table: TableName, key: string, height: number): [number, Uint8Array] | undefined {
    const versions = [...(this.#rows(table).get(key) ?? [])]
    return versions.findLast(([written]) => written <= height)
  }

  /** Returns the number of versions of a table that reads from `pruneHeight` to `latest` can reach. */
  reached(table: TableName, pruneHeight: number): number {
    let count = 0
    for (const versions of this.#rows(table).values()) {
      const below = [...versions].findLast(([height]) => height <= pruneHeight)
      if (below !== undefined && below[1].length > 0) count++
      for (const height of versions.keys()) if (height > pruneHeight) count++
    }
    return count
  }

  /**
   * Compares what `database` finds at the heights from..to. A pruned table may have dropped a tombstone that hides
   * nothing older: its key reads as deleted either way.
   */
  expectDatabase(database: StateDatabase, from: number, to: number, isPruned = false): void {
    for (const name of database.tables) {
      for (const key of this.keys(name)) {
        for (let height = from; height <= to; height++) {
          const expected = this.find(name, key, height)
          const found = database.table(name).find(bytes(key), height)
          if (isPruned && found === undefined && expected?.[1].length === 0) continue
          if (isSame(found, expected)) continue
          const where = `${name} ${Buffer.from(key, 'latin1').toString('hex')} at ${height}`
          expect(found && [found.height, new Uint8Array(found.value)], where).toEqual(expected)
        }
      }
    }
  }

  /** Compares the keys of every table, in both directions, in full and between several pairs of bounds. */
  expectKeys(database: StateDatabase): void {
    for (const name of database.tables) {
      const all = this.keys(name, database.latest)
      const apart = Math.ceil(all.length / 6)
      const bounds = ['\0', ...all.filter((_, i) => i % apart === 0), '\xff\xff']
      for (const [i, start] of bounds.entries()) {
        for (const end of bounds.slice(i)) {
          const expected = all.filter((key) => key >= start && key < end)
          const read = (reverse: boolean): string[] =>
            [...database.table(name).keys(bytes(start), bytes(end), reverse)].map(text)
          expect(read(false), `${name} ${start} to ${end}`).toEqual(expected)
          expect(read(true), `${name} ${end} to ${start}`).toEqual(expected.toReversed())
        }
      }
    }
  }

  #rows(table: TableName): Map<string, Map<number, Uint8Array>> {
    const rows = this.#tables.get(table) ?? new Map<string, Map<number, Uint8Array>>()
    this.#tables.set(table, rows)
    return rows
  }
}
