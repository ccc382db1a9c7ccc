import type { LmdbRows } from '../store/lmdb/lmdb-env.ts'
import type { StoreRoot } from './hash/app-hash.ts'
import type { IavlStore } from './iavl/iavl-store.ts'

/** The root of a store in one version, and the id of its root node; 0 if it has none. */
export interface StoredRoot extends StoreRoot {
  readonly node: number
}

export interface VersionTables {
  readonly versions: LmdbRows
  readonly dropped: LmdbRows
}

/** Bytes of a store besides its name: length of the name 2, node 8, root 32. */
const STORE_BYTES = 42
const NODE_BYTES = 8
/** Node ids per row: two such rows still fit an LMDB page. */
const NODES_A_ROW = 240

/**
 * The versions retained on disk: the roots of each, and the nodes that each dropped from the previous one. A node is
 * deleted with the last version that contains it, which is when the version that dropped it becomes the oldest.
 */
export class VersionRows {
  readonly #nodes: IavlStore
  readonly #versions: LmdbRows
  readonly #dropped: LmdbRows

  constructor({ versions, dropped }: VersionTables, nodes: IavlStore) {
    this.#nodes = nodes
    this.#versions = versions
    this.#dropped = dropped
  }

  /** The oldest version. */
  get earliest(): number | undefined {
    for (const { key } of this.#versions.range({ limit: 1 })) return versionOf(key)
    return undefined
  }

  /** Returns the stores of a version, or undefined if it is not retained. */
  read(version: number): StoredRoot[] | undefined {
    const row = this.#versions.get(versionKey(version))
    return row && decodeStores(row)
  }

  /** Writes a version above all others. Call this and every other write in a transaction. */
  append(version: number, stores: readonly StoredRoot[]): void {
    this.#versions.append(versionKey(version), encodeStores(stores))
  }

  /** Records nodes that a version dropped from a module's tree; versions ascend. */
  appendDropped(version: number, module: string, nodes: readonly number[]): void {
    for (let start = 0; start < nodes.length; start += NODES_A_ROW) {
      const key = droppedKey(version, module, start)
      this.#dropped.put(key, encodeNodes(nodes.slice(start, start + NODES_A_ROW)))
    }
  }

  /** Deletes versions below `pruneHeight` and the nodes that only they contain, about `limit` of each at most. */
  prune(pruneHeight: number, limit: number): void {
    const below = Array.from(
      this.#versions.range({ end: versionKey(pruneHeight), limit: limit + 1 }),
      ({ key }) => key,
    )
    const [next] = below.splice(limit)
    for (const key of below) this.#versions.remove(key)
    const oldest = next === undefined ? pruneHeight : versionOf(next)
    const rows = Array.from(
      this.#dropped.range({
        end: versionKey(oldest + 1),
        limit: Math.ceil(limit / NODES_A_ROW),
      }),
    )
    for (const { key, value } of rows) {
      const module = Buffer.from(key.subarray(8, -4)).toString()
      for (const node of decodeNodes(value)) this.#nodes.remove(module, node)
      this.#dropped.remove(key)
    }
  }
}

function versionKey(version: number): Uint8Array {
  const key = Buffer.alloc(8)
  key.writeBigUInt64BE(BigInt(version))
  return key
}

function versionOf(key: Uint8Array): number {
  return Number(viewOf(key).getBigUint64(0))
}

/** Version 8, module, number of the first node 4. */
function droppedKey(version: number, module: string, start: number): Uint8Array {
  const key = Buffer.alloc(12 + Buffer.byteLength(module))
  key.writeBigUInt64BE(BigInt(version))
  key.write(module, 8)
  key.writeUInt32BE(start, key.length - 4)
  return key
}

function encodeNodes(nodes: readonly number[]): Uint8Array {
  const row = new Uint8Array(NODE_BYTES * nodes.length)
  const view = viewOf(row)
  nodes.forEach((node, i) => void view.setBigUint64(NODE_BYTES * i, BigInt(node)))
  return row
}

function decodeNodes(row: Uint8Array): number[] {
  const view = viewOf(row)
  return Array.from({ length: row.length / NODE_BYTES }, (_, i) =>
    Number(view.getBigUint64(NODE_BYTES * i)),
  )
}

function encodeStores(stores: readonly StoredRoot[]): Uint8Array {
  const names = stores.map(({ name }) => Buffer.from(name))
  const length = names.reduce((sum, name) => sum + STORE_BYTES + name.length, 0)
  const row = new Uint8Array(length)
  const view = viewOf(row)
  let at = 0
  for (const [i, { root, node }] of stores.entries()) {
    const name = names[i] as Uint8Array
    view.setUint16(at, name.length)
    row.set(name, at + 2)
    at += 2 + name.length
    view.setBigUint64(at, BigInt(node))
    row.set(root, at + 8)
    at += 40
  }
  return row
}

function decodeStores(row: Uint8Array): StoredRoot[] {
  const view = viewOf(row)
  const stores: StoredRoot[] = []
  for (let at = 0; at < row.length; ) {
    const nameEnd = at + 2 + view.getUint16(at)
    stores.push({
      name: Buffer.from(row.subarray(at + 2, nameEnd)).toString(),
      node: Number(view.getBigUint64(nameEnd)),
      root: row.slice(nameEnd + 8, nameEnd + 40),
    })
    at = nameEnd + 40
  }
  return stores
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
}
