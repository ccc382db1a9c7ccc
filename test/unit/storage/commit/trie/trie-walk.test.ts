import { keccak_256 } from '@noble/hashes/sha3.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bigintToBytes, bytesKey, compareBytes } from '../../../../../host/base/bytes.ts'
import { formatData } from '../../../../../host/base/hex.ts'
import { PatriciaTrie } from '../../../../../host/storage/commit/trie/patricia-trie.ts'
import { EMPTY_ROOT, type TrieNodes } from '../../../../../host/storage/commit/trie/trie-node.ts'
import {
  changedRows,
  rowsFrom,
  type TrieLeaf,
} from '../../../../../host/storage/commit/trie/trie-walk.ts'

type Rows = ReadonlyMap<string, readonly [key: Uint8Array, value: Uint8Array]>

/** Keys with long common prefixes, and values short enough to be embedded in their parents. */
const key = fc
  .tuple(fc.nat({ max: 5 }), fc.constantFrom(0, 1, 2, 30, 62, 63))
  .map(([digit, at]) => bigintToBytes(BigInt(digit) << BigInt(4 * (63 - at)), 32))
const value = fc.uint8Array({ minLength: 1, maxLength: 40 })
const rows: fc.Arbitrary<Rows> = fc
  .array(fc.tuple(key, value), { maxLength: 24 })
  .map((list) => new Map(list.map((row) => [bytesKey(row[0]), row] as const)))

class Nodes implements TrieNodes {
  readonly #nodes = new Map<string, Uint8Array>()
  reads = 0

  get(hash: Uint8Array): Uint8Array | undefined {
    this.reads++
    return this.#nodes.get(bytesKey(hash))
  }

  readonly add = (hash: Uint8Array, encoded: Uint8Array): void => {
    this.#nodes.set(bytesKey(hash), encoded)
  }
}

function rootOf(nodes: Nodes, list: Rows): Uint8Array {
  const trie = new PatriciaTrie(nodes, keccak_256)
  for (const row of list.values()) trie.set(...row)
  return trie.commit(nodes.add)
}

const sorted = (list: Rows): TrieLeaf[] =>
  [...list.values()]
    .map(([rowKey, rowValue]) => ({ key: rowKey, value: rowValue }))
    .sort((a, b) => compareBytes(a.key, b.key))

describe('a walk over a stored trie', () => {
  test('returns the rows in key order from any key', () => {
    fc.assert(
      fc.property(rows, fc.oneof(key, fc.uint8Array({ maxLength: 40 })), (list, start) => {
        const nodes = new Nodes()
        const root = rootOf(nodes, list)
        const from = start.subarray(0, 32)
        const wanted = sorted(list).filter((row) => compareBytes(row.key, from) >= 0)
        expect([...rowsFrom(nodes, root, start)]).toEqual(wanted)
        expect([...rowsFrom(nodes, root)]).toEqual(sorted(list))
      }),
      { numRuns: 300 },
    )
  })

  test('returns new and changed rows and omits deleted rows', () => {
    fc.assert(
      fc.property(rows, rows, (before, after) => {
        const nodes = new Nodes()
        const old = rootOf(nodes, before)
        const root = rootOf(nodes, new Map([...before, ...after]))
        const gone = rootOf(nodes, after)
        const differs = ({ key: rowKey, value: rowValue }: TrieLeaf): boolean => {
          const known = before.get(bytesKey(rowKey))?.[1]
          return known === undefined || bytesKey(known) !== bytesKey(rowValue)
        }
        const wanted = sorted(after).filter(differs)
        expect([...changedRows(nodes, old, root)]).toEqual(wanted)
        expect([...changedRows(nodes, old, gone)]).toEqual(wanted)
        expect([...changedRows(nodes, EMPTY_ROOT, root)].length).toBe(
          new Map([...before, ...after]).size,
        )
      }),
      { numRuns: 300 },
    )
  })

  test('reads only the nodes on the paths to the requested keys', () => {
    const nodes = new Nodes()
    const list = Array.from({ length: 1000 }, (_, i) => [
      keccak_256(bigintToBytes(BigInt(i), 2)),
      Uint8Array.of(1),
    ]) as [Uint8Array, Uint8Array][]
    const before = new Map(list.map((row) => [bytesKey(row[0]), row] as const))
    const [first] = list[500] as [Uint8Array, Uint8Array]
    const after = new Map([...before, [bytesKey(first), [first, Uint8Array.of(2)] as const]])
    const [old, root] = [rootOf(nodes, before), rootOf(nodes, after)]
    nodes.reads = 0
    expect([...changedRows(nodes, old, root)].map((row) => formatData(row.key))).toEqual([
      formatData(first),
    ])
    expect(nodes.reads).toBeLessThan(200)
    nodes.reads = 0
    expect(rowsFrom(nodes, root, first).next().value?.key).toEqual(first)
    expect(nodes.reads).toBeLessThan(10)
  })
})
