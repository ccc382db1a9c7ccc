import {
  LmdbPages,
  longAt,
  PAGE_BYTES,
  PAGE_EXTENT,
  PAGE_FLAGS,
  PAGE_HEADER,
  readTreeHead,
  TREE_HEAD,
  type TreeHead,
} from './lmdb-pages.ts'
import { NODE_BIG, NODE_TREE } from './lmdb-trees.ts'
import { unsealValue } from './row-checksum.ts'

const BRANCH = 1
const LEAF = 2
const NODE_HEADER = 8
const DEEPEST = 32
/** Bytes of the number of the first page of a large row. */
const PAGE_NUMBER = 8

/** The position and header of a page's node. */
interface PageNode {
  readonly key: Buffer
  readonly flags: number
  /** Size of the data in a leaf; in a branch the lower half of the page number, with the upper half in `flags`. */
  readonly size: number
  readonly dataAt: number
}

/** A row that was found. */
export interface PeekedRow {
  readonly key: Uint8Array
  readonly value: Uint8Array
}

/**
 * Reads single rows from an environment's file without lmdb, writing and locking nothing. A damaged file is an error,
 * whether a node has it open or not. During a write, pages may change while they are read, so an error then means
 * nothing.
 */
export class LmdbPeek {
  readonly #pages: LmdbPages
  readonly #main: TreeHead

  /** @returns undefined if there is no environment. @throws STORE_CORRUPTED, errors of the file system */
  static open(dir: string): LmdbPeek | undefined {
    const pages = LmdbPages.open(dir)
    if (pages === undefined) return undefined
    try {
      return new LmdbPeek(pages)
    } catch (thrown) {
      pages.close()
      throw thrown
    }
  }

  private constructor(pages: LmdbPages) {
    this.#pages = pages
    this.#main = pages.meta().main
  }

  /** Returns the row of a key, or undefined if the table or the row does not exist. @throws STORE_CORRUPTED */
  get(table: string, key: Uint8Array): Uint8Array | undefined {
    const tree = this.#tree(table)
    const row = tree && this.#find(tree, Buffer.from(key))
    return row?.value
  }

  /** Returns the row of the highest key. @throws STORE_CORRUPTED */
  last(table: string): PeekedRow | undefined {
    const tree = this.#tree(table)
    return tree && this.#find(tree, undefined)
  }

  close(): void {
    this.#pages.close()
  }

  #tree(table: string): TreeHead | undefined {
    for (const name of [table, `${table}\0`]) {
      const found = this.#leaf(this.#main, Buffer.from(name, 'latin1'))
      if (found === undefined) continue
      const { page, node } = found
      const isHead = node.flags === NODE_TREE && node.size === TREE_HEAD
      if (!isHead || node.dataAt + TREE_HEAD > PAGE_BYTES) {
        throw this.#pages.damage(`the head of table ${table} is invalid`)
      }
      return readTreeHead(page, node.dataAt)
    }
    return undefined
  }

  #find(tree: TreeHead, key: Buffer | undefined): PeekedRow | undefined {
    const found = this.#leaf(tree, key)
    if (found === undefined) return undefined
    const { page, node } = found
    const sealed = this.#data(page, node)
    const value = unsealValue(node.key, sealed)
    if (value !== undefined)
      return { key: Uint8Array.from(node.key), value: Uint8Array.from(value) }
    throw this.#pages.damage(`row 0x${node.key.toString('hex')} does not match its checksum`)
  }

  /** Returns the leaf node of a key, or the last leaf node. */
  #leaf(tree: TreeHead, key: Buffer | undefined): { page: Buffer; node: PageNode } | undefined {
    if (tree.root === undefined) return undefined
    if (tree.depth < 1 || tree.depth > DEEPEST)
      throw this.#pages.damage(`a table has ${tree.depth} levels`)
    let number = tree.root
    for (let level = tree.depth; ; level--) {
      const page = Buffer.alloc(PAGE_BYTES)
      this.#pages.read(number, page)
      const nodes = this.#nodes(page, number, level === 1 ? LEAF : BRANCH)
      if (level === 1) {
        const node =
          key === undefined ? nodes.at(-1) : nodes.find((each) => each.key.compare(key) === 0)
        return node && { page, node }
      }
      // The key of a branch's first child is not stored: it is below all others.
      const above = nodes.findIndex(
        (each, i) => i > 0 && key !== undefined && each.key.compare(key) > 0,
      )
      const child = nodes.at(above === -1 ? -1 : above - 1)
      if (child === undefined) throw this.#pages.damage(`page ${number} is empty`)
      number = child.flags * 2 ** 32 + child.size
    }
  }

  #nodes(page: Buffer, number: number, kind: number): PageNode[] {
    const lower = page.readUInt16LE(PAGE_EXTENT)
    const isPage = longAt(page, 0) === number && page.readUInt16LE(PAGE_FLAGS) === kind
    if (!isPage || lower % 2 !== 0 || PAGE_HEADER + lower > PAGE_BYTES) {
      throw this.#pages.damage(`page ${number} has a damaged header`)
    }
    return Array.from({ length: lower / 2 }, (_, i) => {
      const at = PAGE_HEADER + page.readUInt16LE(PAGE_HEADER + 2 * i)
      const keyAt = at + NODE_HEADER
      const keyEnd = keyAt <= PAGE_BYTES ? keyAt + page.readUInt16LE(at + 6) : PAGE_BYTES + 1
      if (keyEnd > PAGE_BYTES)
        throw this.#pages.damage(`page ${number} has its row ${i} outside of it`)
      return {
        key: page.subarray(keyAt, keyEnd),
        flags: page.readUInt16LE(at + 4),
        size: page.readUInt32LE(at),
        dataAt: keyEnd,
      }
    })
  }

  #data(page: Buffer, { flags, size, dataAt }: PageNode): Uint8Array {
    if (flags !== NODE_BIG) {
      if (dataAt + size > PAGE_BYTES) throw this.#pages.damage('a row ends outside of its page')
      return page.subarray(dataAt, dataAt + size)
    }
    if (dataAt + PAGE_NUMBER > PAGE_BYTES)
      throw this.#pages.damage('a row ends outside of its page')
    const first = longAt(page, dataAt)
    if (size > this.#pages.size) throw this.#pages.damage('a row is longer than the file')
    const bytes = Buffer.alloc(Math.ceil((PAGE_HEADER + size) / PAGE_BYTES) * PAGE_BYTES)
    this.#pages.read(first, bytes)
    return bytes.subarray(PAGE_HEADER, PAGE_HEADER + size)
  }
}
