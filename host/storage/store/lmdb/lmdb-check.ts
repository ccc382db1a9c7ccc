import { crc32 } from 'node:zlib'
import { LockstepError } from '../../../base/error.ts'
import { crcBehind } from '../../table/checksum.ts'
import {
  LmdbPages,
  longAt,
  type MetaPage,
  PAGE_BYTES,
  readTreeHead,
  TREE_HEAD,
  type TreeHead,
} from './lmdb-pages.ts'
import { FREE_PAGES, type LeafNode, LmdbTrees, NODE_BIG, NODE_TREE } from './lmdb-trees.ts'
import { CHECKSUM_BYTES, checksumAt } from './row-checksum.ts'
import { UsedPages } from './used-pages.ts'

/** The table that lists the others. Its name contains the row format: 2, with checksums. */
export const TABLE_LIST = 'tables-2'

/** The rows of a tree. */
export interface CheckedTable {
  readonly name: string
  readonly rows: number
}

/**
 * Reads the file of a whole environment without lmdb, which trusts its pages and crashes the process with a signal if
 * they are inconsistent. A file that passes holds one sound B-tree for each table: every page is used once, by a
 * table or as a free one. Keys ascend within the bounds that the pages above give them, and each row matches its
 * checksum.
 */
export class LmdbCheck {
  readonly #pages: LmdbPages
  readonly #meta: MetaPage
  readonly #used: UsedPages
  readonly #trees: LmdbTrees

  constructor(pages: LmdbPages) {
    this.#pages = pages
    this.#meta = pages.meta()
    const { lastPage, transaction } = this.#meta
    if (lastPage > 2 * (pages.size / PAGE_BYTES) + 2 ** 16) {
      throw pages.damage(
        `it is truncated: ${pages.size} bytes, its header says ${lastPage + 1} pages`,
      )
    }
    this.#used = new UsedPages(lastPage, (what) => pages.damage(what))
    this.#trees = new LmdbTrees(pages, this.#used, transaction)
  }

  /** Returns the tables by name, after it has checked the checksum of every row. @throws STORE_CORRUPTED */
  tables(): CheckedTable[] {
    const trees = this.#heads()
    if (trees.size > 0 && !trees.has(TABLE_LIST)) throw this.#formerFormat(trees)
    const checked: CheckedTable[] = []
    for (const [name, tree] of trees) {
      const rows = this.#trees.walk(name, tree, (node) => {
        this.#checkRow(name, node)
        if (name === TABLE_LIST) this.#expectListed(trees, node)
      })
      checked.push({ name, rows })
    }
    const lists: Buffer[] = []
    this.#trees.walk(FREE_PAGES, this.#meta.free, (node) =>
      lists.push(Buffer.from(this.#trees.data(node))),
    )
    for (const list of lists) this.#checkFree(list)
    return checked
  }

  #heads(): Map<string, TreeHead> {
    const trees = new Map<string, TreeHead>()
    this.#trees.walk('tables', this.#meta.main, (node) => {
      const { page, key, keyLength, flags, dataLength } = node
      const name = page.toString('latin1', key, key + keyLength)
      if (flags !== NODE_TREE || dataLength !== TREE_HEAD) {
        throw this.#damage(`the head of table ${JSON.stringify(name)} is invalid`)
      }
      trees.set(name.replace(/\0$/, ''), readTreeHead(page, key + keyLength))
    })
    return trees
  }

  #formerFormat(trees: ReadonlyMap<string, TreeHead>): LockstepError {
    const names = [...trees.keys()].map((name) => JSON.stringify(name)).join(', ')
    return new LockstepError(
      'STORE_CORRUPTED',
      `${this.#pages.path} has no table ${TABLE_LIST} (but ${names}): it was written by an earlier ` +
        'release, without checksums, or is damaged',
      {
        hint:
          'export a snapshot with the release that wrote it and import that into a new home, or sync ' +
          'the chain again',
        data: { path: this.#pages.path },
      },
    )
  }

  #expectListed(trees: ReadonlyMap<string, TreeHead>, { page, key, keyLength }: LeafNode): void {
    const name = page.toString('latin1', key, key + keyLength)
    if (!trees.has(name)) throw this.#damage(`table ${JSON.stringify(name)} is missing`)
  }

  #checkRow(table: string, node: LeafNode): void {
    const { page, key, keyLength, flags, dataLength } = node
    const keyEnd = key + keyLength
    const valueLength = dataLength - CHECKSUM_BYTES
    let isRight = false
    if (flags === 0 && valueLength >= 0) {
      // A key and its value are adjacent.
      const end = keyEnd + valueLength
      isRight = crc32(page.subarray(key, end)) === checksumAt(page, end)
    } else if (flags === NODE_BIG && valueLength >= 0) {
      const data = this.#trees.data(node)
      const before = crc32(page.subarray(key, keyEnd))
      isRight = crcBehind(before, data.subarray(0, valueLength)) === checksumAt(data, valueLength)
    }
    if (isRight) return
    const hex = page.toString('hex', key, keyEnd)
    throw this.#damage(`row 0x${hex} of table ${table} does not match its checksum`)
  }

  /** A list of pages: their count, then each page, or the negative length of a run and its first page. */
  #checkFree(list: Buffer): void {
    const words = list.length / 8
    const count = words < 1 ? 0 : longAt(list, 0)
    if (!Number.isInteger(words) || words < 1 || count + 1 > words) {
      throw this.#damage('a list of free pages is shorter than its count')
    }
    for (let i = 1; i <= count; i++) {
      const entry = list.readBigInt64LE(8 * i)
      if (entry === 0n) continue
      if (entry > 0n) {
        this.#used.add(Number(entry), 1)
        continue
      }
      i++
      if (i > count) throw this.#damage('a list of free pages ends within a run')
      this.#used.add(longAt(list, 8 * i), Number(-entry))
    }
  }

  #damage(what: string): LockstepError {
    return this.#pages.damage(what)
  }
}

/**
 * Checks the environment in `dir`, which must not be open anywhere. Returns undefined if there is none. @throws
 * STORE_CORRUPTED
 */
export function checkEnvironment(dir: string): CheckedTable[] | undefined {
  const pages = LmdbPages.open(dir)
  if (pages === undefined) return undefined
  try {
    return new LmdbCheck(pages).tables()
  } finally {
    pages.close()
  }
}
