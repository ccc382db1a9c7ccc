/** Roots of Merkle Patricia tries (yellow paper, appendix D), built from all rows at once. */
import { keccak256 } from '../hash/keccak'

/** Longest key. It bounds the recursion to two levels per byte. */
const MAX_KEY: u32 = 128

/**
 * A row: link u32, key length u32, value length u32, key, value. The builder sets the link. It also overwrites the
 * row, because it encodes a leaf in place, in front of its value.
 */
const KEY_LENGTH: usize = 4
const VALUE_LENGTH: usize = 8
const KEY: u32 = 12

const HASH: u32 = 32
/** A reference to a node: its hash with a header, or itself when shorter than a hash. */
const REFERENCE: u32 = HASH + 1
/** A branch's lists of rows by nibble, followed by the row that ends here. */
const HEADS: u32 = 17 * 4
/** Header and references of a branch before its value. */
const BRANCH: u32 = 9 + 16 * REFERENCE
/** Header, path and reference of an extension. */
const EXTENSION: u32 = 9 + (MAX_KEY + 1) + 2 + REFERENCE

/** The path of a leaf while it replaces its key. */
const PATH: usize = memory.data(MAX_KEY + 1)

/** Start of the free memory after the rows. It holds the nodes under construction, one frame per level. */
let free: usize = 0
let end: usize = 0
let isFull: bool = false

/**
 * Writes the root over the packed rows to `out`; `limit` is the end of the memory after them. If `isSecure`, keys are
 * padded to 32 bytes and replaced by their Keccak-256 hash. Keys must be distinct. Returns the number of rows, or -1
 * if a row runs past the end, a key is longer than MAX_KEY, two keys are equal, or the nodes do not fit.
 */
export function trieRoot(rows: usize, length: u32, limit: usize, isSecure: bool, out: usize): i32 {
  let count = 0
  let list: usize = 0
  let row = rows
  for (let left = length; left > 0; count++) {
    if (left < KEY) return -1
    const keyLength = load<u32>(row, KEY_LENGTH)
    const valueLength = load<u32>(row, VALUE_LENGTH)
    const room = isSecure ? HASH : keyLength
    if (keyLength > (isSecure ? HASH : MAX_KEY) || room > left - KEY) return -1
    if (valueLength > left - KEY - room || valueLength >> 24 != 0) return -1
    if (isSecure) {
      keccak256(row + KEY, keyLength, row + KEY)
      store<u32>(row, HASH, KEY_LENGTH)
    }
    store<u32>(row, u32(list))
    list = row
    row += KEY + room + valueLength
    left -= KEY + room + valueLength
  }
  if (count == 0) {
    store<u8>(out, 0x80)
    keccak256(out, 1, out)
    return 0
  }
  free = (row + 7) & ~7
  end = limit
  isFull = false
  const size = build(list, 0)
  if (isFull) return -1
  keccak256(node, size, out)
  return count
}

/** Address at which `build` wrote the encoding of its node. */
let node: usize = 0

/** Encodes the node over a list of rows that share the first `depth` nibbles; returns its length. */
function build(list: usize, depth: u32): u32 {
  if (load<u32>(list) == 0) return encodeLeaf(list, depth)
  const shared = sharedDepth(list, depth)
  return shared > depth ? encodeExtension(list, depth, shared) : encodeBranch(list, depth)
}

/** Returns how many leading nibbles all keys of a list share. */
function sharedDepth(list: usize, depth: u32): u32 {
  let shared = load<u32>(list, KEY_LENGTH) << 1
  for (let row: usize = load<u32>(list); row != 0; row = load<u32>(row)) {
    shared = min(shared, load<u32>(row, KEY_LENGTH) << 1)
    let at = depth
    while (at < shared && nibble(row, at) == nibble(list, at)) at++
    shared = at
  }
  return shared
}

@inline
function nibble(row: usize, at: u32): u32 {
  const byte: u32 = load<u8>(row + KEY + (at >> 1))
  return (at & 1) != 0 ? byte & 15 : byte >> 4
}

function encodeLeaf(row: usize, depth: u32): u32 {
  const valueLength = load<u32>(row, VALUE_LENGTH)
  const keyLength = load<u32>(row, KEY_LENGTH)
  const value = row + KEY + keyLength
  const pathLength = writePath(PATH, row, depth, keyLength << 1, 0x20)
  let at = putHeader(value, value, valueLength)
  at -= pathLength
  memory.copy(at, PATH, pathLength)
  at = putHeader(at, at, pathLength)
  node = putListHeader(at, u32(value + valueLength - at))
  return u32(value + valueLength - node)
}

function encodeExtension(list: usize, depth: u32, shared: u32): u32 {
  const frame = reserve(EXTENSION)
  if (frame == 0) return 0
  // Write the path first: building the child overwrites the keys.
  const path = frame + 9
  const pathLength = writePath(path, list, depth, shared, 0)
  const size = build(list, shared)
  const last = putReference(path + pathLength, size)
  const start = putHeader(path, path, pathLength)
  free = frame
  node = putListHeader(start, u32(last - start))
  return u32(last - node)
}

function encodeBranch(list: usize, depth: u32): u32 {
  const heads = reserve(HEADS + BRANCH)
  if (heads == 0) return 0
  memory.fill(heads, 0, HEADS)
  for (let row = list; row != 0; ) {
    const next: usize = load<u32>(row)
    const endsHere = load<u32>(row, KEY_LENGTH) << 1 == depth
    const head = heads + ((endsHere ? 16 : nibble(row, depth)) << 2)
    // Two rows that end here have the same key.
    if (endsHere && load<u32>(head) != 0) isFull = true
    store<u32>(row, load<u32>(head))
    store<u32>(head, u32(row))
    row = next
  }
  const start = heads + HEADS + 9
  let at = start
  for (let i: usize = 0; i < 16; i++) {
    const child: usize = load<u32>(heads + (i << 2))
    if (child == 0) store<u8>(at++, 0x80)
    else at = putReference(at, build(child, depth + 1))
  }
  const ending: usize = load<u32>(heads, 64)
  if (ending == 0) {
    store<u8>(at++, 0x80)
  } else {
    const valueLength = load<u32>(ending, VALUE_LENGTH)
    if (reserve(valueLength + 4) == 0) return 0
    const value = ending + KEY + load<u32>(ending, KEY_LENGTH)
    const header = putHeader(value, value, valueLength)
    const size = u32(value - header) + valueLength
    memory.copy(at, header, size)
    at += size
  }
  free = heads
  node = putListHeader(start, u32(at - start))
  return u32(at - node)
}

function reserve(size: u32): usize {
  const frame = free
  if (isFull || end - frame < size) {
    isFull = true
    return 0
  }
  free = frame + size
  return frame
}

/** Writes the reference to the node of `size` bytes at `node` and returns the address after it. */
function putReference(at: usize, size: u32): usize {
  if (isFull) return at
  if (size < HASH) {
    memory.copy(at, node, size)
    return at + size
  }
  store<u8>(at, 0x80 + HASH)
  keccak256(node, size, at + 1)
  return at + REFERENCE
}

/** Hex-prefix encoding (appendix C) of nibbles `from` to `to` of a row's key; returns its length. */
function writePath(out: usize, row: usize, from: u32, to: u32, flag: u32): u32 {
  const start = out
  let at = from
  if (((to - from) & 1) != 0) store<u8>(out++, flag | 0x10 | nibble(row, at++))
  else store<u8>(out++, flag)
  for (; at < to; at += 2) store<u8>(out++, (nibble(row, at) << 4) | nibble(row, at + 1))
  return u32(out - start)
}

/** Puts the RLP header of the `length` bytes at `bytes` in front of `at`; returns its address. */
function putHeader(at: usize, bytes: usize, length: u32): usize {
  if (length == 1 && load<u8>(bytes) < 0x80) return at
  return putLength(at, length, 0x80)
}

function putListHeader(at: usize, length: u32): usize {
  return putLength(at, length, 0xc0)
}

function putLength(at: usize, length: u32, base: u32): usize {
  if (length < 56) {
    store<u8>(--at, base + length)
    return at
  }
  let bytes: u32 = 0
  for (; length > 0; length >>= 8) {
    store<u8>(--at, length)
    bytes++
  }
  store<u8>(--at, base + 55 + bytes)
  return at
}
