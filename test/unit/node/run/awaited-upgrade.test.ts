import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadConfig } from '../../../../host/base/config/load.ts'
import type { Logger } from '../../../../host/base/log/logger.ts'
import { presetGenesis } from '../../../../host/evm/chain-types/genesis-presets.ts'
import { homeAt } from '../../../../host/node/home/home.ts'
import {
  awaitedUpgradeOf,
  nextUpgrade,
  refuseUpgrade,
  upgradePlans,
} from '../../../../host/node/run/awaited-upgrade.ts'

const V2 = { name: 'v2', height: 50 }
const V3 = { name: 'v3', height: 90 }

test('plans of genesis.json and app.toml are joined in order of height', () => {
  expect(upgradePlans({ upgrades: [V3] }, { upgradePlans: [V2, V3] })).toEqual([V2, V3])
  expect(upgradePlans({}, { upgradePlans: [] })).toEqual([])
})

test.each([
  { name: 'v2', height: 51 },
  { name: 'other', height: 50 },
])('app.toml may not move or rename a plan of genesis.json: $name@$height', (plan) => {
  expect(() => upgradePlans({ upgrades: [V2] }, { upgradePlans: [plan] })).toThrow(
    expect.objectContaining({
      code: 'CONFIG_INVALID',
      message: `upgrade-plans ${plan.name}@${plan.height} contradict those of genesis.json: v2@50`,
    }),
  )
})

describe('a release', () => {
  test('waits for the first plan that it does not contain', () => {
    expect(nextUpgrade([V2, V3], [], 49)).toEqual(V2)
    expect(nextUpgrade([V2, V3], ['v2'], 49)).toEqual(V3)
    expect(nextUpgrade([V2, V3], ['v2'], 70)).toEqual(V3)
    expect(nextUpgrade([V2, V3], ['v2', 'v3'], 70)).toBeUndefined()
  })

  test('refuses a chain that has passed an upgrade that it does not contain', () => {
    expect(() => nextUpgrade([V2, V3], [], 50)).toThrow(
      expect.objectContaining({
        code: 'UPGRADE_NEEDED',
        message:
          'this release does not contain upgrade "v2" of height 50, and the chain is at height 50',
      }),
    )
  })
})

test('a development chain refuses a plan', () => {
  expect(() => refuseUpgrade({ plan: V2, onReached: () => {} })).toThrow(
    'upgrade v2@50 is planned, but a development chain has no upgrades',
  )
  expect(() => refuseUpgrade(undefined)).not.toThrow()
})

describe('a reached upgrade', () => {
  let folder: string
  let lines: string[]
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lockstep-upgrade-'))
    lines = []
  })
  afterEach(() => {
    chmodSync(folder, 0o700)
    rmSync(folder, { recursive: true })
  })

  function reach(): void {
    const logger = { error: (message: string) => lines.push(message) } as unknown as Logger
    const sources = {
      directory: folder,
      environment: {},
      flags: new Map([['upgrade-plans', 'v2@50']]),
    }
    const { config } = loadConfig(sources)
    const genesis = presetGenesis('1329', { time: 0n, validators: [] })
    awaitedUpgradeOf({ home: homeAt(folder), config, genesis, logger, height: 49 })?.onReached()
  }

  test('writes the file that cosmovisor reads, then logs the message of Cosmos SDK', () => {
    mkdirSync(join(folder, 'data'))
    reach()
    expect(readdirSync(join(folder, 'data'))).toEqual(['upgrade-info.json'])
    expect(JSON.parse(readFileSync(join(folder, 'data/upgrade-info.json'), 'utf8'))).toEqual({
      name: 'v2',
      height: 50,
      info: '',
    })
    expect(lines).toEqual(['UPGRADE "v2" NEEDED at height: 50: '])
  })

  test('is logged even if the file cannot be written', () => {
    // No folder data
    reach()
    expect(lines).toEqual([
      'upgrade-info.json cannot be written: replace the release by hand',
      'UPGRADE "v2" NEEDED at height: 50: ',
    ])
  })
})
