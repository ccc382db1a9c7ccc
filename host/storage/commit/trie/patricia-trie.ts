import { EMPTY_BYTES } from '../../../base/bytes.ts'
import { encodeRlp, type RlpItem } from '../../../base/rlp.ts'
import type { Keccak256 } from '../../../evm/chain-types/signature-recovery.ts'
import {
  EMPTY_ROOT,
  encodingOf,
  joinPaths,
  LEAF_FLAG,
  nibblesOf,
  ODD_FLAG,
  type ReadNode,
  readNode,
  rootNode,
  type TrieNode,
  type TrieNodes,
} from './trie-node.ts'

/** Receives the encoding of a node that its parent references by hash. */
export type NodeSink = (hash: Uint8Array, encoded: Uint8Array) => void

const HASH = 32

/** Hex-prefix encoding (yellow paper, appendix C). */
function encodePath(path: Uint8Array, flag: number): Uint8Array {
  const isOdd = path.length % 2 === 1
  const encoded = new Uint8Array(1 + (path.length >> 1))
  encoded[0] = flag | (isOdd ? ODD_FLAG | (path[0] as number) : 0)
  for (let i = isOdd ? 1 : 0, at = 1; i < path.length; i += 2) {
    encoded[at++] = ((path[i] as number) << 4) | (path[i + 1] as number)
  }
  return encoded
}

function sharedLength(a: Uint8Array, b: Uint8Array): number {
  let length = 0
  while (length < a.length && length < b.length && a[length] === b[length]) length++
  return length
}

/** Returns an extension, or the child itself if the path is empty. */
function extend(path: Uint8Array, child: TrieNode): TrieNode {
  return path.length === 0 ? child : { kind: 'extension', path, child }
}

/**
 * A Merkle Patricia trie (yellow paper, appendix D) over stored nodes. It reads only the nodes on the path to a key.
 * Keys are 32 bytes, so none is a prefix of another.
 */
export class PatriciaTrie {
  readonly #nodes: TrieNodes
  readonly #keccak256: Keccak256
  #root: TrieNode | undefined

  /** @param root - Root of a trie whose nodes are all in `nodes`. */
  constructor(nodes: TrieNodes, keccak256: Keccak256, root: Uint8Array = EMPTY_ROOT) {
    this.#nodes = nodes
    this.#keccak256 = keccak256
    this.#root = rootNode(root)
  }

  get isEmpty(): boolean {
    return this.#root === undefined
  }

  get(key: Uint8Array): Uint8Array | undefined {
    let path = nibblesOf(key)
    let node = this.#root
    while (node !== undefined) {
      const read = this.#read(node)
      if (read.kind === 'branch') {
        node = read.children[path[0] as number]
        path = path.subarray(1)
        continue
      }
      const shared = sharedLength(read.path, path)
      if (shared < read.path.length) return undefined
      if (read.kind === 'leaf') return read.value
      node = read.child
      path = path.subarray(shared)
    }
    return undefined
  }

  /** Sets a row; an undefined value deletes it. */
  set(key: Uint8Array, value: Uint8Array | undefined): void {
    const path = nibblesOf(key)
    this.#root =
      value === undefined ? this.#remove(this.#root, path) : this.#put(this.#root, path, value)
  }

  /** Returns the root, 32 bytes. New nodes go to `sink`, which makes them readable by their hashes. */
  commit(sink: NodeSink): Uint8Array {
    if (this.#root === undefined) return EMPTY_ROOT
    if (this.#root.kind === 'unread') return this.#root.hash
    const encoded = encodeRlp(this.#items(this.#root, sink))
    const hash = this.#keccak256(encoded)
    sink(hash, encoded)
    this.#root = { kind: 'unread', hash }
    return hash
  }

  /** Returns the encodings of the nodes from the root towards a key, whether it exists or not (EIP-1186). */
  prove(key: Uint8Array): Uint8Array[] {
    const proof: Uint8Array[] = []
    let path = nibblesOf(key)
    let node = this.#root
    while (node !== undefined) {
      if (node.kind === 'unread') proof.push(encodingOf(this.#nodes, node.hash))
      const read: ReadNode = this.#read(node)
      if (read.kind === 'leaf') break
      if (read.kind === 'branch') {
        node = read.children[path[0] as number]
        path = path.subarray(1)
        continue
      }
      if (sharedLength(read.path, path) < read.path.length) break
      node = read.child
      path = path.subarray(read.path.length)
    }
    return proof
  }

  #put(node: TrieNode | undefined, path: Uint8Array, value: Uint8Array): TrieNode {
    if (node === undefined) return { kind: 'leaf', path, value }
    const read = this.#read(node)
    if (read.kind === 'branch') {
      const at = path[0] as number
      const children = read.children.slice()
      children[at] = this.#put(children[at], path.subarray(1), value)
      return { kind: 'branch', children }
    }
    const shared = sharedLength(read.path, path)
    if (shared === read.path.length) {
      if (read.kind === 'leaf') return { kind: 'leaf', path, value }
      return { ...read, child: this.#put(read.child, path.subarray(shared), value) }
    }
    const children = new Array<TrieNode | undefined>(16).fill(undefined)
    const rest = read.path.subarray(shared + 1)
    children[read.path[shared] as number] =
      read.kind === 'leaf' ? { ...read, path: rest } : extend(rest, read.child)
    children[path[shared] as number] = { kind: 'leaf', path: path.subarray(shared + 1), value }
    return extend(path.subarray(0, shared), { kind: 'branch', children })
  }

  #remove(node: TrieNode | undefined, path: Uint8Array): TrieNode | undefined {
    if (node === undefined) return undefined
    const read = this.#read(node)
    if (read.kind === 'branch') {
      const at = path[0] as number
      const child = this.#remove(read.children[at], path.subarray(1))
      if (child === read.children[at]) return node
      const children = read.children.slice()
      children[at] = child
      return this.#shrink(children)
    }
    const shared = sharedLength(read.path, path)
    if (shared < read.path.length) return node
    if (read.kind === 'leaf') return undefined
    const child = this.#remove(read.child, path.subarray(shared))
    if (child === read.child) return node
    return child === undefined ? undefined : this.#prepend(read.path, child)
  }

  /** Returns a branch, or the node that replaces it if it has one child left. */
  #shrink(children: readonly (TrieNode | undefined)[]): TrieNode {
    const [first = 0, ...others] = children.flatMap((child, i) => (child === undefined ? [] : [i]))
    if (others.length > 0) return { kind: 'branch', children }
    return this.#prepend(Uint8Array.of(first), children[first] as TrieNode)
  }

  /** Returns the node with `path` prepended to its path. */
  #prepend(path: Uint8Array, node: TrieNode): TrieNode {
    const read = this.#read(node)
    if (read.kind === 'branch') return { kind: 'extension', path, child: node }
    return { ...read, path: joinPaths(path, read.path) }
  }

  #read(node: TrieNode): ReadNode {
    return readNode(this.#nodes, node)
  }

  #items(node: ReadNode, sink: NodeSink): RlpItem {
    switch (node.kind) {
      case 'leaf':
        return [encodePath(node.path, LEAF_FLAG), node.value]
      case 'extension':
        return [encodePath(node.path, 0), this.#reference(node.child, sink)]
      case 'branch':
        return [...node.children.map((child) => this.#reference(child, sink)), EMPTY_BYTES]
    }
  }

  /** Returns a node's reference in its parent: its hash, or the node itself if it is shorter than a hash. */
  #reference(node: TrieNode | undefined, sink: NodeSink): RlpItem {
    if (node === undefined) return EMPTY_BYTES
    if (node.kind === 'unread') return node.hash
    const items = this.#items(node, sink)
    const encoded = encodeRlp(items)
    if (encoded.length < HASH) return items
    const hash = this.#keccak256(encoded)
    sink(hash, encoded)
    return hash
  }
}
