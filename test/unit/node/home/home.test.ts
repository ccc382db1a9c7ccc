import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { defaultHome, homeAt } from '../../../../host/node/home/home.ts'

describe('homeAt', () => {
  test('uses the file names of the contract', () => {
    const root = resolve('/srv/node')
    const home = homeAt('/srv/node')
    expect(home.root).toBe(root)
    expect(home.config.app).toBe(join(root, 'config/app.toml'))
    expect(home.config.consensus).toBe(join(root, 'config/config.toml'))
    expect(home.config.genesis).toBe(join(root, 'config/genesis.json'))
    expect(home.config.validatorKey).toBe(join(root, 'config/priv_validator_key.json'))
    expect(home.data.validatorState).toBe(join(root, 'data/priv_validator_state.json'))
    expect(home.data.evmState).toBe(join(root, 'data/evm_ss'))
    expect(home.data.generalState).toBe(join(root, 'data/pebbledb'))
    expect(home.data.stateCommit).toBe(join(root, 'data/committer.db'))
    expect(home.data.snapshots).toBe(join(root, 'data/snapshots'))
  })

  test('returns an absolute path', () => {
    expect(homeAt('here').root).toBe(resolve('here'))
  })
})

describe('defaultHome', () => {
  test("is LOCKSTEP_HOME, or else a folder in the user's home that differs for --dev", () => {
    expect(defaultHome({ LOCKSTEP_HOME: '/a' }, false)).toBe('/a')
    expect(defaultHome({ LOCKSTEP_HOME: '/a' }, true)).toBe('/a')
    expect(defaultHome({ LOCKSTEP_HOME: '' }, false)).toBe(join(homedir(), '.lockstep'))
    expect(defaultHome({}, false)).toBe(join(homedir(), '.lockstep'))
    expect(defaultHome({}, true)).toBe(join(homedir(), '.lockstep', 'dev'))
  })
})
