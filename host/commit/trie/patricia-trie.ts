import { EMPTY_BYTES } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import { hexDigits } from '../../base/hex.ts'
import { decodeRlp, encodeRlp, type RlpItem } from '../../base/rlp.ts'
import type { Keccak256 } from '../../chain-types/signature-recovery.ts'

/** Nodes by their Keccak-256 hash. */
export interface TrieNodes {
  get(hash: Uint8Array): Uint8Array | undefined
}

/** Takes the encoding of a node whose parent names it by its hash. */
export type NodeSink = (hash: Uint8Array, encoded: Uint8Array) => void

/** Nodes are never changed: a write makes those above it anew. Paths hold one nibble a byte. */
interface Leaf {
  readonly kind: 'leaf'
  readonly path: Uint8Array
  readonly value: Uint8Array
}

interface Extension {
  readonly kind: 'extension'
  readonly path: Uint8Array
  readonly child: Node
}

interface Branch {
  readonly kind: 'branch'
  readonly children: readonly (Node | undefined)[]
}

/** A node that has not been read. */
interface Unread {
  readonly kind: 'unread'
  readonly hash: Uint8Array
}

type Node = Leaf | Extension | Branch | Unread

/** Keccak-256 of the RLP of nothing: the root of a trie without rows. */
export const EMPTY_ROOT: Uint8Array = Uint8Array.from(
  '56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'.match(/../g) as string[],
  (digits) => Number.parseInt(digits, 16),
)

const HASH = 32
const LEAF_FLAG = 0x20
const ODD_FLAG = 0x10

function nibblesOf(bytes: Uint8Array): Uint8Array {
  const nibbles = new Uint8Array(bytes.length * 2)
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number
    nibbles[2 * i] = byte >> 4
    nibbles[2 * i + 1] = byte & 15
  }
  return nibbles
}

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

function joinPaths(a: Uint8Array, b: Uint8Array): Uint8Array {
  const joined = new Uint8Array(a.length + b.length)
  joined.set(a)
  joined.set(b, a.length)
  return joined
}

/** An extension, or the child itself where the path is empty. */
function extend(path: Uint8Array, child: Node): Node {
  return path.length === 0 ? child : { kind: 'extension', path, child }
}

/**
 * A Merkle Patricia trie (yellow paper, appendix D) over stored nodes, of which only those on the way to a
 * key are read. Keys are 32 bytes, so that none is the beginning of another.
 */
export class PatriciaTrie {
  readonly #nodes: TrieNodes
  readonly #keccak256: Keccak256
  #root: Node | undefined

  /** @param root of a trie whose nodes are all in `nodes`. */
  constructor(nodes: TrieNodes, keccak256: Keccak256, root: Uint8Array = EMPTY_ROOT) {
    this.#nodes = nodes
    this.#keccak256 = keccak256
    const isEmpty = root.every((byte, i) => byte === EMPTY_ROOT[i])
    this.#root = isEmpty ? undefined : { kind: 'unread', hash: root }
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

  /** The root, 32 bytes. New nodes go to `sink`, which makes them readable by their hashes. */
  commit(sink: NodeSink): Uint8Array {
    if (this.#root === undefined) return EMPTY_ROOT
    if (this.#root.kind === 'unread') return this.#root.hash
    const encoded = encodeRlp(this.#items(this.#root, sink))
    const hash = this.#keccak256(encoded)
    sink(hash, encoded)
    this.#root = { kind: 'unread', hash }
    return hash
  }

  /** Encodings of the nodes from the root towards a key, whether it is there or not (EIP-1186). */
  prove(key: Uint8Array): Uint8Array[] {
    const proof: Uint8Array[] = []
    let path = nibblesOf(key)
    let node = this.#root
    while (node !== undefined) {
      if (node.kind === 'unread') proof.push(this.#encoding(node.hash))
      const read: Exclude<Node, Unread> = this.#read(node)
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

  #put(node: Node | undefined, path: Uint8Array, value: Uint8Array): Node {
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
    const children = new Array<Node | undefined>(16).fill(undefined)
    const rest = read.path.subarray(shared + 1)
    children[read.path[shared] as number] =
      read.kind === 'leaf' ? { ...read, path: rest } : extend(rest, read.child)
    children[path[shared] as number] = { kind: 'leaf', path: path.subarray(shared + 1), value }
    return extend(path.subarray(0, shared), { kind: 'branch', children })
  }

  #remove(node: Node | undefined, path: Uint8Array): Node | undefined {
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

  /** A branch, or what stands in its place where it has one child left. */
  #shrink(children: readonly (Node | undefined)[]): Node {
    const [first = 0, ...others] = children.flatMap((child, i) => (child === undefined ? [] : [i]))
    if (others.length > 0) return { kind: 'branch', children }
    return this.#prepend(Uint8Array.of(first), children[first] as Node)
  }

  /** The node with a longer path in front. */
  #prepend(path: Uint8Array, node: Node): Node {
    const read = this.#read(node)
    if (read.kind === 'branch') return { kind: 'extension', path, child: node }
    return { ...read, path: joinPaths(path, read.path) }
  }

  /** @throws STORE_CORRUPTED */
  #encoding(hash: Uint8Array): Uint8Array {
    const encoded = this.#nodes.get(hash)
    if (encoded !== undefined) return encoded
    throw new LockstepError('STORE_CORRUPTED', `trie node 0x${hexDigits(hash)} is missing`)
  }

  #read(node: Node): Exclude<Node, Unread> {
    if (node.kind !== 'unread') return node
    return decodeNode(decodeRlp(this.#encoding(node.hash)))
  }

  #items(node: Exclude<Node, Unread>, sink: NodeSink): RlpItem {
    switch (node.kind) {
      case 'leaf':
        return [encodePath(node.path, LEAF_FLAG), node.value]
      case 'extension':
        return [encodePath(node.path, 0), this.#reference(node.child, sink)]
      case 'branch':
        return [...node.children.map((child) => this.#reference(child, sink)), EMPTY_BYTES]
    }
  }

  /** A node as its parent holds it: its hash, or itself when shorter than one. */
  #reference(node: Node | undefined, sink: NodeSink): RlpItem {
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

function decodeReference(item: RlpItem | undefined): Node | undefined {
  if (!(item instanceof Uint8Array)) return decodeNode(item)
  return item.length === 0 ? undefined : { kind: 'unread', hash: item }
}

/** @throws STORE_CORRUPTED where the items are no node's. */
function decodeNode(item: RlpItem | undefined): Exclude<Node, Unread> {
  if (item === undefined || item instanceof Uint8Array) throw malformedNode()
  if (item.length === 17) {
    return { kind: 'branch', children: item.slice(0, 16).map(decodeReference) }
  }
  const [encodedPath, content] = item
  if (item.length !== 2 || !(encodedPath instanceof Uint8Array)) throw malformedNode()
  const flags = encodedPath[0] ?? 0
  const path = nibblesOf(encodedPath).subarray((flags & ODD_FLAG) === 0 ? 2 : 1)
  if ((flags & LEAF_FLAG) === 0) {
    const child = decodeReference(content)
    if (child === undefined) throw malformedNode()
    return { kind: 'extension', path, child }
  }
  if (!(content instanceof Uint8Array)) throw malformedNode()
  return { kind: 'leaf', path, value: content }
}

function malformedNode(): LockstepError {
  return new LockstepError('STORE_CORRUPTED', 'a stored trie node is malformed')
}
