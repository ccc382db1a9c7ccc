import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadConfig } from '../../../../host/base/config/load.ts'
import { readValidatorKey } from '../../../../host/chain/consensus/validator/key-file.ts'
import { readSignState, UNSIGNED } from '../../../../host/chain/consensus/validator/sign-state.ts'
import { decodeGenesis } from '../../../../host/evm/chain-types/genesis-codec.ts'
import { type Home, homeAt } from '../../../../host/node/home/home.ts'
import {
  type InitializeOptions,
  initializeHome,
} from '../../../../host/node/home/initialize-home.ts'
import { makeHome, removeHome } from '../../../support/node/daemon.ts'

const OPTIONS: InitializeOptions = {
  preset: '1329',
  chainId: 1329n,
  moniker: 'test',
  overwrite: false,
  time: 1_700_000_000_000_000_000n,
}

const FILES = [
  'config/node_key.json',
  'config/priv_validator_key.json',
  'data/priv_validator_state.json',
  'config/config.toml',
  'config/app.toml',
  'config/genesis.json',
]

let home: Home
beforeEach(() => {
  home = homeAt(makeHome())
})
afterEach(() => removeHome(home.root))

const read = (name: string) => readFileSync(join(home.root, name), 'utf8')
const names = (paths: readonly string[]) => paths.map((path) => relative(home.root, path))

describe('initializeHome', () => {
  test('writes every file of a new home, the genesis last', async () => {
    const { written, kept, nodeId } = await initializeHome(home, OPTIONS)
    expect(names(written)).toEqual(FILES)
    expect(kept).toEqual([])
    expect(nodeId).toMatch(/^[0-9a-f]{40}$/)
    expect(await readSignState(home.data.validatorState)).toEqual(UNSIGNED)
    const sources = { directory: home.config.directory, environment: {}, flags: new Map() }
    expect(loadConfig(sources).config.moniker).toBe('test')
  })

  test("makes this node the chain's one validator", async () => {
    await initializeHome(home, OPTIONS)
    const genesis = decodeGenesis(read('config/genesis.json'))
    const { publicKey } = await readValidatorKey(home.config.validatorKey)
    expect(genesis.params.chainId).toBe(1329n)
    expect(genesis.time).toBe(OPTIONS.time)
    expect(genesis.validators).toEqual([{ publicKey, power: 10, name: 'test' }])
  })

  test('makes its files unreadable for other users, whatever the umask', async () => {
    const umask = process.umask(0)
    try {
      await initializeHome(home, OPTIONS)
    } finally {
      process.umask(umask)
    }
    for (const name of FILES) {
      expect(statSync(join(home.root, name)).mode & 0o777, name).toBe(0o600)
    }
    for (const folder of [home.config.directory, home.data.directory]) {
      expect(statSync(folder).mode & 0o777, folder).toBe(0o700)
    }
  })

  test.each([0o644, 0o640, 0o602])('refuses a key of mode %o', async (mode) => {
    await initializeHome(home, OPTIONS)
    for (const path of [home.config.nodeKey, home.config.validatorKey]) {
      chmodSync(path, mode)
      await expect(initializeHome(home, OPTIONS)).rejects.toMatchObject({
        code: 'VALIDATOR_KEY',
        message: `permissions 0${mode.toString(8)} for ${path} are too open`,
      })
      chmodSync(path, 0o400)
    }
    await initializeHome(home, OPTIONS)
  })

  test('changes nothing when it is called again', async () => {
    await initializeHome(home, OPTIONS)
    const before = FILES.map(read)
    const { written, kept } = await initializeHome(home, { ...OPTIONS, moniker: 'other' })
    expect(written).toEqual([])
    expect(names(kept)).toEqual(FILES)
    expect(FILES.map(read)).toEqual(before)
  })

  test.each(FILES)('writes only %s if only that is missing', async (name) => {
    await initializeHome(home, OPTIONS)
    const before = new Map(FILES.map((file) => [file, read(file)]))
    rmSync(join(home.root, name))
    const { written } = await initializeHome(home, OPTIONS)
    expect(names(written)).toEqual([name])
    for (const [file, text] of before) if (file !== name) expect(read(file)).toBe(text)
  })

  test('replaces configuration and genesis when requested, but never keys or the signing state', async () => {
    await initializeHome(home, OPTIONS)
    const keys = FILES.slice(0, 3).map(read)
    writeFileSync(home.config.app, 'halt-height = 9\n')
    const options = { ...OPTIONS, chainId: 1328n, preset: '1328' as const, overwrite: true }
    const { written, genesis } = await initializeHome(home, options)
    expect(names(written)).toEqual(FILES.slice(3))
    expect(genesis?.params.chainId).toBe(1328n)
    expect(read('config/app.toml')).not.toContain('halt-height = 9')
    expect(FILES.slice(0, 3).map(read)).toEqual(keys)
  })

  test('creates a home in mode full that joins a chain, with its own key', async () => {
    const joined = { genesis: undefined, moniker: 'follower', overwrite: false }
    const { written, genesis } = await initializeHome(home, joined)
    expect(names(written)).toEqual(FILES.filter((name) => !/genesis/.test(name)))
    expect(genesis).toBeUndefined()
    const sources = { directory: home.config.directory, environment: {}, flags: new Map() }
    expect(loadConfig(sources).config).toMatchObject({ mode: 'full', moniker: 'follower' })
    rmSync(home.root, { recursive: true })
    await initializeHome(home, OPTIONS)
    expect(loadConfig(sources).config.mode).toBe('validator')
  })

  test('refuses the genesis of another chain', async () => {
    await initializeHome(home, OPTIONS)
    await expect(initializeHome(home, { ...OPTIONS, chainId: 5n })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: `${home.config.genesis} is the genesis of chain 1329, not of 5`,
    })
  })

  test('writes no new signing state beside an existing chain', async () => {
    await initializeHome(home, OPTIONS)
    rmSync(home.data.validatorState)
    mkdirSync(home.data.stateCommit)
    const { written } = await initializeHome(home, OPTIONS)
    expect(written).toEqual([])
    await expect(readSignState(home.data.validatorState)).rejects.toMatchObject({
      code: 'VALIDATOR_KEY',
    })
  })

  test('does not touch a damaged key', async () => {
    await initializeHome(home, OPTIONS)
    writeFileSync(home.config.validatorKey, '{}')
    await expect(initializeHome(home, OPTIONS)).rejects.toMatchObject({ code: 'VALIDATOR_KEY' })
    expect(read('config/priv_validator_key.json')).toBe('{}')
  })
})
