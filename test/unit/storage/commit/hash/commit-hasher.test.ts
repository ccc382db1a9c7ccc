import { createHash } from 'node:crypto'
import { blake3 } from '@noble/hashes/blake3.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { concatBytes } from '../../../../../host/base/bytes.ts'
import { LockstepError } from '../../../../../host/base/error.ts'
import { formatData } from '../../../../../host/base/hex.ts'
import { CommitHasher } from '../../../../../host/storage/commit/hash/commit-hasher.ts'
import { ElementList } from '../../../../../host/storage/commit/hash/element-list.ts'
import { LATTICE_BYTES } from '../../../../../host/storage/commit/hash/lattice-hasher.ts'
import { compileCommit } from '../../../../support/engine/commit-module.ts'
import { makeRandom } from '../../../../support/random.ts'
import { NobleHasher } from './noble-hasher.ts'

const EMPTY = new Uint8Array(0)

let module: WebAssembly.Module
let hasher: CommitHasher

beforeAll(async () => {
  module = await compileCommit()
  hasher = new CommitHasher(module)
})

function makeBytes(random: () => number, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => Math.floor(random() * 256))
}

function pack(rows: readonly (readonly [Uint8Array, Uint8Array])[]): Uint8Array {
  const list = new ElementList()
  for (const [key, value] of rows) list.add(EMPTY, key, value)
  return list.bytes
}

const sha256 = (...parts: Uint8Array[]): Uint8Array => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

test('commit.wasm has no imports', () => {
  expect(WebAssembly.Module.imports(module)).toEqual([])
})

describe('LtHash', () => {
  test('agrees with noble for rows at every block and chunk boundary', () => {
    const random = makeRandom(1)
    const noble = new NobleHasher()
    const boundaries = [1, 2, 3, 4, 5, 8, 9, 16, 17, 31].map((chunks) => 1024 * chunks)
    for (const length of [9, 63, 64, 65, 127, 128, 129, 960, 961, 1000, ...boundaries]) {
      for (const near of [length - 1, length, length + 1]) {
        const rows = pack([[makeBytes(random, 1), makeBytes(random, Math.max(1, near - 9))]])
        const start = makeBytes(random, LATTICE_BYTES)
        const wanted = start.slice()
        const got = start.slice()
        noble.add(wanted, rows)
        hasher.add(got, rows)
        expect(got, `seed 1, ${near} bytes`).toEqual(wanted)
        hasher.subtract(got, rows)
        expect(got, `seed 1, ${near} bytes`).toEqual(start)
      }
    }
  })

  test('gives the same result for many rows in one call as for single rows in any order', () => {
    const random = makeRandom(2)
    const rows = Array.from({ length: 300 }, () => {
      const key = makeBytes(random, 1 + Math.floor(random() * 60))
      return [key, makeBytes(random, 1 + Math.floor(random() * 200))] as const
    })
    const together = new Uint8Array(LATTICE_BYTES)
    hasher.add(together, pack(rows))
    const apart = new Uint8Array(LATTICE_BYTES)
    for (const row of rows.toReversed()) hasher.add(apart, pack([row]))
    expect(together).toEqual(apart)
  })

  test('treats a row without key or value as absent', () => {
    const lattice = new Uint8Array(LATTICE_BYTES)
    const byte = Uint8Array.of(1)
    hasher.add(
      lattice,
      pack([
        [EMPTY, byte],
        [byte, EMPTY],
        [EMPTY, EMPTY],
      ]),
    )
    hasher.add(lattice, EMPTY)
    expect(lattice).toEqual(new Uint8Array(LATTICE_BYTES))
  })

  test('hashes the lattice with BLAKE3-256 to its root', () => {
    const lattice = makeBytes(makeRandom(3), LATTICE_BYTES)
    expect(hasher.root(lattice)).toEqual(blake3(lattice))
    expect(hasher.root(new Uint8Array(LATTICE_BYTES))).toEqual(blake3(new Uint8Array(2048)))
  })

  test('splits a batch that exceeds its buffer at a row boundary', () => {
    const value = new Uint8Array(1_000_000).fill(7)
    const rows = Array.from({ length: 9 }, (_, i) => [Uint8Array.of(i + 1), value] as const)
    const together = new Uint8Array(LATTICE_BYTES)
    hasher.add(together, pack(rows))
    const apart = new Uint8Array(LATTICE_BYTES)
    for (const row of rows) hasher.add(apart, pack([row]))
    expect(together).toEqual(apart)
  })

  test('refuses rows that run past the end and leaves the lattice unchanged', () => {
    const rows = pack([[Uint8Array.of(1, 2), Uint8Array.of(3, 4, 5)]])
    for (let length = 1; length < rows.length; length++) {
      const lattice = new Uint8Array(LATTICE_BYTES)
      expect(() => hasher.add(lattice, rows.subarray(0, length))).toThrow(LockstepError)
      expect(lattice).toEqual(new Uint8Array(LATTICE_BYTES))
    }
    const huge = rows.slice()
    huge.fill(0xff, 0, 4)
    expect(() => hasher.add(new Uint8Array(LATTICE_BYTES), huge)).toThrow(LockstepError)
  })

  test('refuses a row larger than its buffer', () => {
    const rows = pack([[Uint8Array.of(1), new Uint8Array(5_000_000)]])
    expect(() => hasher.add(new Uint8Array(LATTICE_BYTES), rows)).toThrow(LockstepError)
  })
})

describe('the simple Merkle tree', () => {
  /** RFC 6962, section 2.1. */
  function expectedRoot(items: readonly Uint8Array[]): Uint8Array {
    if (items.length === 0) return sha256()
    if (items.length === 1) return sha256(Uint8Array.of(0), items[0] as Uint8Array)
    let split = 1
    while (2 * split < items.length) split *= 2
    const left = expectedRoot(items.slice(0, split))
    return sha256(Uint8Array.of(1), left, expectedRoot(items.slice(split)))
  }

  test('splits at the largest power of two below the number of items', () => {
    const random = makeRandom(4)
    const items: Uint8Array[] = []
    for (let count = 0; count <= 70; count++) {
      expect(formatData(hasher.merkleRoot(items)), `${count} items`).toBe(
        formatData(expectedRoot(items)),
      )
      items.push(makeBytes(random, Math.floor(random() * 150)))
    }
  })

  test('has the published roots', () => {
    expect(formatData(hasher.merkleRoot([]))).toBe(
      '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    )
    // Certificate Transparency's leaf hash of the empty string.
    expect(formatData(hasher.merkleRoot([EMPTY]))).toBe(
      '0x6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
    )
  })

  test('refuses items that exceed its buffer', () => {
    expect(() => hasher.merkleRoot([new Uint8Array(4_194_304)])).toThrow(LockstepError)
  })
})

describe('hashing IAVL nodes', () => {
  const varint = (value: bigint): Uint8Array => {
    const bytes: number[] = []
    let rest = value
    for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
    return Uint8Array.from([...bytes, Number(rest)])
  }
  const signed = (value: bigint): Uint8Array => varint(value << 1n)
  const prefixed = (bytes: Uint8Array): Uint8Array =>
    concatBytes([varint(BigInt(bytes.length)), bytes])

  test('hashes a leaf over height, size, version, key and the hash of the value', () => {
    const random = makeRandom(5)
    const leaves = Array.from({ length: 200 }, (_, i) => ({
      version: i === 0 ? (1n << 63n) - 1n : BigInt(Math.floor(random() * 1e9)),
      key: makeBytes(random, Math.floor(random() * 300)),
      value: makeBytes(random, Math.floor(random() * 300)),
    }))
    const wanted = leaves.map(({ version, key, value }) =>
      sha256(signed(0n), signed(1n), signed(version), prefixed(key), prefixed(sha256(value))),
    )
    expect(hasher.iavlLeafHashes(leaves)).toEqual(concatBytes(wanted))
  })

  test('hashes an inner node over height, size, version and both children', () => {
    const random = makeRandom(6)
    const nodes = Array.from({ length: 200 }, (_, i) => ({
      height: 1 + (i % 90),
      size: BigInt(Math.floor(random() * 2 ** 50)),
      version: BigInt(Math.floor(random() * 2 ** 50)),
      left: makeBytes(random, 32),
      right: makeBytes(random, 32),
    }))
    const wanted = nodes.map(({ height, size, version, left, right }) =>
      sha256(
        signed(BigInt(height)),
        signed(size),
        signed(version),
        prefixed(left),
        prefixed(right),
      ),
    )
    expect(hasher.iavlInnerHashes(nodes)).toEqual(concatBytes(wanted))
  })

  test('splits a batch that exceeds its buffer', () => {
    const value = new Uint8Array(1_500_000)
    const leaf = { version: 1n, key: Uint8Array.of(9), value }
    const one = hasher.iavlLeafHashes([leaf])
    expect(hasher.iavlLeafHashes([leaf, leaf, leaf, leaf])).toEqual(
      concatBytes([one, one, one, one]),
    )
    expect(hasher.iavlLeafHashes([])).toEqual(EMPTY)
  })

  test('refuses a key longer than 128 KiB', () => {
    const key = new Uint8Array(128 * 1024)
    expect(hasher.iavlLeafHashes([{ version: 1n, key, value: EMPTY }])).toHaveLength(32)
    const longer = new Uint8Array(key.length + 1)
    expect(() => hasher.iavlLeafHashes([{ version: 1n, key: longer, value: EMPTY }])).toThrow(
      LockstepError,
    )
  })
})

test('the commit hasher computes Keccak-256', () => {
  const data = makeBytes(makeRandom(7), 1000)
  expect(hasher.keccak256(data)).toEqual(keccak_256(data))
  expect(hasher.keccak256(EMPTY)).toEqual(keccak_256(EMPTY))
})
