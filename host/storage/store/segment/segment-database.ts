import { existsSync, readdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Segment } from '../../table/segment.ts'
import { SegmentTable } from '../../table/segment-table.ts'
import { LmdbEnv, type LmdbTable } from '../lmdb/lmdb-env.ts'
import { Markers } from '../lmdb/markers.ts'
import type { SharedFiles } from '../state/shared-files.ts'
import type { OnScannedRows, StateDatabase, TableLoader } from '../state/state-backend.ts'
import type { TableName } from '../state/table-rows.ts'
import { cutSegment } from './segment-cut.ts'
import { SegmentLoader } from './segment-loader.ts'

/** A segment's file name: its table, and a number that is unique in the directory's history. */
const FILE = /^([a-z]+)-(\d+)\.seg$/

const NOTHING = new Uint8Array(0)
const TEXT_ENCODER = new TextEncoder()
const TEXT_DECODER = new TextDecoder('utf-8', { ignoreBOM: true })

function tableOf(path: string): TableName {
  return FILE.exec(basename(path))?.[1] as TableName
}

function numberOf(path: string): number {
  return Number(FILE.exec(basename(path))?.[2])
}

/**
 * A database of the state store: an LMDB environment that lists segments and holds the markers, with the segments'
 * files beside it. One transaction adds files to the database together with their heights. An unlisted file belongs
 * to interrupted work.
 */
export class SegmentDatabase implements StateDatabase {
  readonly dir: string
  readonly tables: readonly TableName[]
  readonly #env: LmdbEnv
  readonly #markers: Markers
  readonly #files: LmdbTable
  readonly #segments = new Map<TableName, SegmentTable>()
  readonly #shared: SharedFiles
  #nextNumber = 0
  #unlisted: readonly string[]

  /** @throws STORE_CORRUPTED if a listed file is missing or damaged, STORE_FULL. */
  constructor(dir: string, tables: readonly TableName[], shared: SharedFiles) {
    this.dir = dir
    this.tables = tables
    this.#shared = shared
    this.#env = new LmdbEnv(dir, { tables: ['markers', 'segments'] })
    this.#markers = new Markers(this.#env)
    this.#files = this.#env.table('segments')
    const listed = pathsIn(dir, this.#files)
    // While the split is on, the general member's older EVM tables stay closed.
    const opened = this.#openAll(listed.filter((path) => tables.includes(tableOf(path))))
    for (const table of tables) {
      const segments = opened.filter(({ path }) => tableOf(path) === table)
      this.#segments.set(table, new SegmentTable(segments))
    }
    this.#unlisted = this.#findUnlisted(new Set(listed))
  }

  /** Returns true if `dir` holds such a database. */
  static isIn(dir: string): boolean {
    return existsSync(join(dir, 'data.mdb'))
  }

  get latest(): number {
    return this.#markers.get('latest')
  }

  get earliest(): number {
    return this.#markers.get('earliest')
  }

  get hasHistory(): boolean {
    return this.latest > 0 || this.earliest > 0
  }

  marker(name: string): number {
    return this.#markers.get(name)
  }

  setMarker(name: string, height: number): void {
    this.#markers.set([[name, height]])
  }

  table(name: TableName): SegmentTable {
    const table = this.#segments.get(name)
    if (table === undefined) throw new RangeError(`database ${this.dir} has no table ${name}`)
    return table
  }

  raise(pruneHeight: number): void {
    this.#markers.raise(pruneHeight)
  }

  /** Returns the path of a file that does not exist yet. */
  newFile(table: TableName): string {
    return join(this.dir, `${table}-${String(this.#nextNumber++).padStart(8, '0')}.seg`)
  }

  /** Adds the files of a flush together with their markers. */
  install(paths: readonly string[], first: number, to: number, also: readonly string[]): void {
    const added = paths.map((path) => Segment.open(path))
    this.#markers.advance(first, to, also, () => {
      for (const { path } of added) this.#files.put(fileKey(path), NOTHING)
    })
    for (const segment of added) this.table(tableOf(segment.path)).replace([], segment)
  }

  /** Replaces the inputs of a compaction with its file, if one was written. */
  replace(table: TableName, inputs: readonly Segment[], path: string | undefined): void {
    const added = path === undefined ? undefined : Segment.open(path)
    this.#env.write(() => {
      if (added !== undefined) this.#files.put(fileKey(added.path), NOTHING)
      for (const segment of inputs) this.#files.remove(fileKey(segment.path))
    })
    this.table(table).replace(inputs, added)
    for (const segment of inputs) this.#shared.remove(segment.path)
  }

  loader(table: TableName, height: number): TableLoader {
    if (this.latest < 0) this.replace(table, this.table(table).segments, undefined)
    return new SegmentLoader(height, {
      newFile: () => this.newFile(table),
      install: (paths) => {
        const added = paths.map((path) => Segment.open(path))
        this.#env.write(() => {
          for (const { path } of added) this.#files.put(fileKey(path), NOTHING)
        })
        for (const segment of added) this.table(table).replace([], segment)
      },
    })
  }

  markLoaded(height: number, also: readonly string[]): void {
    const names = ['latest', 'earliest', ...also]
    this.#markers.set(names.map((name) => [name, height]))
  }

  async cut(
    height: number,
    also: readonly (readonly [string, number])[],
    onRows: OnScannedRows,
  ): Promise<void> {
    const removed: Segment[] = []
    const added: Segment[] = []
    for (const table of this.tables) {
      for (const segment of this.table(table).segments) {
        if (segment.summary.highest <= height) continue
        removed.push(segment)
        if (segment.summary.lowest > height) continue
        const path = this.newFile(table)
        if (await cutSegment(segment, path, height, onRows)) added.push(Segment.open(path))
      }
    }
    this.#markers.set([['latest', height], ...also], () => {
      for (const { path } of added) this.#files.put(fileKey(path), NOTHING)
      for (const { path } of removed) this.#files.remove(fileKey(path))
    })
    for (const segment of added) this.table(tableOf(segment.path)).replace([], segment)
    for (const segment of removed) {
      this.table(tableOf(segment.path)).replace([segment], undefined)
      this.#shared.remove(segment.path)
    }
  }

  removeLeftovers(): void {
    for (const path of this.#unlisted) rmSync(path, { force: true })
    this.#unlisted = []
  }

  async close(): Promise<void> {
    for (const table of this.#segments.values()) table.close()
    await this.#env.close()
  }

  #openAll(paths: readonly string[]): Segment[] {
    const opened: Segment[] = []
    try {
      for (const path of paths) opened.push(Segment.open(path))
    } catch (thrown) {
      for (const segment of opened) segment.release()
      void this.#env.close()
      throw thrown
    }
    return opened
  }

  #findUnlisted(listed: ReadonlySet<string>): string[] {
    const unlisted: string[] = []
    for (const name of readdirSync(this.dir)) {
      if (!FILE.test(name)) continue
      const path = join(this.dir, name)
      this.#nextNumber = Math.max(this.#nextNumber, numberOf(path) + 1)
      if (!listed.has(path)) unlisted.push(path)
    }
    return unlisted
  }
}

/** Returns the files that the database in `dir` lists. It opens and closes the database. @throws STORE_CORRUPTED */
export async function listedSegments(dir: string): Promise<readonly string[]> {
  const env = new LmdbEnv(dir)
  try {
    return pathsIn(dir, env.table('segments'))
  } finally {
    await env.close()
  }
}

function pathsIn(dir: string, files: LmdbTable): string[] {
  return Array.from(files.range({}), ({ key }) => join(dir, TEXT_DECODER.decode(key)))
}

function fileKey(path: string): Uint8Array {
  return TEXT_ENCODER.encode(basename(path))
}
