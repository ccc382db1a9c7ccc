import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { loadConfig } from '../../../../host/base/config/load.ts'
import { withKey } from '../../../../host/base/config/set-key.ts'
import { generateKey } from '../../../../host/chain/consensus/comet/ed25519.ts'
import { writeValidatorKey } from '../../../../host/chain/consensus/validator/key-file.ts'
import { UNSIGNED, writeSignState } from '../../../../host/chain/consensus/validator/sign-state.ts'
import { presetGenesis } from '../../../../host/evm/chain-types/genesis-presets.ts'
import { type Home, homeAt } from '../../../../host/node/home/home.ts'
import { initializeHome } from '../../../../host/node/home/initialize-home.ts'
import {
  migrateToSplit,
  migrationFolder,
  planSplitMigration,
  type SplitMigrationOptions,
} from '../../../../host/node/offline/split-migration.ts'
import { makeHome, removeHome } from '../../../support/node/daemon.ts'
import { makeRandom, runSeed } from '../../../support/random.ts'
import { bySet } from '../../../support/run/by-set.ts'
import { Died, FileFaults } from '../../../support/store/file-faults.ts'

const VALIDATOR = generateKey()
const GENESIS = presetGenesis('1329', {
  validators: [{ publicKey: VALIDATOR.publicKey, power: 10, name: 'v' }],
  time: 1_790_000_000_000_000_000n,
})
const HASH = 'AB'.repeat(32)
const seed = runSeed()

/** Distance between the calls at which a run dies. */
const STRIDE = bySet(9, 2)

let primary: Server
let from: string
/** Status of the primary. */
let network = GENESIS.consensusChainId
let latest = 25_000

/** Answers `status` and `commit` like the consensus RPC of a node, with a commit that is not verified here. */
function answer(method: string, params: { height?: string }): object {
  if (method === 'status') {
    return {
      node_info: { network },
      sync_info: { latest_block_height: String(latest), earliest_block_height: '1' },
    }
  }
  return signedHeader(params.height ?? '0')
}

function signedHeader(height: string): object {
  const parts = { total: 1, hash: HASH }
  return {
    signed_header: {
      header: {
        version: { block: '11', app: '0' },
        chain_id: network,
        height,
        time: '2026-11-22T00:00:00Z',
        last_block_id: { hash: HASH, parts },
        last_commit_hash: HASH,
        data_hash: HASH,
        validators_hash: HASH,
        next_validators_hash: HASH,
        consensus_hash: HASH,
        app_hash: HASH,
        last_results_hash: HASH,
        evidence_hash: HASH,
        proposer_address: 'AB'.repeat(20),
      },
      commit: {
        height,
        round: 0,
        block_id: { hash: HASH, parts },
        signatures: [
          {
            block_id_flag: 2,
            validator_address: 'AB'.repeat(20),
            timestamp: '2026-11-22T00:00:00Z',
            signature: Buffer.alloc(64).toString('base64'),
          },
        ],
      },
    },
    canonical: true,
  }
}

beforeAll(async () => {
  primary = createServer((request, response) => {
    let body = ''
    request.on('data', (data) => {
      body += data
    })
    request.on('end', () => {
      const { method, params, id } = JSON.parse(body)
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: answer(method, params) }))
    })
  })
  await new Promise<void>((resolve) => primary.listen(0, '127.0.0.1', resolve))
  from = `http://127.0.0.1:${(primary.address() as AddressInfo).port}`
})
afterAll(() => primary.close())

let home: Home
let steps: string[]

beforeEach(async () => {
  network = GENESIS.consensusChainId
  latest = 25_000
  home = homeAt(makeHome())
  steps = []
  await initializeHome(home, { genesis: GENESIS, moniker: 'alice', overwrite: false })
  // An RPC node may have a key too, different from that of the validator.
  await writeValidatorKey(home.config.validatorKey, generateKey())
  await writeSignState(home.data.validatorState, { ...UNSIGNED, height: 7, step: 3 })
  const app = readFileSync(home.config.app, 'utf8')
  writeFileSync(home.config.app, withKey(app, 'evm', 'http_port', 18_545))
  for (const name of ['pebbledb', 'committer.db', 'snapshots']) {
    mkdirSync(join(home.data.directory, name))
    writeFileSync(join(home.data.directory, name, 'rows'), 'x'.repeat(1000))
  }
  mkdirSync(join(home.root, 'wasm'))
})
afterEach(() => removeHome(home.root))

function options(flags: ReadonlyMap<string, string> = new Map()): SplitMigrationOptions {
  const sources = { directory: home.config.directory, environment: {}, flags }
  const { config } = loadConfig(sources)
  return {
    home,
    config,
    source: { from },
    backend: 'pebbledb',
    onStep: (text) => steps.push(text),
    onImport: () => {},
  }
}

const KEPT = () => [home.data.validatorState, home.config.validatorKey, home.config.genesis]
const contents = () => KEPT().map((path) => readFileSync(path, 'utf8'))

/** Expects the home as a completed migration leaves it. */
function expectMigrated(before: readonly string[]): void {
  expect(contents()).toEqual(before)
  expect(readdirSync(home.data.directory)).toEqual(['priv_validator_state.json'])
  expect(existsSync(join(home.root, 'wasm'))).toBe(false)
  const app = readFileSync(home.config.app, 'utf8')
  expect(app).toMatch(/^evm-ss-split = true$/m)
  expect(app).toMatch(/^ss-backend = "pebbledb"$/m)
  expect(app).toMatch(/^http_port = 18545$/m)
  const consensus = readFileSync(home.config.consensus, 'utf8')
  expect(consensus).toMatch(/^moniker = "alice"$/m)
  expect(consensus).toMatch(/^mode = "full"$/m)
  const section = consensus.slice(consensus.indexOf('[statesync]'))
  for (const line of [
    'enable = true',
    `rpc-servers = "${from},${from}"`,
    'trust-height = 15000',
    `trust-hash = "${HASH}"`,
  ]) {
    expect(section.split('\n')).toContain(line)
  }
}

describe('the migration to the split store', () => {
  test('saves, deletes, rewrites and restores', async () => {
    const before = contents()
    const plan = await planSplitMigration(options())
    expect(plan).toHaveLength(7)
    expect(plan[4]).toBe(`set [statesync] to ${from}, trust height 15000, trust hash ${HASH}`)
    expect(existsSync(migrationFolder(home))).toBe(false)
    expect(contents()).toEqual(before)
    await migrateToSplit(options())
    expectMigrated(before)
    const [first, ...rest] = steps
    expect(first).toMatch(/^Saving the key/)
    expect(rest.slice(0, -2)).toContain('Deleting data/pebbledb')
    expect(rest.slice(-2).map((text) => text.split(' ')[0])).toEqual(['Writing', 'Restoring'])
  })

  test(`completes when it is run again after an interruption anywhere, even a power loss (LOCKSTEP_SEED=${seed})`, async () => {
    const random = makeRandom(seed)
    const before = contents()
    const pristine = join(home.root, '..', `${home.root.split('/').at(-1)}-pristine`)
    cpSync(home.root, pristine, { recursive: true })
    const settings = options()
    const faults = await FileFaults.install(home.root)
    try {
      for (let fatal = 0; ; fatal += STRIDE) {
        faults.arm(fatal)
        const died = await migrateToSplit(settings).then(
          () => false,
          (thrown: unknown) => {
            // A reader may wrap the failure in its own error.
            const { cause } = thrown as Error
            if (thrown instanceof Died || cause instanceof Died) return true
            throw thrown
          },
        )
        if (died && random() < 0.5) faults.losePower(random)
        faults.arm()
        // Nothing is deleted before the copies are verified.
        const saved = existsSync(join(migrationFolder(home), 'migration.json'))
        if (!saved) expect(contents()).toEqual(before)
        if (died) await migrateToSplit(settings)
        expectMigrated(before)
        if (!died) {
          expect(fatal).toBeGreaterThan(60)
          return
        }
        rmSync(home.root, { recursive: true })
        cpSync(pristine, home.root, { recursive: true })
      }
    } finally {
      faults.uninstall()
      rmSync(pristine, { recursive: true })
    }
  }, 120_000)

  test('deletes nothing if a copy differs from what was saved', async () => {
    const settings = options()
    await migrateToSplit(settings)
    const folder = migrationFolder(home)
    const progress = JSON.parse(readFileSync(join(folder, 'migration.json'), 'utf8'))
    writeFileSync(join(folder, 'migration.json'), JSON.stringify({ ...progress, done: 'saved' }))
    writeFileSync(join(folder, 'genesis.json'), '{}')
    writeFileSync(join(home.data.directory, 'rows'), 'x')
    await expect(migrateToSplit(settings)).rejects.toMatchObject({ code: 'STORE_CORRUPTED' })
    expect(existsSync(join(home.data.directory, 'rows'))).toBe(true)
  })

  test.each([
    ['a validator', 'mode', 'validator', 'is the home of a validator'],
    ['an archive', 'state-store.ss-keep-recent', '0', 'is an archive (ss-keep-recent = 0)'],
  ])('refuses %s', async (_, flag, value, message) => {
    const before = contents()
    const settings = options(new Map([[flag, value]]))
    for (const run of [planSplitMigration, migrateToSplit]) {
      await expect(run(settings)).rejects.toMatchObject({
        code: 'UNSUPPORTED',
        message: expect.stringContaining(message),
      })
    }
    expect(contents()).toEqual(before)
    expect(existsSync(migrationFolder(home))).toBe(false)
  })

  test("refuses a validator's key without a mode, another chain, and a missing primary", async () => {
    await expect(
      migrateToSplit({ ...options(), source: { from: 'http://127.0.0.1:1' } }),
    ).rejects.toMatchObject({ code: 'NODE_UNREACHABLE' })
    network = 'other-1'
    await expect(migrateToSplit(options())).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: `${from} is of chain other-1, but this home is of ${GENESIS.consensusChainId}`,
    })
    await writeValidatorKey(home.config.validatorKey, VALIDATOR)
    writeFileSync(
      home.config.consensus,
      withKey(readFileSync(home.config.consensus, 'utf8'), '', 'mode', ''),
    )
    await expect(migrateToSplit(options())).rejects.toMatchObject({ code: 'UNSUPPORTED' })
    expect(existsSync(migrationFolder(home))).toBe(false)
  })

  test('trusts the latest block of a short chain', async () => {
    latest = 9_000
    const plan = await planSplitMigration(options())
    expect(plan[4]).toContain('trust height 9000,')
  })
})
