import { readFileSync } from 'node:fs'
import { ics23 } from '@confio/ics23'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { encodeCommitmentProof } from '../../../../../host/chain/consensus/comet/commitment-proof.ts'
import type { KeyWrite } from '../../../../../host/evm/state/changeset.ts'
import { appHash } from '../../../../../host/storage/commit/hash/app-hash.ts'
import { CommitHasher } from '../../../../../host/storage/commit/hash/commit-hasher.ts'
import { type IavlNode, iavlRoot, writeIavl } from '../../../../../host/storage/commit/iavl/iavl.ts'
import type {
  CommitmentProof,
  ExistenceProof,
  InnerOp,
} from '../../../../../host/storage/commit/proof/commitment-proof.ts'
import { proveIavl } from '../../../../../host/storage/commit/proof/iavl-proof.ts'
import { proveStore } from '../../../../../host/storage/commit/proof/simple-proof.ts'
import { buildCommitModule } from '../../../../support/engine/commit-module.ts'
import { verifyIavl, verifyStore } from '../../../../support/node/light-client.ts'
import { OracleTree } from '../commit-oracle.ts'
import vectors from './ics23-vectors.json' with { type: 'json' }

let hasher: CommitHasher

beforeAll(async () => {
  hasher = new CommitHasher(new WebAssembly.Module(readFileSync(await buildCommitModule())))
})

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const unhex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'))

const IN_MEMORY = {
  left: (node: IavlNode) => node.left as IavlNode,
  right: (node: IavlNode) => node.right as IavlNode,
}

/** Even keys are written. The odd keys between them and at both ends stay absent. */
const KEYS = Array.from({ length: 41 }, (_, n) => Uint8Array.of(n))

/** ICS-23 does not allow empty values. */
const writes: fc.Arbitrary<KeyWrite[]> = fc.array(
  fc.record({
    key: fc.nat(19).map((n) => KEYS[2 * n + 1] as Uint8Array),
    value: fc.option(fc.uint8Array({ minLength: 1, maxLength: 3 }), { nil: undefined }),
  }),
  { maxLength: 25 },
)

const histories = fc.array(writes, { minLength: 1, maxLength: 8 })

interface Version {
  readonly tree: IavlNode | undefined
  readonly root: Uint8Array
  readonly values: ReadonlyMap<number, Uint8Array>
}

/** Returns every version of a tree with the root hash of the plain implementation. */
function replay(history: readonly (readonly KeyWrite[])[]): Version[] {
  const oracle = new OracleTree()
  const values = new Map<number, Uint8Array>()
  let tree: IavlNode | undefined
  return history.map((batch, version) => {
    oracle.write(version, batch)
    tree = writeIavl(tree, version, batch).root
    iavlRoot(tree, hasher)
    for (const { key, value } of batch) {
      if (value === undefined) values.delete(key[0] as number)
      else values.set(key[0] as number, value)
    }
    return { tree, root: new Uint8Array(oracle.root()), values: new Map(values) }
  })
}

function prove({ tree }: Version, key: Uint8Array): CommitmentProof {
  return proveIavl(tree, IN_MEMORY, key)
}

describe('the proof of a key', () => {
  test('verifies against the root of its version, whether the key exists or not', () => {
    fc.assert(
      fc.property(histories, (history) => {
        for (const version of replay(history)) {
          if (version.tree === undefined) continue
          for (const key of KEYS) {
            const value = version.values.get(key[0] as number)
            verifyIavl(encodeCommitmentProof(prove(version, key)), version.root, key, value)
          }
        }
      }),
      { numRuns: 40 },
    )
  })

  test('of an empty tree has no neighbours, since its root states that the tree is empty', () => {
    const key = Uint8Array.of(7)
    const proof = proveIavl(undefined, IN_MEMORY, key)
    expect(proof).toEqual({ kind: 'nonexist', key, left: undefined, right: undefined })
    const root = iavlRoot(undefined, hasher)
    expect(() => verifyIavl(encodeCommitmentProof(proof), root, key, undefined)).toThrow(
      'neither left nor right proof defined',
    )
  })

  test('fails for any other root, key or value', () => {
    fc.assert(
      fc.property(histories, fc.nat(19), (history, n) => {
        const versions = replay([
          ...history,
          [{ key: KEYS[2 * n + 1] as Uint8Array, value: KEYS[9] }],
        ])
        const newest = versions.at(-1) as Version
        const key = KEYS[2 * n + 1] as Uint8Array
        const value = newest.values.get(2 * n + 1) as Uint8Array
        const proof = encodeCommitmentProof(prove(newest, key))
        verifyIavl(proof, newest.root, key, value)
        for (const { root } of versions) {
          if (hex(root) === hex(newest.root)) continue
          expect(() => verifyIavl(proof, root, key, value)).toThrow()
        }
        expect(() => verifyIavl(proof, newest.root, key, Uint8Array.of(9, 9, 9, 9))).toThrow()
        expect(() => verifyIavl(proof, newest.root, Uint8Array.of(200), value)).toThrow()
        expect(() => verifyIavl(proof, newest.root, key, undefined)).toThrow()
      }),
      { numRuns: 40 },
    )
  })

  test('fails if a bit is flipped, a step omitted or repeated, or the steps reversed', () => {
    fc.assert(
      fc.property(histories, fc.nat(), fc.nat(7), (history, at, bit) => {
        const key = KEYS[1] as Uint8Array
        const batch = [key, KEYS[3] as Uint8Array].map((each) => ({ key: each, value: each }))
        const newest = replay([...history, batch]).at(-1) as Version
        const proof = prove(newest, key) as ExistenceProof
        const refused = (changed: ExistenceProof): void => {
          const encoded = encodeCommitmentProof(changed)
          expect(() => verifyIavl(encoded, newest.root, key, key)).toThrow()
        }
        refused(flipBit(proof, at, bit))
        const step = at % proof.path.length
        refused({ ...proof, path: proof.path.filter((_, i) => i !== step) })
        refused({ ...proof, path: proof.path.toSpliced(step, 0, proof.path[step] as InnerOp) })
        if (proof.path.length > 1) refused({ ...proof, path: proof.path.toReversed() })
      }),
      { numRuns: 200 },
    )
  })

  test('of absence fails if a key lies between the neighbours or one of the two is omitted', () => {
    fc.assert(
      fc.property(histories, fc.nat(17), (history, n) => {
        const [left, key, right] = [2 * n + 1, 2 * n + 3, 2 * n + 5].map((at) => KEYS[at]) as [
          Uint8Array,
          Uint8Array,
          Uint8Array,
        ]
        const batch = [left, key, right].map((each) => ({ key: each, value: each }))
        const version = replay([...history, batch]).at(-1) as Version
        const refused = (sides: { left?: ExistenceProof; right?: ExistenceProof }): void => {
          const proof = {
            kind: 'nonexist',
            key,
            left: undefined,
            right: undefined,
            ...sides,
          } as const
          const encoded = encodeCommitmentProof(proof)
          expect(() => verifyIavl(encoded, version.root, key, undefined)).toThrow()
        }
        const [below, above] = [left, right].map((each) => prove(version, each)) as [
          ExistenceProof,
          ExistenceProof,
        ]
        refused({ left: below, right: above })
        refused({ left: below })
        refused({ right: above })
      }),
      { numRuns: 40 },
    )
  })
})

describe('the proof of a store', () => {
  const storesOf = (count: number) =>
    Array.from({ length: count }, (_, n) => ({
      name: `store${(n * 23) % count}`,
      root: new Uint8Array(32).fill(n),
    }))

  test('verifies against the app hash for any number of stores', () => {
    for (let count = 1; count <= 20; count++) {
      const stores = storesOf(count)
      const hash = appHash(stores, hasher)
      for (const { name, root } of stores) {
        const proof = encodeCommitmentProof(proveStore(stores, name, hasher) as ExistenceProof)
        verifyStore(proof, hash, name, root)
        expect(() => verifyStore(proof, hash, `${name}x`, root)).toThrow()
        expect(() => verifyStore(proof, hash, name, new Uint8Array(32).fill(99))).toThrow()
        expect(() => verifyStore(proof, new Uint8Array(32), name, root)).toThrow()
      }
    }
  })

  test('is refused for a store that does not exist', () => {
    expect(proveStore(storesOf(3), 'gov', hasher)).toBeUndefined()
  })
})

describe('the encoding of proofs', () => {
  test.each(vectors.proofs)('equals that of ICS-23 byte for byte: $name', (vector) => {
    const key = unhex(vector.key)
    const published = unhex(vector.proof)
    expect(hex(encodeCommitmentProof(read(published)))).toBe(vector.proof)
    const root = unhex(vector.root)
    const value = vector.value === undefined ? undefined : unhex(vector.value)
    if (vector.name.startsWith('iavl/')) verifyIavl(published, root, key, value)
    else {
      const { exist } = ics23.CommitmentProof.decode(published)
      expect(hex(exist?.key as Uint8Array)).toBe(vector.key)
      verifyStore(published, root, Buffer.from(key).toString(), value as Uint8Array)
    }
  })
})

/** Returns the proof with one bit of one field flipped. */
function flipBit(proof: ExistenceProof, at: number, bit: number): ExistenceProof {
  const changed = structuredClone(proof)
  const { key, value, leafPrefix, path } = changed
  const fields = [key, value, leafPrefix, ...path.flatMap(({ prefix, suffix }) => [prefix, suffix])]
  const bytes = fields.filter(({ length }) => length > 0)
  const field = bytes[at % bytes.length] as Uint8Array
  const index = Math.floor(at / bytes.length) % field.length
  field[index] = (field[index] as number) ^ (1 << bit)
  return changed
}

/** Decodes a published proof into the host's type. */
function read(encoded: Uint8Array): CommitmentProof {
  const { exist, nonexist } = ics23.CommitmentProof.decode(encoded)
  if (exist != null) return existenceOf(exist)
  const side = (proof: ics23.IExistenceProof | null | undefined) =>
    proof == null ? undefined : existenceOf(proof)
  return {
    kind: 'nonexist',
    key: nonexist?.key as Uint8Array,
    left: side(nonexist?.left),
    right: side(nonexist?.right),
  }
}

function existenceOf({ key, value, leaf, path }: ics23.IExistenceProof): ExistenceProof {
  return {
    kind: 'exist',
    key: key as Uint8Array,
    value: value as Uint8Array,
    leafPrefix: leaf?.prefix as Uint8Array,
    path: (path ?? []).map(({ prefix, suffix }) => ({
      prefix: prefix as Uint8Array,
      suffix: suffix as Uint8Array,
    })),
  }
}
