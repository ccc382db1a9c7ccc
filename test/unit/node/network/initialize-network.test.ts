import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { equalBytes } from '../../../../host/base/bytes.ts'
import { DEV_ACCOUNTS } from '../../../../host/base/dev-accounts.ts'
import { formatData } from '../../../../host/base/hex.ts'
import { readValidatorKey } from '../../../../host/chain/consensus/validator/key-file.ts'
import { decodeGenesis } from '../../../../host/evm/chain-types/genesis-codec.ts'
import { homeAt } from '../../../../host/node/home/home.ts'
import {
  type InitializedNetwork,
  initializeNetwork,
} from '../../../../host/node/network/initialize-network.ts'
import { planNetwork } from '../../../../host/node/network/network-plan.ts'
import { makeHome, removeHome } from '../../../support/node/daemon.ts'

const parent = makeHome()
const folder = join(parent, 'networks', 'first')

function initialize(out: string): Promise<InitializedNetwork> {
  return initializeNetwork({
    folder: out,
    chain: { preset: 'dev', time: 1_700_000_000_000_000_000n },
    nodes: planNetwork({
      powers: [10, 20],
      full: 1,
      hosts: [],
      basePort: 26_656,
      evmPort: 8_545,
      settings: [{ target: 'full', flag: 'state-store.evm-ss-split', value: true }],
    }),
  })
}

let network: InitializedNetwork

beforeAll(async () => {
  network = await initialize(folder)
})

afterAll(() => removeHome(parent))

describe('the homes of a network', () => {
  test('are all created, each in its own folder that only its owner can read', () => {
    expect(readdirSync(folder).sort()).toEqual(['full-1', 'validator-1', 'validator-2'])
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(readdirSync(dirname(folder))).toEqual(['first'])
  })

  test('share one genesis, which lists the validator keys with power and operator', async () => {
    const texts = network.nodes.map(({ home }) => readFileSync(homeAt(home).config.genesis, 'utf8'))
    expect(new Set(texts).size).toBe(1)
    const { validators } = decodeGenesis(texts[0] ?? '')
    expect(validators.map(({ name, power }) => [name, power])).toEqual([
      ['validator-1', 10],
      ['validator-2', 20],
    ])
    for (const [index, { publicKey, operator }] of validators.entries()) {
      const { config } = homeAt(join(folder, `validator-${index + 1}`))
      const key = await readValidatorKey(config.validatorKey)
      expect(equalBytes(key.publicKey, publicKey)).toBe(true)
      expect(operator && formatData(operator)).toBe(DEV_ACCOUNTS[index]?.address.toLowerCase())
    }
  })

  test('contain, for a full node, a key that no validator has', async () => {
    const { config } = homeAt(join(folder, 'full-1'))
    const { publicKey } = await readValidatorKey(config.validatorKey)
    const { validators } = decodeGenesis(readFileSync(config.genesis, 'utf8'))
    expect(validators.some((each) => equalBytes(each.publicKey, publicKey))).toBe(false)
  })

  test('list all the others as peers, and have their own mode, ports and settings', () => {
    const address = (index: number) => {
      const { nodeId, ports } = network.nodes[index] as InitializedNetwork['nodes'][number]
      return `${nodeId}@127.0.0.1:${ports.p2p}`
    }
    const directory = homeAt(join(folder, 'full-1')).config.directory
    const toml = readFileSync(join(directory, 'config.toml'), 'utf8')
    expect(toml).toContain(`persistent-peers = ${JSON.stringify([address(0), address(1)])}`)
    expect(toml).toContain('mode = "full"')
    expect(toml).toContain('moniker = "full-1"')
    expect(readFileSync(join(directory, 'app.toml'), 'utf8')).toContain('http_port = 8565')
    expect(readFileSync(join(directory, 'app.toml'), 'utf8')).toContain('evm-ss-split = true')
    const other = readFileSync(join(folder, 'validator-1', 'config', 'app.toml'), 'utf8')
    expect(other).toContain('evm-ss-split = false')
  })

  test('are never overwritten', async () => {
    const before = readFileSync(join(folder, 'full-1', 'config', 'node_key.json'), 'utf8')
    await expect(initialize(folder)).rejects.toMatchObject({ code: 'HOME_NOT_EMPTY' })
    expect(readFileSync(join(folder, 'full-1', 'config', 'node_key.json'), 'utf8')).toBe(before)
  })

  test('may be created in an empty folder', async () => {
    const empty = join(parent, 'empty')
    mkdirSync(empty)
    await initialize(empty)
    expect(readdirSync(empty)).toHaveLength(3)
  })

  test('leave nothing behind if they cannot be written', async () => {
    const file = join(parent, 'file')
    writeFileSync(file, '')
    await expect(initialize(join(file, 'network'))).rejects.toMatchObject({ code: 'STORE_DENIED' })
    expect(readdirSync(parent).sort()).toEqual(['empty', 'file', 'networks'])
  })
})
