import { keccak_256 } from '@noble/hashes/sha3.js'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { bigintToBytes, bytesKey } from '../../../../../host/base/bytes.ts'
import { formatData } from '../../../../../host/base/hex.ts'
import { decodeRlp, type RlpItem } from '../../../../../host/base/rlp.ts'
import { CommitHasher } from '../../../../../host/storage/commit/hash/commit-hasher.ts'
import { PatriciaTrie } from '../../../../../host/storage/commit/trie/patricia-trie.ts'
import { EMPTY_ROOT, type TrieNodes } from '../../../../../host/storage/commit/trie/trie-node.ts'
import { compileCommit } from '../../../../support/engine/commit-module.ts'

let hasher: CommitHasher

beforeAll(async () => {
  hasher = new CommitHasher(await compileCommit())
}, 60_000)

/** Nodes in a map that counts reads. */
class NodeMap implements TrieNodes {
  readonly nodes = new Map<string, Uint8Array>()
  reads = 0

  get(hash: Uint8Array): Uint8Array | undefined {
    this.reads++
    return this.nodes.get(bytesKey(hash))
  }

  readonly add = (hash: Uint8Array, encoded: Uint8Array): void => {
    expect(formatData(keccak_256(encoded))).toBe(formatData(hash))
    this.nodes.set(bytesKey(hash), encoded)
  }
}

/** Keys with long common prefixes: few of the 64 nibbles differ. */
const key = fc
  .tuple(fc.nat({ max: 5 }), fc.constantFrom(0, 1, 30, 62, 63))
  .map(([digit, at]) => bigintToBytes(BigInt(digit) << BigInt(4 * (63 - at)), 32))
const value = fc.uint8Array({ minLength: 1, maxLength: 40 })
const writes = fc.array(fc.tuple(key, fc.option(value, { nil: undefined })), { maxLength: 24 })

/** Returns the value that a proof gives for a key, by the rules of the yellow paper. Throws if the nodes do not fit. */
function valueProven(
  root: Uint8Array,
  proof: readonly Uint8Array[],
  proven: Uint8Array,
): Uint8Array | undefined {
  let path = formatData(proven).slice(2)
  let at = 0
  let item: RlpItem | undefined
  const read = (reference: RlpItem): RlpItem | undefined => {
    if (!(reference instanceof Uint8Array)) return reference
    if (reference.length === 0) return undefined
    const node = proof[at++]
    if (node === undefined) throw new Error('the proof ends too early')
    expect(formatData(keccak_256(node))).toBe(formatData(reference))
    return decodeRlp(node)
  }
  item = proof.length === 0 ? undefined : read(root)
  while (item !== undefined) {
    const list = item as readonly RlpItem[]
    if (list.length === 17) {
      item = read(list[Number.parseInt(path[0] as string, 16)] as RlpItem)
      path = path.slice(1)
      continue
    }
    const flagged = formatData(list[0] as Uint8Array).slice(2)
    const flag = Number.parseInt(flagged[0] as string, 16)
    const own = flagged.slice(flag % 2 === 1 ? 1 : 2)
    if (!path.startsWith(own)) break
    path = path.slice(own.length)
    if (flag >= 2) return list[1] as Uint8Array
    item = read(list[1] as RlpItem)
  }
  expect(at).toBe(proof.length)
  return undefined
}

describe('a Merkle Patricia trie over stored nodes', () => {
  test('has the root of the empty trie if it has no rows', () => {
    const trie = new PatriciaTrie(new NodeMap(), keccak_256)
    expect(formatData(trie.commit(() => {}))).toBe(formatData(EMPTY_ROOT))
    expect(trie.prove(new Uint8Array(32))).toEqual([])
  })

  test('keeps the root of a trie built from all rows at once, through writes, deletions and commits', () => {
    fc.assert(
      fc.property(fc.array(writes, { minLength: 1, maxLength: 6 }), (batches) => {
        const store = new NodeMap()
        const rows = new Map<string, readonly [Uint8Array, Uint8Array]>()
        let root = EMPTY_ROOT
        for (const batch of batches) {
          // Reopened each time, so that only the stored nodes are available
          const trie = new PatriciaTrie(store, keccak_256, root)
          for (const [rowKey, rowValue] of batch) {
            trie.set(rowKey, rowValue)
            if (rowValue === undefined) rows.delete(bytesKey(rowKey))
            else rows.set(bytesKey(rowKey), [rowKey, rowValue])
            expect(trie.get(rowKey)).toEqual(rowValue)
          }
          root = trie.commit(store.add)
          expect(formatData(root)).toBe(formatData(hasher.trieRoot(rows.values())))
        }
        const trie = new PatriciaTrie(store, keccak_256, root)
        for (const [rowKey, rowValue] of rows.values()) {
          expect(valueProven(root, trie.prove(rowKey), rowKey)).toEqual(rowValue)
        }
        const absent = new Uint8Array(32).fill(0x77)
        expect(valueProven(root, trie.prove(absent), absent)).toBeUndefined()
      }),
      { numRuns: 300 },
    )
  })

  test('reads only the nodes on the path to a key', () => {
    const store = new NodeMap()
    const trie = new PatriciaTrie(store, keccak_256)
    for (let i = 0; i < 1000; i++) {
      trie.set(keccak_256(bigintToBytes(BigInt(i), 2)), Uint8Array.of(1))
    }
    const root = trie.commit(store.add)
    new PatriciaTrie(store, keccak_256, root).get(keccak_256(bigintToBytes(500n, 2)))
    expect(store.reads).toBeLessThanOrEqual(4)
  })

  test('reports the hash of a missing node', () => {
    const trie = new PatriciaTrie(new NodeMap(), keccak_256, new Uint8Array(32).fill(7))
    expect(() => trie.get(new Uint8Array(32))).toThrow(
      expect.objectContaining({
        code: 'STORE_CORRUPTED',
        message: `Database is corrupted: trie node 0x${'07'.repeat(32)} is missing`,
      }),
    )
  })
})
