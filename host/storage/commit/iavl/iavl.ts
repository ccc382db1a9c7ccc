import { hash } from 'node:crypto'
import { compareBytes, EMPTY_BYTES } from '../../../base/bytes.ts'
import type { KeyWrite } from '../../../evm/state/changeset.ts'
import type { CommitHasher, IavlInnerNode, IavlLeaf } from '../hash/commit-hasher.ts'

/** Root hash of an empty tree: SHA-256 of nothing. */
const EMPTY_ROOT = new Uint8Array(hash('sha256', EMPTY_BYTES, 'buffer'))

/**
 * A node of an IAVL tree. Nodes of a committed version never change: a later version copies those on its path. `key`
 * is the leaf's key; for an inner node it is the smallest key of its right subtree.
 */
export interface IavlNode {
  key: Uint8Array
  /** Value of a leaf. */
  readonly value: Uint8Array | undefined
  readonly version: number
  /** 0 for a leaf. */
  height: number
  /** Leaves of the subtree, including the node itself. */
  size: number
  left: IavlNode | undefined
  right: IavlNode | undefined
  hash: Uint8Array | undefined
  /** Id of its row on disk; 0 if it has none yet. */
  id: number
}

/** A version of a tree, and the nodes of the previous version that it no longer contains. */
export interface IavlChange {
  readonly root: IavlNode | undefined
  readonly orphans: readonly IavlNode[]
}

/** Returns the tree after `writes`, applied in order, as version `version`. `root` is unchanged. */
export function writeIavl(
  root: IavlNode | undefined,
  version: number,
  writes: readonly KeyWrite[],
): IavlChange {
  const writer = new IavlWriter(version)
  let changed = root
  for (const { key, value } of writes) {
    changed = value === undefined ? writer.remove(changed, key) : writer.set(changed, key, value)
  }
  return { root: changed, orphans: writer.orphans }
}

/** Returns the root hash of the tree, 32 bytes. It hashes the nodes that have no hash yet, leaves first. */
export function iavlRoot(root: IavlNode | undefined, hasher: CommitHasher): Uint8Array {
  if (root === undefined) return EMPTY_ROOT
  if (root.hash !== undefined) return root.hash
  const levels: IavlNode[][] = []
  collectUnhashed(root, levels)
  for (const [height, nodes = []] of levels.entries()) {
    if (nodes.length === 0) continue
    const hashes =
      height === 0
        ? hasher.iavlLeafHashes(nodes.map(leafFields))
        : hasher.iavlInnerHashes(nodes.map(innerFields))
    for (const [i, node] of nodes.entries()) node.hash = hashes.slice(32 * i, 32 * (i + 1))
  }
  return root.hash as unknown as Uint8Array
}

/** Groups the nodes without a hash by height. All nodes below a hashed node are hashed. */
function collectUnhashed(node: IavlNode | undefined, levels: IavlNode[][]): void {
  if (node === undefined || node.hash !== undefined) return
  const level = levels[node.height] ?? []
  levels[node.height] = level
  level.push(node)
  collectUnhashed(node.left, levels)
  collectUnhashed(node.right, levels)
}

function leafFields(node: IavlNode): IavlLeaf {
  return { version: BigInt(node.version), key: node.key, value: node.value as Uint8Array }
}

function innerFields(node: IavlNode): IavlInnerNode {
  return {
    height: node.height,
    size: BigInt(node.size),
    version: BigInt(node.version),
    left: node.left?.hash as Uint8Array,
    right: node.right?.hash as Uint8Array,
  }
}

interface Removal {
  readonly node: IavlNode | undefined
  /** The smallest key of the subtree, if it changed. */
  readonly smallest: Uint8Array | undefined
}

class IavlWriter {
  readonly orphans: IavlNode[] = []
  readonly #version: number

  constructor(version: number) {
    this.#version = version
  }

  set(node: IavlNode | undefined, key: Uint8Array, value: Uint8Array): IavlNode {
    if (node === undefined) return this.#leaf(key, value)
    const order = compareBytes(key, node.key)
    if (node.height === 0) {
      if (order === 0) {
        this.#orphan(node)
        return this.#leaf(key, value)
      }
      return order < 0
        ? this.#inner(node.key, this.#leaf(key, value), node)
        : this.#inner(key.slice(), node, this.#leaf(key, value))
    }
    const changed = this.#copy(node)
    if (order < 0) changed.left = this.set(node.left, key, value)
    else changed.right = this.set(node.right, key, value)
    // A new value for an existing key leaves the shape unchanged, so nothing needs balancing.
    return sizeOf(changed) === changed.size ? changed : this.#balance(changed)
  }

  remove(root: IavlNode | undefined, key: Uint8Array): IavlNode | undefined {
    if (root === undefined || !has(root, key)) return root
    return this.#remove(root, key).node
  }

  /** Removes an existing key. */
  #remove(node: IavlNode, key: Uint8Array): Removal {
    if (node.height === 0) {
      this.#orphan(node)
      return { node: undefined, smallest: undefined }
    }
    const left = node.left as IavlNode
    const right = node.right as IavlNode
    if (compareBytes(key, node.key) < 0) {
      const removal = this.#remove(left, key)
      if (removal.node === undefined) {
        this.#orphan(node)
        return { node: right, smallest: node.key }
      }
      const changed = this.#copy(node)
      changed.left = removal.node
      return { node: this.#balance(changed), smallest: removal.smallest }
    }
    const removal = this.#remove(right, key)
    if (removal.node === undefined) {
      this.#orphan(node)
      return { node: left, smallest: undefined }
    }
    const changed = this.#copy(node)
    changed.right = removal.node
    if (removal.smallest !== undefined) changed.key = removal.smallest
    return { node: this.#balance(changed), smallest: undefined }
  }

  #balance(node: IavlNode): IavlNode {
    update(node)
    const balance = balanceOf(node)
    if (balance > 1) {
      if (balanceOf(node.left as IavlNode) < 0) {
        node.left = this.#rotateLeft(this.#copy(node.left as IavlNode))
      }
      return this.#rotateRight(node)
    }
    if (balance < -1) {
      if (balanceOf(node.right as IavlNode) > 0) {
        node.right = this.#rotateRight(this.#copy(node.right as IavlNode))
      }
      return this.#rotateLeft(node)
    }
    return node
  }

  #rotateRight(node: IavlNode): IavlNode {
    const top = this.#copy(node.left as IavlNode)
    node.left = top.right
    top.right = node
    update(node)
    update(top)
    return top
  }

  #rotateLeft(node: IavlNode): IavlNode {
    const top = this.#copy(node.right as IavlNode)
    node.right = top.left
    top.left = node
    update(node)
    update(top)
    return top
  }

  #leaf(key: Uint8Array, value: Uint8Array): IavlNode {
    return {
      key: key.slice(),
      value: value.slice(),
      version: this.#version,
      height: 0,
      size: 1,
      left: undefined,
      right: undefined,
      hash: undefined,
      id: 0,
    }
  }

  #inner(key: Uint8Array, left: IavlNode, right: IavlNode): IavlNode {
    return {
      key,
      value: undefined,
      version: this.#version,
      height: 1,
      size: 2,
      left,
      right,
      hash: undefined,
      id: 0,
    }
  }

  /** Returns the node as one of this version: a copy, unless this version created it. */
  #copy(node: IavlNode): IavlNode {
    if (node.version === this.#version) return node
    this.#orphan(node)
    return { ...node, version: this.#version, hash: undefined, id: 0 }
  }

  #orphan(node: IavlNode): void {
    if (node.version !== this.#version) this.orphans.push(node)
  }
}

function has(root: IavlNode, key: Uint8Array): boolean {
  let node = root
  while (node.height > 0) {
    node = (compareBytes(key, node.key) < 0 ? node.left : node.right) as IavlNode
  }
  return compareBytes(key, node.key) === 0
}

function sizeOf(node: IavlNode): number {
  return (node.left as IavlNode).size + (node.right as IavlNode).size
}

function balanceOf(node: IavlNode): number {
  return (node.left as IavlNode).height - (node.right as IavlNode).height
}

function update(node: IavlNode): void {
  const left = node.left as IavlNode
  const right = node.right as IavlNode
  node.height = Math.max(left.height, right.height) + 1
  node.size = left.size + right.size
}
