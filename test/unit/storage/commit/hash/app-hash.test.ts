import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { appHash } from '../../../../../host/storage/commit/hash/app-hash.ts'
import { CommitHasher } from '../../../../../host/storage/commit/hash/commit-hasher.ts'
import { buildCommitModule } from '../../../../support/engine/commit-module.ts'
import { merkleOracle, sha256 } from '../commit-oracle.ts'

let hasher: CommitHasher

beforeAll(async () => {
  hasher = new CommitHasher(new WebAssembly.Module(readFileSync(await buildCommitModule())))
})

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

describe('the app hash', () => {
  test('is the Merkle root over length-prefixed names and hashed roots, in name order', () => {
    const root = (n: number): Uint8Array => new Uint8Array(32).fill(n)
    const leaf = (name: string, n: number): Buffer =>
      Buffer.concat([
        Buffer.from([name.length]),
        Buffer.from(name),
        Buffer.from([32]),
        sha256(root(n)),
      ])
    const stores = [
      { name: 'staking', root: root(3) },
      { name: 'evm_lattice', root: root(2) },
      { name: 'bank', root: root(1) },
    ]
    const leaves = [leaf('bank', 1), leaf('evm_lattice', 2), leaf('staking', 3)]
    expect(hex(appHash(stores, hasher))).toBe(hex(merkleOracle(leaves)))
    // Written out for two leaves on the left and one on the right, so that the oracle is checked as well.
    const [a, b, c] = leaves.map((item) => sha256(Buffer.from([0]), item))
    const left = sha256(Buffer.from([1]), a as Buffer, b as Buffer)
    expect(hex(appHash(stores, hasher))).toBe(hex(sha256(Buffer.from([1]), left, c as Buffer)))
  })

  test('matches the published roots of RFC 6962, as the oracle does', () => {
    // Inputs and roots of Certificate Transparency's reference tests for Merkle trees.
    const inputs = [
      '',
      '00',
      '10',
      '2021',
      '3031',
      '40414243',
      '5051525354555657',
      '606162636465666768696a6b6c6d6e6f',
    ]
    const roots = [
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
      'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
      '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
      '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
      'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
      '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
    ]
    for (const [i, root] of roots.entries()) {
      const items = inputs.slice(0, i + 1).map((input) => new Uint8Array(Buffer.from(input, 'hex')))
      expect(hex(hasher.merkleRoot(items))).toBe(root)
      expect(hex(merkleOracle(items))).toBe(root)
    }
  })
})
