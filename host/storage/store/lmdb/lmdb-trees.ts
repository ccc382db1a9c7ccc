import type { LockstepError } from '../../../base/error.ts'
import {
  type LmdbPages,
  longAt,
  PAGE_BYTES,
  PAGE_EXTENT,
  PAGE_FLAGS,
  PAGE_HEADER,
  type TreeHead,
} from './lmdb-pages.ts'
import type { UsedPages } from './used-pages.ts'

const BRANCH = 1
const LEAF = 2
const OVERFLOW = 4

/** Bytes before a node's key: size of the data, or page, 4; flags, or the rest of the page, 2; size of the key 2. */
const NODE_HEADER = 8
export const NODE_BIG = 1
export const NODE_TREE = 2
/** Bytes of a reference to data on its own pages, stored instead of the data: page 8, transaction 8, pages 8. */
const BIG_REFERENCE = 24
/** A tree of this depth would have more pages than a disk. */
const DEEPEST = 32

/** Bytes of a page after its header. */
const ROOM = PAGE_BYTES - PAGE_HEADER

/** A node of a leaf. `page` is reused for the next one. */
export interface LeafNode {
  readonly page: Buffer
  readonly key: number
  readonly keyLength: number
  readonly flags: number
  readonly dataLength: number
}

/** Position of a key. */
interface NodeKey {
  readonly page: Buffer
  readonly at: number
  readonly length: number
}

type OnRow = (node: LeafNode) => void

/** The name of the list of free pages in errors. */
export const FREE_PAGES = 'of free pages'

interface Counts {
  branchPages: number
  leafPages: number
  overflowPages: number
  entries: number
}

/**
 * Walks the trees of an environment's file and checks their structure: every page is used once, keys ascend within
 * the bounds that the pages above give them, and counts match the tree's head.
 */
export class LmdbTrees {
  readonly #pages: LmdbPages
  readonly #used: UsedPages
  /** The latest transaction: no page may be of a later one. */
  readonly #transaction: number
  readonly #buffers: Buffer[] = []

  constructor(pages: LmdbPages, used: UsedPages, transaction: number) {
    this.#pages = pages
    this.#used = used
    this.#transaction = transaction
  }

  /** Walks a tree and compares it with its head. @returns the number of its rows. @throws STORE_CORRUPTED */
  walk(name: string, tree: TreeHead, onRow: OnRow): number {
    const counts: Counts = { branchPages: 0, leafPages: 0, overflowPages: 0, entries: 0 }
    if (tree.depth > DEEPEST || (tree.depth === 0) !== (tree.root === undefined)) {
      throw this.#pages.damage(`table ${name} has ${tree.depth} levels`)
    }
    if (tree.root !== undefined) {
      this.#page(name, tree.root, tree.depth, undefined, undefined, counts, onRow)
    }
    const isAsStated =
      counts.branchPages === tree.branchPages &&
      counts.leafPages === tree.leafPages &&
      counts.overflowPages === tree.overflowPages &&
      counts.entries === tree.entries
    if (isAsStated) return counts.entries
    throw this.#pages.damage(
      `table ${name} has ${counts.entries} rows on ${counts.leafPages} pages, its head says ` +
        `${tree.entries} on ${tree.leafPages}`,
    )
  }

  /** Checks a page `levels` above the leaves, whose keys must be at or above `low` and below `high`. */
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
      this.#pages.damage(`page ${number} of table ${name} ${what}`)
    this.#used.add(number, 1)
    const page = this.#buffer(levels)
    this.#pages.read(number, page)
    const isLeaf = levels === 1
    const isFree = name === FREE_PAGES
    const lower = page.readUInt16LE(PAGE_EXTENT)
    const upper = page.readUInt16LE(PAGE_EXTENT + 2)
    if (
      longAt(page, 0) !== number ||
      longAt(page, 8) > this.#transaction ||
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
        // A row that was overwritten by a shorter one keeps its pages.
        const extent = longAt(page, key + keyLength + 16)
        if (extent < bigPages(dataLength)) {
          throw wrong(`has its row ${i} on an invalid number of pages`)
        }
        this.#used.add(longAt(page, key + keyLength), extent)
        counts.overflowPages += extent
      } else if (flags !== 0 && flags !== NODE_TREE) {
        throw wrong(`has its row ${i} of an unknown kind`)
      }
      onRow({ page, key, keyLength, flags, dataLength })
    }
    if (room !== 0) throw wrong('has unused room between its rows')
  }

  /** Returns the key of a node that has not been checked yet. */
  #keyAt(page: Buffer, node: number, number: number, name: string): NodeKey {
    const at = PAGE_HEADER + page.readUInt16LE(PAGE_HEADER + 2 * node)
    const end = at + NODE_HEADER <= PAGE_BYTES ? at + NODE_HEADER + page.readUInt16LE(at + 6) : at
    if (end === at || end > PAGE_BYTES) {
      throw this.#pages.damage(`page ${number} of table ${name} has its row ${node} outside of it`)
    }
    return { page, at: at + NODE_HEADER, length: end - at - NODE_HEADER }
  }

  /** Returns the data of a node, in the page or on its own pages. */
  data({ page, key, keyLength, flags, dataLength }: LeafNode): Buffer {
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
      throw this.#pages.damage(`page ${first} is not the first of a long row`)
    }
    return bytes.subarray(PAGE_HEADER, PAGE_HEADER + dataLength)
  }

  /** One buffer per level: the keys of a page bound those of the pages below it. */
  #buffer(level: number): Buffer {
    this.#buffers[level] ??= Buffer.alloc(PAGE_BYTES)
    return this.#buffers[level]
  }
}

/** Returns the number of pages of a long row. */
function bigPages(dataLength: number): number {
  return Math.floor((PAGE_HEADER - 1 + dataLength) / PAGE_BYTES) + 1
}

/** Compares keys: as bytes in tables, as integers in the list of free pages. */
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
