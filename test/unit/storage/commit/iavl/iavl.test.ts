import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import type { KeyWrite } from '../../../../../host/evm/state/changeset.ts'
import { CommitHasher } from '../../../../../host/storage/commit/hash/commit-hasher.ts'
import { type IavlNode, iavlRoot, writeIavl } from '../../../../../host/storage/commit/iavl/iavl.ts'
import { buildCommitModule } from '../../../../support/engine/commit-module.ts'
import { OracleTree } from '../commit-oracle.ts'

let hasher: CommitHasher

beforeAll(async () => {
  hasher = new CommitHasher(new WebAssembly.Module(readFileSync(await buildCommitModule())))
})

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

const writes: fc.Arbitrary<KeyWrite[]> = fc.array(
  fc.record({
    key: fc.nat(60).map((key) => Uint8Array.of(key)),
    value: fc.option(fc.uint8Array({ maxLength: 3 }), { nil: undefined }),
  }),
  { maxLength: 40 },
)

describe('an IAVL tree', () => {
  test('has the root of a reference implementation after every version', () => {
    fc.assert(
      fc.property(fc.array(writes, { minLength: 1, maxLength: 12 }), (versions) => {
        const oracle = new OracleTree()
        let root: IavlNode | undefined
        for (const [version, batch] of versions.entries()) {
          oracle.write(version + 1, batch)
          root = writeIavl(root, version + 1, batch).root
          expect(hex(iavlRoot(root, hasher))).toBe(hex(oracle.root()))
        }
      }),
      { numRuns: 60 },
    )
  })

  test('leaves the previous version intact and lists each removed node once', () => {
    fc.assert(
      fc.property(fc.array(writes, { minLength: 2, maxLength: 8 }), (versions) => {
        let root: IavlNode | undefined
        for (const [version, batch] of versions.entries()) {
          const before = nodesOf(root)
          const hash = hex(iavlRoot(root, hasher))
          const change = writeIavl(root, version + 1, batch)
          // Clear the cached hashes: recomputing them from unchanged nodes must give the same root.
          for (const node of before) node.hash = undefined
          expect(hex(iavlRoot(root, hasher))).toBe(hash)
          const after = new Set(nodesOf(change.root))
          const fallen = before.filter((node) => !after.has(node))
          expect(new Set(change.orphans)).toEqual(new Set(fallen))
          expect(change.orphans.length).toBe(fallen.length)
          root = change.root
        }
      }),
      { numRuns: 60 },
    )
  })

  test('has the SHA-256 of the empty string as its root before the first key and after the last is removed', () => {
    const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
    expect(hex(iavlRoot(undefined, hasher))).toBe(empty)
    const key = Uint8Array.of(1)
    const { root } = writeIavl(undefined, 1, [{ key, value: key }])
    expect(writeIavl(root, 2, [{ key, value: undefined }]).root).toBeUndefined()
  })

  test('is not affected when the caller reuses its arrays', () => {
    const key = Uint8Array.of(1)
    const value = Uint8Array.of(2)
    const { root } = writeIavl(undefined, 1, [{ key, value }])
    key.fill(9)
    value.fill(9)
    const oracle = new OracleTree()
    oracle.write(1, [{ key: Uint8Array.of(1), value: Uint8Array.of(2) }])
    expect(hex(iavlRoot(root, hasher))).toBe(hex(oracle.root()))
  })
})

function nodesOf(root: IavlNode | undefined): IavlNode[] {
  if (root === undefined) return []
  return [root, ...nodesOf(root.left), ...nodesOf(root.right)]
}
