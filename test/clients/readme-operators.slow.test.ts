import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, test } from 'vitest'
import { readModule } from '../../host/node/wasm.ts'
import { CommitHasher } from '../../host/storage/commit/hash/commit-hasher.ts'
import { MINTED_GENESIS, mintChain } from '../support/chain/mint-chain.ts'
import { GUIDES } from './readme/readme-parts.ts'
import { ReadmeReader } from './readme/readme-reader.ts'

const reader = await ReadmeReader.arrive()

afterAll(() => reader?.leave())

test.skipIf(reader === undefined)(
  'the operator guides work as described if followed in order with an empty home',
  async () => {
    const { checkout } = reader as ReadmeReader
    const hasher = new CommitHasher(new WebAssembly.Module(await readModule('commit')))
    writeFileSync(join(checkout, 'chain.rlp'), Buffer.concat(mintChain(hasher, 3).blocks))
    writeFileSync(join(checkout, 'genesis.json'), MINTED_GENESIS)
    await reader?.read(GUIDES.operators)
  },
  600_000,
)
