import { encodeRlp, type RlpItem } from '../../host/base/rlp.ts'

/** Keccak-256 of bytes. */
export type Hash = (bytes: Uint8Array) => Uint8Array

interface Leaf {
  /** One nibble an element. */
  readonly path: Uint8Array
  readonly value: Uint8Array
}

function toNibbles(key: Uint8Array): Uint8Array {
  const nibbles = new Uint8Array(key.length * 2)
  for (let i = 0; i < key.length; i++) {
    nibbles[2 * i] = (key[i] as number) >> 4
    nibbles[2 * i + 1] = (key[i] as number) & 15
  }
  return nibbles
}

/** Hex-prefix encoding (yellow paper, appendix C). */
function encodePath(nibbles: Uint8Array, isLeaf: boolean): Uint8Array {
  const flag = isLeaf ? 2 : 0
  const odd = nibbles.length % 2
  const bytes = new Uint8Array(1 + (nibbles.length >> 1))
  bytes[0] = odd === 1 ? ((flag + 1) << 4) | (nibbles[0] as number) : flag << 4
  for (let i = odd, at = 1; i < nibbles.length; i += 2, at++) {
    bytes[at] = ((nibbles[i] as number) << 4) | (nibbles[i + 1] as number)
  }
  return bytes
}

function buildNode(leaves: readonly Leaf[], depth: number, hash: Hash): RlpItem {
  const first = leaves[0] as Leaf
  if (leaves.length === 1) return [encodePath(first.path.subarray(depth), true), first.value]
  const last = leaves[leaves.length - 1] as Leaf
  let shared = depth
  while (first.path[shared] === last.path[shared]) shared++
  if (shared > depth) {
    const child = reference(buildNode(leaves, shared, hash), hash)
    return [encodePath(first.path.subarray(depth, shared), false), child]
  }
  const branch: RlpItem[] = []
  let start = 0
  for (let nibble = 0; nibble < 16; nibble++) {
    let end = start
    while (end < leaves.length && (leaves[end] as Leaf).path[depth] === nibble) end++
    branch.push(
      end === start
        ? new Uint8Array(0)
        : reference(buildNode(leaves.slice(start, end), depth + 1, hash), hash),
    )
    start = end
  }
  branch.push(new Uint8Array(0))
  return branch
}

/** A node of 32 bytes or more stands in its parent as its hash. */
function reference(node: RlpItem, hash: Hash): RlpItem {
  const encoded = encodeRlp(node)
  return encoded.length < 32 ? node : hash(encoded)
}

/**
 * Root of the Merkle Patricia trie of keys of one length (yellow paper, appendix D), built at once: no
 * key is a prefix of another, so that branches hold no values.
 */
export function trieRoot(
  entries: Iterable<readonly [key: Uint8Array, value: Uint8Array]>,
  hash: Hash,
): Uint8Array {
  const leaves = Array.from(entries, ([key, value]): Leaf => ({ path: toNibbles(key), value }))
  if (leaves.length === 0) return hash(encodeRlp(new Uint8Array(0)))
  leaves.sort((a, b) => Buffer.compare(a.path, b.path))
  return hash(encodeRlp(buildNode(leaves, 0, hash)))
}
