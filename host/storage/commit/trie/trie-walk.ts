import { EMPTY_BYTES, equalBytes } from '../../../base/bytes.ts'
import {
  bytesOfNibbles,
  joinPaths,
  nibblesOf,
  readNode,
  rootNode,
  type TrieNode,
  type TrieNodes,
} from './trie-node.ts'

/** A row of a trie. */
export interface TrieLeaf {
  readonly key: Uint8Array
  readonly value: Uint8Array
}

/** Returns true if every key with the prefix `path` comes before `start`. */
function isBefore(path: Uint8Array, start: Uint8Array): boolean {
  const length = Math.min(path.length, start.length)
  for (let i = 0; i < length; i++) {
    if (path[i] !== start[i]) return (path[i] as number) < (start[i] as number)
  }
  return false
}

/**
 * Yields the rows of a trie in key order, from the first at or after `start`, which may be shorter than a key. Nodes
 * are read lazily.
 * @throws STORE_CORRUPTED
 */
export function* rowsFrom(
  nodes: TrieNodes,
  root: Uint8Array,
  start: Uint8Array = EMPTY_BYTES,
): Generator<TrieLeaf> {
  const from = nibblesOf(start)
  const top = rootNode(root)
  const waiting: { readonly node: TrieNode; readonly path: Uint8Array }[] = []
  const wait = (node: TrieNode | undefined, path: Uint8Array): void => {
    if (node !== undefined && !isBefore(path, from)) waiting.push({ node, path })
  }
  wait(top, EMPTY_BYTES)
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { path } = next
    const node = readNode(nodes, next.node)
    switch (node.kind) {
      case 'leaf': {
        const whole = joinPaths(path, node.path)
        if (!isBefore(whole, from)) yield { key: bytesOfNibbles(whole), value: node.value }
        break
      }
      case 'extension':
        wait(node.child, joinPaths(path, node.path))
        break
      case 'branch':
        for (let digit = 15; digit >= 0; digit--) {
          wait(node.children[digit], joinPaths(path, Uint8Array.of(digit)))
        }
    }
  }
}

/** Returns the part of a subtree below one nibble. */
function below(nodes: TrieNodes, node: TrieNode | undefined, digit: number): TrieNode | undefined {
  if (node === undefined) return undefined
  const read = readNode(nodes, node)
  if (read.kind === 'branch') return read.children[digit]
  if (read.path[0] !== digit) return undefined
  const path = read.path.subarray(1)
  if (read.kind === 'extension' && path.length === 0) return read.child
  return { ...read, path }
}

/** Returns the value at a path of a subtree. */
function valueAt(
  nodes: TrieNodes,
  node: TrieNode | undefined,
  path: Uint8Array,
): Uint8Array | undefined {
  let at = node
  for (const digit of path) at = below(nodes, at, digit)
  const read = at && readNode(nodes, at)
  return read?.kind === 'leaf' && read.path.length === 0 ? read.value : undefined
}

/**
 * Yields the rows of `root` that the trie under `old` lacks or has with another value, in key order. Subtrees that
 * both share are not read.
 * @throws STORE_CORRUPTED
 */
export function changedRows(
  nodes: TrieNodes,
  old: Uint8Array,
  root: Uint8Array,
): Generator<TrieLeaf> {
  return changes(nodes, rootNode(old), rootNode(root), EMPTY_BYTES)
}

function* changes(
  nodes: TrieNodes,
  old: TrieNode | undefined,
  node: TrieNode | undefined,
  path: Uint8Array,
): Generator<TrieLeaf> {
  if (node === undefined) return
  if (old?.kind === 'unread' && node.kind === 'unread' && equalBytes(old.hash, node.hash)) return
  const read = readNode(nodes, node)
  if (read.kind === 'leaf') {
    const before = valueAt(nodes, old, read.path)
    if (before !== undefined && equalBytes(before, read.value)) return
    yield { key: bytesOfNibbles(joinPaths(path, read.path)), value: read.value }
    return
  }
  const digits = read.kind === 'branch' ? read.children.keys() : [read.path[0] as number]
  for (const digit of digits) {
    const longer = joinPaths(path, Uint8Array.of(digit))
    yield* changes(nodes, below(nodes, old, digit), below(nodes, read, digit), longer)
  }
}
