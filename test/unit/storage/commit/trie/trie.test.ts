import { keccak_256 } from '@noble/hashes/sha3.js'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { LockstepError } from '../../../../../host/base/error.ts'
import { formatData } from '../../../../../host/base/hex.ts'
import { encodeRlp, type RlpItem } from '../../../../../host/base/rlp.ts'
import {
  CommitHasher,
  type TrieRow,
} from '../../../../../host/storage/commit/hash/commit-hasher.ts'
import { compileCommit } from '../../../../support/engine/commit-module.ts'

let hasher: CommitHasher

beforeAll(async () => {
  hasher = new CommitHasher(await compileCommit())
})

const text = (string: string) => new TextEncoder().encode(string)
const rowsOf = (members: Readonly<Record<string, string>>) =>
  Object.entries(members).map(([key, value]): TrieRow => [text(key), text(value)])

/** The yellow paper's appendix D, computed over nibbles. */
function expectedRoot(rows: readonly TrieRow[]): Uint8Array {
  const leaves = rows.map(([key, value]) => ({ path: formatData(key).slice(2), value }))
  return keccak_256(encodeRlp(leaves.length === 0 ? new Uint8Array(0) : node(leaves, 0)))
}

type Leaf = { readonly path: string; readonly value: Uint8Array }

function hexPrefix(nibbles: string, isLeaf: boolean): Uint8Array {
  const flag = (isLeaf ? 2 : 0) + (nibbles.length % 2)
  const digits = `${flag}${nibbles.length % 2 === 0 ? '0' : ''}${nibbles}`
  return Uint8Array.from(digits.match(/../g) as string[], (pair) => Number.parseInt(pair, 16))
}

function node(leaves: readonly Leaf[], depth: number): RlpItem {
  const [first] = leaves as [Leaf]
  if (leaves.length === 1) return [hexPrefix(first.path.slice(depth), true), first.value]
  let shared = first.path
  for (const { path } of leaves) while (!path.startsWith(shared)) shared = shared.slice(0, -1)
  if (shared.length > depth) {
    return [hexPrefix(shared.slice(depth), false), reference(node(leaves, shared.length))]
  }
  const children = [...'0123456789abcdef'].map((nibble) => {
    const below = leaves.filter(({ path }) => path[depth] === nibble)
    return below.length === 0 ? new Uint8Array(0) : reference(node(below, depth + 1))
  })
  const ending = leaves.find(({ path }) => path.length === depth)
  return [...children, ending?.value ?? new Uint8Array(0)]
}

function reference(item: RlpItem): RlpItem {
  const encoded = encodeRlp(item)
  return encoded.length < 32 ? item : keccak_256(encoded)
}

describe('the Merkle Patricia trie', () => {
  test('has the published roots', () => {
    expect(formatData(hasher.trieRoot([]))).toBe(
      '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
    )
    const dogs = { doe: 'reindeer', dog: 'puppy', dogglesworth: 'cat' }
    expect(formatData(hasher.trieRoot(rowsOf(dogs)))).toBe(
      '0x8aad789dff2f538bca5d8ea56e8abe10f4c7ba3a5dea95fea4cd6e7c3a1168d3',
    )
    // A branch with a value: `do` is a prefix of other keys.
    const puppy = { do: 'verb', horse: 'stallion', doge: 'coin', dog: 'puppy' }
    expect(formatData(hasher.trieRoot(rowsOf(puppy)))).toBe(
      '0x5991bb8c6514148a29db676a14ac506cd2cd5775ace63c30a4fe457715e9ac84',
    )
  })

  test('agrees with the definition for any rows in any order, also with hashed keys', () => {
    // Keys of two nibble values share prefixes; value lengths span the limit for embedded nodes
    const key = fc.uint8Array({ maxLength: 4 }).map((bytes) => bytes.map((byte) => byte & 0x11))
    const row = fc.tuple(
      fc.oneof(key, fc.uint8Array({ minLength: 30, maxLength: 32 })),
      fc.oneof(
        fc.uint8Array({ minLength: 1, maxLength: 40 }),
        fc.uint8Array({ minLength: 250, maxLength: 260 }),
        fc.integer({ min: 65_500, max: 65_600 }).map((length) => new Uint8Array(length).fill(1)),
      ),
    )
    const rows = fc.uniqueArray(row, { maxLength: 40, selector: ([bytes]) => formatData(bytes) })
    fc.assert(
      fc.property(rows, (rows) => {
        expect(formatData(hasher.trieRoot(rows))).toBe(formatData(expectedRoot(rows)))
        const hashed = rows.map(([bytes, value]): TrieRow => [keccak_256(bytes), value])
        expect(formatData(hasher.secureTrieRoot(rows))).toBe(formatData(expectedRoot(hashed)))
      }),
      { numRuns: 60 },
    )
  })

  test('accepts keys of 128 bytes that differ in their last nibble', () => {
    const rows = [1, 2].map((last): TrieRow => [new Uint8Array(128).fill(last, 127), text('value')])
    expect(formatData(hasher.trieRoot(rows))).toBe(formatData(expectedRoot(rows)))
  })

  test('refuses two rows with one key, long keys and rows that exceed its memory', () => {
    const value = text('value')
    const refused: TrieRow[][] = [
      [
        [text('key'), value],
        [text('key'), value],
      ],
      [[new Uint8Array(129), value]],
      [[text('key'), new Uint8Array(16 * 1024 * 1024)]],
    ]
    for (const rows of refused) expect(() => hasher.trieRoot(rows)).toThrow(LockstepError)
    expect(() => hasher.secureTrieRoot([[new Uint8Array(33), value]])).toThrow(LockstepError)
  })
})
