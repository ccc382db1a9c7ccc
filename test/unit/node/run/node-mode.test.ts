import { chmodSync, cpSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../../../../host/base/config/load.ts'
import { createLogger } from '../../../../host/base/log/pino-logger.ts'
import { neverAborted } from '../../../../host/base/signal.ts'
import { decodeGenesis } from '../../../../host/evm/chain-types/genesis-codec.ts'
import { Disposables } from '../../../../host/node/disposables.ts'
import { homeAt } from '../../../../host/node/home/home.ts'
import { initializeHome } from '../../../../host/node/home/initialize-home.ts'
import { loadSigner } from '../../../../host/node/run/node-mode.ts'
import { makeHome, removeHome } from '../../../support/node/daemon.ts'

const folder = makeHome()
const home = homeAt(join(folder, 'validator'))
const stranger = homeAt(join(folder, 'stranger'))
const GENESIS_TIME = 1_700_000_000_000_000_000n

beforeAll(async () => {
  const options = { preset: '1329', moniker: 'test', overwrite: false, time: GENESIS_TIME } as const
  await initializeHome(home, options)
  await initializeHome(stranger, options)
  cpSync(home.config.genesis, stranger.config.genesis)
})
const closers = new Disposables()
afterAll(async () => {
  await closers.close()
  removeHome(folder)
})

const genesis = () => decodeGenesis(readFileSync(home.config.genesis, 'utf8'))

function signer(at: typeof home, mode: string, ...others: [string, string][]) {
  const flags = new Map([['mode', mode], ...others])
  const { config } = loadConfig({ directory: '/nowhere', environment: {}, flags })
  return loadSigner({
    home: at,
    config,
    genesis: genesis(),
    logger: createLogger({ level: 'error', format: 'plain', write: () => undefined }),
    closers,
    signal: neverAborted(),
    isDriven: false,
  })
}

describe('the mode of a node', () => {
  test('is validator if it signs with the key in genesis', async () => {
    const { publicKey } = (await signer(home, 'validator')) ?? {}
    expect(publicKey).toEqual(genesis().validators[0]?.publicKey)
  })

  test('cannot be validator with another key or without one', async () => {
    await expect(signer(stranger, 'validator')).rejects.toMatchObject({
      code: 'VALIDATOR_KEY',
      message: `mode is validator, but ${stranger.config.validatorKey} is not the key of the validator of genesis.json`,
      hint: expect.stringContaining(`write mode = "full" in ${stranger.config.consensus}`),
    })
    rmSync(stranger.config.validatorKey)
    await expect(signer(stranger, 'validator')).rejects.toMatchObject({
      code: 'VALIDATOR_KEY',
      message: expect.stringMatching(/^Private validator file not found: /),
    })
  })

  test('full does not open the validator key', async () => {
    // Opening a key that others can read is refused.
    chmodSync(home.config.validatorKey, 0o644)
    expect(await signer(home, 'full')).toBeUndefined()
    chmodSync(home.config.validatorKey, 0o600)
  })

  test('defaults to full without a validator key, and an empty mode is refused with one', async () => {
    expect(await signer(stranger, '')).toBeUndefined()
    await expect(signer(home, '')).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: `${home.config.consensus} sets no mode, and ${home.config.validatorKey} is the key of a validator of genesis.json`,
      hint: expect.stringContaining('write mode = "validator" above its sections'),
    })
  })

  test('must be validator with the address of a remote signer', async () => {
    const laddr: [string, string] = ['priv-validator-laddr', 'tcp://127.0.0.1:0']
    await expect(signer(home, 'full', laddr)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: `priv-validator-laddr is set in ${home.config.consensus}, but mode is "full"`,
    })
  })

  test('validator with a remote signer has the key of genesis, and opens no key file', async () => {
    rmSync(home.config.validatorKey)
    const remote = await signer(home, 'validator', ['priv-validator-laddr', 'tcp://127.0.0.1:0'])
    expect(remote?.publicKey).toEqual(genesis().validators[0]?.publicKey)
    expect(remote?.lastSigned.height).toBe(0)
  })

  test('leaves the remote signer to CometBFT, if that is the engine', async () => {
    const engine: [string, string] = ['consensus.engine', 'cometbft']
    const laddr: [string, string] = ['priv-validator-laddr', 'tcp://127.0.0.1:0']
    expect(await signer(home, 'validator', laddr, engine)).toBeUndefined()
  })
})
