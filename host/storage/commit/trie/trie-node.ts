import { LockstepError } from '../../../base/error.ts'
import { hexDigits } from '../../../base/hex.ts'
import { decodeRlp, type RlpItem } from '../../../base/rlp.ts'

/** Nodes by their Keccak-256 hash. */
export interface TrieNodes {
  get(hash: Uint8Array): Uint8Array | undefined
}

/** Nodes never change: a write replaces those above it. Paths hold one nibble per byte. */
export interface Leaf {
  readonly kind: 'leaf'
  readonly path: Uint8Array
  readonly value: Uint8Array
}

export interface Extension {
  readonly kind: 'extension'
  readonly path: Uint8Array
  readonly child: TrieNode
}

export interface Branch {
  readonly kind: 'branch'
  readonly children: readonly (TrieNode | undefined)[]
}

/** A node that has not been read. */
export interface Unread {
  readonly kind: 'unread'
  readonly hash: Uint8Array
}

export type ReadNode = Leaf | Extension | Branch
export type TrieNode = ReadNode | Unread

/** Keccak-256 of the RLP of nothing: the root of a trie without rows. */
export const EMPTY_ROOT: Uint8Array = Uint8Array.from(
  '56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'.match(/../g) as string[],
  (digits) => Number.parseInt(digits, 16),
)

export const LEAF_FLAG = 0x20
export const ODD_FLAG = 0x10

export function nibblesOf(bytes: Uint8Array): Uint8Array {
  const nibbles = new Uint8Array(bytes.length * 2)
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number
    nibbles[2 * i] = byte >> 4
    nibbles[2 * i + 1] = byte & 15
  }
  return nibbles
}

/** Returns the bytes of an even number of nibbles. */
export function bytesOfNibbles(nibbles: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(nibbles.length >> 1)
  for (let i = 0; i < bytes.length; i++) {
    bytes[i] = ((nibbles[2 * i] as number) << 4) | (nibbles[2 * i + 1] as number)
  }
  return bytes
}

export function joinPaths(a: Uint8Array, b: Uint8Array): Uint8Array {
  const joined = new Uint8Array(a.length + b.length)
  joined.set(a)
  joined.set(b, a.length)
  return joined
}

/** Returns the node under a root, or undefined if the trie is empty. */
export function rootNode(root: Uint8Array): TrieNode | undefined {
  const isEmpty = root.every((byte, i) => byte === EMPTY_ROOT[i])
  return isEmpty ? undefined : { kind: 'unread', hash: root }
}

/** @throws STORE_CORRUPTED */
export function encodingOf(nodes: TrieNodes, hash: Uint8Array): Uint8Array {
  const encoded = nodes.get(hash)
  if (encoded !== undefined) return encoded
  throw new LockstepError('STORE_CORRUPTED', `trie node 0x${hexDigits(hash)} is missing`)
}

/** @throws STORE_CORRUPTED */
export function readNode(nodes: TrieNodes, node: TrieNode): ReadNode {
  return node.kind === 'unread' ? decodeNode(decodeRlp(encodingOf(nodes, node.hash))) : node
}

function decodeReference(item: RlpItem | undefined): TrieNode | undefined {
  if (!(item instanceof Uint8Array)) return decodeNode(item)
  return item.length === 0 ? undefined : { kind: 'unread', hash: item }
}

/** @throws STORE_CORRUPTED if the items are not a node's. */
function decodeNode(item: RlpItem | undefined): ReadNode {
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
