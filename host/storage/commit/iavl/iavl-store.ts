import { LockstepError } from '../../../base/error.ts'
import { requireCount, requireLength, unwritable } from '../../../base/writable.ts'
import type { LmdbReads, LmdbRows } from '../../store/lmdb/lmdb-env.ts'
import type { IavlNode } from './iavl.ts'

/** Bytes of a node before its key: height 1, version 8, size 8, left 8, right 8, key length 4. */
const HEADER = 37
const HASH = 32

/** A node as its row stores it, with the ids of its children; 0 if it has none. */
export interface IavlRow {
  readonly key: Uint8Array
  /** Value of a leaf. */
  readonly value: Uint8Array | undefined
  readonly version: number
  /** 0 for a leaf. */
  readonly height: number
  /** Leaves of the subtree, including the node itself. */
  readonly size: number
  readonly left: number
  readonly right: number
  readonly hash: Uint8Array
}

/** Returns the node `id` of a module's tree. @throws STORE_CORRUPTED if it is missing. */
export function readIavlRow(rows: LmdbReads, module: string, id: number): IavlRow {
  const row = rows.get(rowKey(module, id))
  if (row === undefined || row.length < HEADER) {
    throw new LockstepError('STORE_CORRUPTED', `state commit: node ${id} of ${module} is missing`)
  }
  const view = new DataView(row.buffer, row.byteOffset, row.length)
  const height = view.getUint8(0)
  const keyEnd = HEADER + view.getUint32(33)
  const bodyEnd = row.length - HASH
  return {
    key: row.slice(HEADER, keyEnd),
    value: height === 0 ? row.slice(keyEnd, bodyEnd) : undefined,
    version: Number(view.getBigUint64(1)),
    height,
    size: Number(view.getBigUint64(9)),
    left: Number(view.getBigUint64(17)),
    right: Number(view.getBigUint64(25)),
    hash: row.slice(bodyEnd),
  }
}

/**
 * Yields the nodes of the subtree of node `id` in post-order: children before their parent, the left one first. An id
 * of 0 yields nothing.
 */
export function* iavlNodes(rows: LmdbReads, module: string, id: number): Generator<IavlRow, void> {
  const path: { readonly row: IavlRow; visited: boolean }[] = []
  const enter = (child: number): void => {
    path.push({ row: readIavlRow(rows, module, child), visited: false })
  }
  if (id !== 0) enter(id)
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    if (top.visited || top.row.height === 0) {
      path.pop()
      yield top.row
      continue
    }
    top.visited = true
    enter(top.row.right)
    enter(top.row.left)
  }
}

/** Writes the node `id` of a module's tree. Call it in a transaction. */
export function writeIavlRow(rows: LmdbRows, module: string, id: number, node: IavlRow): void {
  rows.put(rowKey(module, id), encodeRow(node))
}

/** Nodes of all trees by module and id, one row each. */
export class IavlStore {
  readonly #rows: LmdbRows

  constructor(rows: LmdbRows) {
    this.#rows = rows
  }

  /** Returns one node. @throws STORE_CORRUPTED if it is missing. */
  read(module: string, id: number): IavlRow {
    return readIavlRow(this.#rows, module, id)
  }

  /** Loads the whole subtree of a node. @throws STORE_CORRUPTED if a node is missing. */
  load(module: string, id: number): IavlNode {
    const row = this.read(module, id)
    const isLeaf = row.height === 0
    return {
      ...row,
      left: isLeaf ? undefined : this.load(module, row.left),
      right: isLeaf ? undefined : this.load(module, row.right),
      id,
    }
  }

  /**
   * Writes the nodes below `node` that have no row, children first, with ids from `next` on. The nodes must be
   * hashed. Call it in a transaction.
   * @returns the next free id.
   */
  save(module: string, node: IavlNode, next: number): number {
    if (node.id !== 0) return next
    let free = next
    if (node.left !== undefined) free = this.save(module, node.left, free)
    if (node.right !== undefined) free = this.save(module, node.right, free)
    node.id = free
    writeIavlRow(this.#rows, module, free, {
      ...node,
      left: node.left?.id ?? 0,
      right: node.right?.id ?? 0,
      hash: node.hash as Uint8Array,
    })
    return free + 1
  }

  /** Deletes the row of a node that no retained version contains. Call it in a transaction. */
  remove(module: string, id: number): void {
    this.#rows.remove(rowKey(module, id))
  }
}

function rowKey(module: string, id: number): Uint8Array {
  const key = Buffer.alloc(Buffer.byteLength(module) + 9)
  key.write(module)
  key.writeBigUInt64BE(BigInt(id), key.length - 8)
  return key
}

function encodeRow(node: IavlRow): Uint8Array {
  requireCount(node.height, 'the height of a node', 255)
  for (const number of [node.version, node.size, node.left, node.right]) {
    requireCount(number, 'a number of a node')
  }
  requireLength(node.hash, HASH, 'the hash of a node')
  if ((node.value === undefined) !== node.height > 0) {
    throw unwritable('a node', 'a leaf has height 0 and a value')
  }
  const value = node.value ?? new Uint8Array(0)
  const row = new Uint8Array(HEADER + node.key.length + value.length + HASH)
  const view = new DataView(row.buffer)
  view.setUint8(0, node.height)
  view.setBigUint64(1, BigInt(node.version))
  view.setBigUint64(9, BigInt(node.size))
  view.setBigUint64(17, BigInt(node.left))
  view.setBigUint64(25, BigInt(node.right))
  view.setUint32(33, node.key.length)
  row.set(node.key, HEADER)
  row.set(value, HEADER + node.key.length)
  row.set(node.hash, row.length - HASH)
  return row
}
