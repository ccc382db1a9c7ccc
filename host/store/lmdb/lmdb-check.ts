import { crc32 } from 'node:zlib'
import { LockstepError } from '../../base/error.ts'
import {
  LmdbPages,
  longAt,
  type MetaPage,
  PAGE_BYTES,
  PAGE_EXTENT,
  PAGE_FLAGS,
  PAGE_HEADER,
  readTreeHead,
  TREE_HEAD,
  type TreeHead,
} from './lmdb-pages.ts'
import { CHECKSUM_BYTES, checksumAt } from './row-checksum.ts'

const BRANCH = 1
const LEAF = 2
const OVERFLOW = 4

/** Before a node's key: size of the data, or page, 4; flags, or the page's rest, 2; size of the key 2. */
const NODE_HEADER = 8
const NODE_BIG = 1
const NODE_TREE = 2
/** Bytes of a reference to data on pages of its own, in the data's place: page 8, transaction 8, pages 8. */
const BIG_REFERENCE = 24
/** A tree of this depth would have more pages than a disk. */
const DEEPEST = 32

/** Bytes of a page behind its header. */
const ROOM = PAGE_BYTES - PAGE_HEADER

/** The table of the others' names. Its own says how rows are written: 2, with checksums. */
export const TABLE_LIST = 'tables-2'

/** The rows that a tree holds. */
export interface CheckedTable {
  readonly name: string
  readonly rows: number
}

/** A node of a leaf; `page` is used again for the next. */
interface LeafNode {
  readonly page: Buffer
  readonly key: number
  readonly keyLength: number
  readonly flags: number
  readonly dataLength: number
}

/** A key where it lies. */
interface NodeKey {
  readonly page: Buffer
  readonly at: number
  readonly length: number
}

type OnRow = (node: LeafNode) => void

/** Stands for a name in what is said of the list of free pages. */
const FREE_PAGES = 'of free pages'

interface Counts {
  branchPages: number
  leafPages: number
  overflowPages: number
  entries: number
}

/**
 * Reads a whole environment as its file holds it, without lmdb, which takes what pages say for granted and
 * ends the process by a signal where they say what cannot be. A file that it passes is a sound B-tree a table: every
 * page is used once, by a table or as a free one, keys ascend within the bounds that the pages above give
 * them, and each row has the checksum that it was written with.
 */
export class LmdbCheck {
  readonly #pages: LmdbPages
  readonly #meta: MetaPage
  /** A bit for each page that is used. */
  readonly #used: Uint8Array
  readonly #buffers: Buffer[] = []

  constructor(pages: LmdbPages) {
    this.#pages = pages
    this.#meta = pages.meta()
    const { lastPage } = this.#meta
    if (lastPage > 2 * (pages.size / PAGE_BYTES) + 2 ** 16) {
      throw pages.damage(`it is cut off: ${pages.size} bytes, it says it has ${lastPage + 1} pages`)
    }
    this.#used = new Uint8Array((lastPage >>> 3) + 1)
  }

  /** The tables by name, with a checksum on every row. @throws STORE_CORRUPTED */
  tables(): CheckedTable[] {
    const trees = this.#trees()
    if (trees.size > 0 && !trees.has(TABLE_LIST)) throw this.#formerFormat(trees)
    const checked: CheckedTable[] = []
    for (const [name, tree] of trees) {
      const { entries } = this.#walk(name, tree, (node) => {
        this.#checkRow(name, node)
        if (name === TABLE_LIST) this.#expectListed(trees, node)
      })
      checked.push({ name, rows: entries })
    }
    const lists: Buffer[] = []
    this.#walk(FREE_PAGES, this.#meta.free, (node) => lists.push(Buffer.from(this.#data(node))))
    for (const list of lists) this.#checkFree(list)
    return checked
  }

  #trees(): Map<string, TreeHead> {
    const trees = new Map<string, TreeHead>()
    this.#walk('tables', this.#meta.main, (node) => {
      const { page, key, keyLength, flags, dataLength } = node
      const name = page.toString('latin1', key, key + keyLength)
      if (flags !== NODE_TREE || dataLength !== TREE_HEAD) {
        throw this.#damage(`the head of table ${JSON.stringify(name)} is none`)
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
    if (!trees.has(name)) throw this.#damage(`table ${JSON.stringify(name)} is gone`)
  }

  #checkRow(table: string, node: LeafNode): void {
    const { page, key, keyLength, flags, dataLength } = node
    const keyEnd = key + keyLength
    const valueLength = dataLength - CHECKSUM_BYTES
    let isRight = false
    if (flags === 0 && valueLength >= 0) {
      // A key and its value lie behind one another.
      const end = keyEnd + valueLength
      isRight = crc32(page.subarray(key, end)) === checksumAt(page, end)
    } else if (flags === NODE_BIG && valueLength >= 0) {
      const data = this.#data(node)
      const before = crc32(page.subarray(key, keyEnd))
      isRight = crc32(data.subarray(0, valueLength), before) === checksumAt(data, valueLength)
    }
    if (isRight) return
    const hex = page.toString('hex', key, keyEnd)
    throw this.#damage(`row 0x${hex} of table ${table} does not match its checksum`)
  }

  /** The data of a node, wherever it lies. */
  #data({ page, key, keyLength, flags, dataLength }: LeafNode): Buffer {
    const at = key + keyLength
    if (flags !== NODE_BIG) return page.subarray(at, at + dataLength)
    const first = longAt(page, at)
    const bytes = Buffer.allocUnsafe(bigPages(dataLength) * PAGE_BYTES)
    this.#pages.read(first, bytes)
    if (
      longAt(bytes, 0) !== first ||
      bytes.readUInt16LE(PAGE_FLAGS) !== OVERFLOW ||
      bytes.readUInt32LE(PAGE_EXTENT) !== longAt(page, at + 16)
    ) {
      throw this.#damage(`page ${first} is not the first of a long row`)
    }
    return bytes.subarray(PAGE_HEADER, PAGE_HEADER + dataLength)
  }

  /** A list of pages: their count, then each, or the negative length of a run and its first. */
  #checkFree(list: Buffer): void {
    const words = list.length / 8
    const count = words < 1 ? 0 : longAt(list, 0)
    if (!Number.isInteger(words) || words < 1 || count + 1 > words) {
      throw this.#damage('a list of free pages is too short for what it says')
    }
    for (let i = 1; i <= count; i++) {
      const entry = list.readBigInt64LE(8 * i)
      if (entry === 0n) continue
      if (entry > 0n) {
        this.#use(Number(entry), 1)
        continue
      }
      i++
      if (i > count) throw this.#damage('a list of free pages ends in a run')
      this.#use(longAt(list, 8 * i), Number(-entry))
    }
  }

  /** Walks a tree and compares it with its head. */
  #walk(name: string, tree: TreeHead, onRow: OnRow): Counts {
    const counts: Counts = { branchPages: 0, leafPages: 0, overflowPages: 0, entries: 0 }
    if (tree.depth > DEEPEST || (tree.depth === 0) !== (tree.root === undefined)) {
      throw this.#damage(`table ${name} has ${tree.depth} levels`)
    }
    if (tree.root !== undefined) {
      this.#page(name, tree.root, tree.depth, undefined, undefined, counts, onRow)
    }
    const isAsStated =
      counts.branchPages === tree.branchPages &&
      counts.leafPages === tree.leafPages &&
      counts.overflowPages === tree.overflowPages &&
      counts.entries === tree.entries
    if (isAsStated) return counts
    throw this.#damage(
      `table ${name} has ${counts.entries} rows on ${counts.leafPages} pages, its head says ` +
        `${tree.entries} on ${tree.leafPages}`,
    )
  }

  /** A page `levels` above the rows' end, whose keys are from `low` on and below `high`. */
  #page(
    name: string,
    number: number,
    levels: number,
    low: NodeKey | undefined,
    high: NodeKey | undefined,
    counts: Counts,
    onRow: OnRow,
  ): void {
    const wrong = (what: string): LockstepError =>
      this.#damage(`page ${number} of table ${name} ${what}`)
    this.#use(number, 1)
    const page = this.#buffer(levels)
    this.#pages.read(number, page)
    const isLeaf = levels === 1
    const isFree = name === FREE_PAGES
    const lower = page.readUInt16LE(PAGE_EXTENT)
    const upper = page.readUInt16LE(PAGE_EXTENT + 2)
    if (
      longAt(page, 0) !== number ||
      longAt(page, 8) > this.#meta.transaction ||
      page.readUInt16LE(PAGE_FLAGS) !== (isLeaf ? LEAF : BRANCH) ||
      lower === 0 ||
      lower % 2 !== 0 ||
      lower > upper ||
      upper > ROOM
    ) {
      throw wrong('has a damaged header')
    }
    if (isLeaf) counts.leafPages++
    else counts.branchPages++
    const nodes = lower / 2
    let room = ROOM - upper
    let before = low
    for (let i = 0; i < nodes; i++) {
      const offset = page.readUInt16LE(PAGE_HEADER + 2 * i)
      const at = PAGE_HEADER + offset
      if (offset % 2 !== 0 || offset < upper || at + NODE_HEADER > PAGE_BYTES) {
        throw wrong(`has its row ${i} outside of it`)
      }
      const dataLength = page.readUInt32LE(at)
      const flags = page.readUInt16LE(at + 4)
      const keyLength = page.readUInt16LE(at + 6)
      const key = at + NODE_HEADER
      const inPage = !isLeaf ? 0 : flags === NODE_BIG ? BIG_REFERENCE : dataLength
      const size = NODE_HEADER + keyLength + inPage
      room -= size + (size % 2)
      if (at + size > PAGE_BYTES || room < 0) throw wrong(`has its row ${i} outside of it`)
      // A branch's first key is not compared: the page above bounds it.
      if (isLeaf || i > 0) {
        const now = { page, at: key, length: keyLength }
        const order = before === undefined ? 1 : compareKeys(now, before, isFree)
        const isLast = i + 1 === nodes
        const isBelow = !isLast || high === undefined || compareKeys(now, high, isFree) < 0
        if (order < 0 || (order === 0 && i > 0) || !isBelow) {
          throw wrong(`has its row ${i} out of order`)
        }
        before = now
      }
      if (!isLeaf) {
        const child = flags * 2 ** 32 + dataLength
        const next = i + 1 === nodes ? high : this.#keyAt(page, i + 1, number, name)
        this.#page(name, child, levels - 1, i === 0 ? low : before, next, counts, onRow)
        continue
      }
      counts.entries++
      if (flags === NODE_BIG) {
        // A row that was written over by a shorter one keeps its pages.
        const extent = longAt(page, key + keyLength + 16)
        if (extent < bigPages(dataLength)) {
          throw wrong(`has its row ${i} on a wrong number of pages`)
        }
        this.#use(longAt(page, key + keyLength), extent)
        counts.overflowPages += extent
      } else if (flags !== 0 && flags !== NODE_TREE) {
        throw wrong(`has its row ${i} of an unknown kind`)
      }
      onRow({ page, key, keyLength, flags, dataLength })
    }
    if (room !== 0) throw wrong('has room that no row takes')
  }

  /** The key of a node, which has not been checked yet. */
  #keyAt(page: Buffer, node: number, number: number, name: string): NodeKey {
    const at = PAGE_HEADER + page.readUInt16LE(PAGE_HEADER + 2 * node)
    const end = at + NODE_HEADER <= PAGE_BYTES ? at + NODE_HEADER + page.readUInt16LE(at + 6) : at
    if (end === at || end > PAGE_BYTES) {
      throw this.#damage(`page ${number} of table ${name} has its row ${node} outside of it`)
    }
    return { page, at: at + NODE_HEADER, length: end - at - NODE_HEADER }
  }

  /** Notes that pages are used. @throws STORE_CORRUPTED where one of them is already, or is none. */
  #use(first: number, count: number): void {
    const end = first + count
    if (!(first >= 2 && end <= this.#meta.lastPage + 1)) {
      throw this.#damage(`page ${first} is none of its ${this.#meta.lastPage + 1} pages`)
    }
    for (let page = first; page < end; page++) {
      const bit = 1 << (page & 7)
      const before = this.#used[page >>> 3] as number
      if ((before & bit) !== 0) throw this.#damage(`page ${page} is used twice`)
      this.#used[page >>> 3] = before | bit
    }
  }

  /** One for each level: the keys of a page bound those of the pages below it. */
  #buffer(level: number): Buffer {
    this.#buffers[level] ??= Buffer.alloc(PAGE_BYTES)
    return this.#buffers[level]
  }

  #damage(what: string): LockstepError {
    return this.#pages.damage(what)
  }
}

/** Pages that a long row takes. */
function bigPages(dataLength: number): number {
  return Math.floor((PAGE_HEADER - 1 + dataLength) / PAGE_BYTES) + 1
}

/** Keys of tables are compared as bytes, those of the list of free pages as integers. */
function compareKeys(a: NodeKey, b: NodeKey, isFree: boolean): number {
  if (isFree) {
    return a.length === 8 && b.length === 8 ? longAt(a.page, a.at) - longAt(b.page, b.at) : -1
  }
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) {
    const difference = (a.page[a.at + i] as number) - (b.page[b.at + i] as number)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

/** Checks the environment in `dir`, which nobody has open; undefined where there is none. @throws STORE_CORRUPTED */
export function checkEnvironment(dir: string): CheckedTable[] | undefined {
  const pages = LmdbPages.open(dir)
  if (pages === undefined) return undefined
  try {
    return new LmdbCheck(pages).tables()
  } finally {
    pages.close()
  }
}
