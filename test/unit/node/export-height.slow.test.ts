import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadConfig } from '../../../host/base/config/load.ts'
import { hexDigits } from '../../../host/base/hex.ts'
import { createLogger } from '../../../host/base/log/pino-logger.ts'
import { verifySnapshot } from '../../../host/chain/snapshot/verify-snapshot.ts'
import { encodeGenesis } from '../../../host/evm/chain-types/genesis-codec.ts'
import { homeAt } from '../../../host/node/home/home.ts'
import { exportHome, type HomeContext } from '../../../host/node/offline/home-snapshots.ts'
import { CommitHasher } from '../../../host/storage/commit/hash/commit-hasher.ts'
import { buildCommitModule } from '../../support/engine/commit-module.ts'
import { makeRandom, runSeed } from '../../support/random.ts'
import { genesis, RandomChain } from '../chain/snapshot/random-chain.ts'
import {
  importInto,
  makeDir,
  removeDir,
  SEPARATE,
  SnapshotHome,
  UNSPLIT,
} from '../chain/snapshot/snapshot-home.ts'
import { stateOf } from '../chain/snapshot/state-of.ts'

const HEIGHT = 60
const seed = runSeed()

const root = makeDir()
afterAll(() => removeDir(root))

let module: WebAssembly.Module
let context: HomeContext
/** States by height. */
const states: unknown[] = []
const appHashes: string[] = []

beforeAll(async () => {
  module = new WebAssembly.Module(readFileSync(await buildCommitModule()))
  const home = homeAt(join(root, 'home'))
  mkdirSync(home.config.directory, { recursive: true })
  writeFileSync(home.config.genesis, encodeGenesis(genesis))
  const { config } = loadConfig({
    directory: home.config.directory,
    environment: {},
    flags: new Map(),
  })
  const logger = createLogger({ level: 'error', format: 'plain', write: () => {} })
  context = { home, config, logger }
  const chain = new RandomChain(seed, new CommitHasher(module))
  const stores = await SnapshotHome.open(home.data.directory, UNSPLIT, module)
  for (let height = 0; height <= HEIGHT; height++) {
    await stores.grow(chain, height)
    states.push(stateOf(stores, height))
    appHashes.push(hexDigits(stores.committer.appHash))
  }
  await stores.close()
})

test(`a snapshot of an earlier height has the state of that height (LOCKSTEP_SEED=${seed})`, async () => {
  const random = makeRandom(seed)
  for (const height of [1, 1 + Math.floor(random() * HEIGHT), HEIGHT - 1, HEIGHT]) {
    const { dir, metadata } = await exportHome(context, height, () => {})
    expect(metadata).toMatchObject({ height, appHash: appHashes[height] })
    await verifySnapshot({ dir, genesis, hasher: new CommitHasher(module) })
    const to = join(root, `import-${height}`)
    await importInto(dir, to, SEPARATE, module)
    const imported = await SnapshotHome.open(to, SEPARATE, module)
    expect(stateOf(imported, height)).toEqual(states[height])
    await imported.close()
    removeDir(to)
    expect(existsSync(join(context.home.data.directory, 'committer.export'))).toBe(false)
  }
  // The home itself is still at its latest height.
  const home = await SnapshotHome.open(context.home.data.directory, UNSPLIT, module)
  expect(home.committer.version).toBe(HEIGHT)
  expect(hexDigits(home.committer.appHash)).toBe(appHashes[HEIGHT])
  await home.close()
})

test('exporting an unavailable height is refused', async () => {
  await expect(exportHome(context, HEIGHT + 5, () => {})).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: `the state of height ${HEIGHT + 5} cannot be exported: the state commit is at height ${HEIGHT}`,
  })
})
