import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../../../../host/base/config/load.ts'
import type { Config } from '../../../../host/base/config/schema.ts'
import { parseFixedData } from '../../../../host/base/hex.ts'
import { CREATE2_DEPLOYER_ADDRESS } from '../../../../host/evm/chain-types/create2-deployer.ts'
import type { Genesis } from '../../../../host/evm/chain-types/genesis.ts'
import { decodeGenesis, writableGenesis } from '../../../../host/evm/chain-types/genesis-codec.ts'
import { presetGenesis } from '../../../../host/evm/chain-types/genesis-presets.ts'
import { checkDevGenesis, devGenesis, hardforkOf } from '../../../../host/node/home/dev-genesis.ts'
import { makeHome, removeHome } from '../../../support/node/daemon.ts'

const folder = makeHome()
afterAll(() => removeHome(folder))

function devConfig(settings: Record<string, string> = {}): Config['dev'] {
  const flags = new Map(Object.entries(settings).map(([key, value]) => [`dev.${key}`, value]))
  return loadConfig({ directory: '/nonexistent', environment: {}, flags }).config.dev
}

/** Returns the genesis of a new chain with these settings, as it is read from its file. */
function genesisWith(settings: Record<string, string>): Genesis {
  const { choices, time = 7_000_000_000n } = devGenesis(devConfig(settings))
  const validator = { publicKey: new Uint8Array(32).fill(1), power: 10, name: 'one' }
  const options = { time, validators: [validator], isDevelopment: true }
  return decodeGenesis(writableGenesis(presetGenesis('dev', { ...options, choices })))
}

const hasAccount = ({ accounts }: Genesis, address: string) =>
  accounts.some(
    (account) => Buffer.from(account.address).toString('hex') === address.slice(2).toLowerCase(),
  )

describe('the first block of a development chain', () => {
  test('is that of the preset without settings', () => {
    const { choices, chainId, time } = devGenesis(devConfig())
    expect([chainId, time]).toEqual([undefined, undefined])
    const genesis = genesisWith({})
    expect(genesis.params.revision).toBe('Prague')
    expect(genesis.params.feeMarket.initialBaseFee).toBe(1_000_000_000n)
    expect(hasAccount(genesis, CREATE2_DEPLOYER_ADDRESS)).toBe(true)
    expect(choices.accounts).toEqual([])
  })

  test.each([
    ['0', 0n, 0n, 1_000_000_000_000n],
    ['7', 7n, 7n, 1_000_000_000_000n],
    ['5000000000000', 5_000_000_000_000n, 1_000_000_000n, 5_000_000_000_000n],
  ])('has the base fee %s, and the bounds contain it', (text, initial, least, most) => {
    const { feeMarket } = genesisWith({ 'base-fee': text }).params
    const { initialBaseFee, minBaseFee, maxBaseFee } = feeMarket
    expect([initialBaseFee, minBaseFee, maxBaseFee]).toEqual([initial, least, most])
  })

  test('has the time, revision and accounts that are set', () => {
    const settings = { timestamp: '1000', hardfork: 'Cancun', 'create2-deployer': 'false' }
    const genesis = genesisWith(settings)
    expect(genesis.time).toBe(1_000_000_000_000n)
    expect(genesis.params.revision).toBe('Cancun')
    expect(hasAccount(genesis, CREATE2_DEPLOYER_ADDRESS)).toBe(false)
  })
})

describe('a genesis.json of Ethereum', () => {
  const owner = 'f39fd6e51aad88f6f4ce6ab8827279cfffb92266'
  const other = '00000000000000000000000000000000000000aa'
  const path = join(folder, 'ethereum.json')
  const document = {
    config: { chainId: 777, terminalTotalDifficulty: 0 },
    timestamp: '0x3e8',
    gasLimit: '0x1312d00',
    difficulty: '0x0',
    baseFeePerGas: '0x77359400',
    coinbase: '0x00000000000000000000000000000000000000cc',
    alloc: {
      [owner]: { balance: '12345' },
      [`0x${other}`]: { balance: '0x64', nonce: '0x3', code: '0x60015f55' },
    },
  }
  writeFileSync(path, JSON.stringify(document))

  test('gives its accounts, chain id, time, base fee and coinbase', () => {
    expect(devGenesis(devConfig({ init: path })).chainId).toBe(777n)
    const { accounts, params, time } = genesisWith({ init: path })
    const found = (address: string) =>
      accounts.filter((account) => Buffer.from(account.address).toString('hex') === address)
    expect(found(owner).map(({ balance }) => balance)).toEqual([12_345n])
    expect(found(other).map(({ balance, nonce }) => [balance, nonce])).toEqual([[100n, 3n]])
    expect(time).toBe(1_000_000_000_000n)
    expect(params.feeMarket.initialBaseFee).toBe(2_000_000_000n)
    expect(params.feeCollector).toEqual(parseFixedData(document.coinbase, 20))
  })

  test('gives way to settings of the same', () => {
    const { params, time } = genesisWith({ init: path, timestamp: '5', 'base-fee': '9' })
    expect([time, params.feeMarket.initialBaseFee]).toEqual([5_000_000_000n, 9n])
  })

  test('that cannot be read or is invalid is refused by its path', () => {
    const wrong = join(folder, 'wrong.json')
    writeFileSync(wrong, '{"alloc": [')
    for (const init of [wrong, join(folder, 'none.json'), folder]) {
      expect(() => devGenesis(devConfig({ init }))).toThrow(`--dev.init ${init}: `)
    }
  })
})

describe('the name of a hardfork', () => {
  test.each([
    ['', undefined],
    ['cancun', 'Cancun'],
    ['SpuriousDragon', 'SpuriousDragon'],
    ['tangerine', 'TangerineWhistle'],
  ])('%j is read', (name, revision) => {
    expect(hardforkOf(name)).toBe(revision)
  })

  test.each(['nosuch', 'latest', 'constructor', '__proto__'])('%s is refused', (name) => {
    expect(() => hardforkOf(name)).toThrow(`--dev.hardfork ${name} is no known hardfork`)
  })
})

test('settings that differ from the chain of a home are refused by their key', () => {
  const genesis = genesisWith({ hardfork: 'cancun', 'base-fee': '7', timestamp: '1000' })
  const check = (settings: Record<string, string>) =>
    checkDevGenesis('genesis.json', genesis, devConfig(settings))
  check({})
  check({ hardfork: 'cancun', 'base-fee': '7', timestamp: '1000' })
  expect(() => check({ hardfork: 'prague' })).toThrow(
    'genesis.json has Cancun; dev.hardfork asks for Prague',
  )
  expect(() => check({ 'base-fee': '8' })).toThrow('genesis.json has 7; dev.base-fee asks for 8')
  expect(() => check({ timestamp: '999' })).toThrow(
    'genesis.json has 1000; dev.timestamp asks for 999',
  )
})
