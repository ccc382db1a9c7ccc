import { resolve } from 'node:path'
import { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../../../host/base/config/load.ts'
import { CONFIG_ENTRIES } from '../../../../host/base/config/schema.ts'
import { DEV_MNEMONIC } from '../../../../host/base/dev-accounts.ts'
import { renderAnvilBanner } from '../../../../host/cli/start/anvil-banner.ts'
import { ANVIL_FLAGS, anvilFlagNames } from '../../../../host/cli/start/anvil-flags.ts'
import { addAnvilFlags } from '../../../../host/cli/start/anvil-options.ts'
import { type AnvilRun, readAnvilRun } from '../../../../host/cli/start/run-anvil.ts'
import { developerAccounts } from '../../../../host/node/home/developer-accounts.ts'
import { runCommandHere } from '../../../support/node/command-here.ts'

/** Settings of a run without flags. */
const NONE = [
  ['dev.automine', 'true'],
  ['dev.slots-in-an-epoch', '32'],
  ['rpc.laddr', 'tcp://127.0.0.1:0'],
  ['evm.ws-port', '0'],
]

async function runOf(...args: string[]): Promise<AnvilRun> {
  const command = new Command('anvil').exitOverride().configureOutput({ writeErr: () => {} })
  const read = addAnvilFlags(command)
  command.action(() => {})
  await command.parseAsync(args, { from: 'user' })
  return readAnvilRun(read())
}

async function settingsOf(...args: string[]): Promise<[string, string][]> {
  return [...(await runOf(...args)).settings]
}

const configOf = (settings: AnvilRun['settings']) =>
  loadConfig({ directory: '/nonexistent', environment: {}, flags: settings }).config

describe('the flags of anvil', () => {
  test.each([
    [[], NONE],
    [
      ['-p', '9000'],
      [...NONE, ['evm.http-port', '9000']],
    ],
    [
      ['--accounts', '3', '--balance=5'],
      [...NONE, ['dev.accounts', '3'], ['dev.balance', '5']],
    ],
    [['--no-mining'], [...NONE, ['dev.no-mining', 'true']]],
    [['--no-mine'], [...NONE, ['dev.no-mining', 'true']]],
    [
      ['--no-cors', '--auto-unlock'],
      [...NONE, ['evm.cors-origins', ''], ['dev.auto-impersonate', 'true']],
    ],
    [['--silent'], [...NONE, ['log-level', 'error']]],
    [['--retries', '9', '-j', '2', '--steps-tracing', '-vvv'], NONE],
    [
      ['--order', 'fifo', '--hardfork', 'cancun', '--timestamp', '1000'],
      [...NONE, ['dev.hardfork', 'cancun'], ['dev.order', 'fifo'], ['dev.timestamp', '1000']],
    ],
    [
      ['--base-fee', '0', '--no-create2', '--init', 'genesis.json'],
      [
        ...NONE,
        ['dev.init', 'genesis.json'],
        ['dev.base-fee', '0'],
        ['dev.create2-deployer', 'false'],
      ],
    ],
    [['--ipc'], [...NONE, ['evm.ipc-path', '/tmp/anvil.ipc']]],
    [
      ['--ipcpath', 'here'],
      [...NONE, ['evm.ipc-path', resolve('here')]],
    ],
    [
      ['--state', 'file', '-s', '5'],
      [...NONE, ['dev.state-interval', '5s'], ['dev.state', 'file']],
    ],
    [
      ['--fork-url', 'http://user:pass@127.0.0.1:1/path@12'],
      [...NONE, ['dev.fork', 'http://user:pass@127.0.0.1:1/path'], ['dev.fork-block', '12']],
    ],
    [
      ['--rpc-url', 'http://127.0.0.1:1', '--fork-block-number', '7'],
      [...NONE, ['dev.fork', 'http://127.0.0.1:1'], ['dev.fork-block', '7']],
    ],
    [
      ['-f', 'http://a', '--fork-header', 'a: 1, 2', '--fork-header', 'b: 3', '--chain-id', '9'],
      [
        ...NONE,
        ['dev.fork', 'http://a'],
        ['dev.fork-headers', 'a: 1, 2\nb: 3'],
        ['dev.fork-chain-id', '9'],
      ],
    ],
  ])('%j set these keys', async (args, expected) => {
    expect(await settingsOf(...args)).toEqual(expected)
  })

  test('a block time ends automining, unless mining is mixed', async () => {
    for (const name of ['--block-time', '--blockTime', '-b']) {
      const { dev } = configOf((await runOf(name, '1.5')).settings)
      expect([dev.automine, dev.blockTime]).toEqual([false, 1_500])
    }
    const { dev } = configOf((await runOf('--mixed-mining', '--block-time', '2')).settings)
    expect([dev.automine, dev.blockTime]).toEqual([true, 2_000])
  })

  test('a random mnemonic has as many words as asked for', async () => {
    const words = async (...args: string[]) =>
      (await runOf(...args)).settings.get('dev.mnemonic')?.split(' ').length
    expect(await words('--mnemonic-random')).toBe(12)
    expect(await words('--mnemonic-random', '24')).toBe(24)
    await expect(words('--mnemonic-random', '13')).rejects.toThrow(
      '--mnemonic-random 13: a mnemonic has 12, 15, 18, 21 or 24 words',
    )
  })

  test.each([
    [['--fork-block-number', '-3'], '--fork-block-number -3: must be a block number'],
    [['-f', 'http://a', '-f', 'http://b'], 'It was given twice.'],
  ])('%j are refused', async (args, message) => {
    await expect(runOf(...args)).rejects.toThrow(message)
  })

  const refused = ANVIL_FLAGS.flatMap((row) => ('refusedBecause' in row ? [row] : []))

  test.each(refused.map((row) => [anvilFlagNames(row)[0] as string, row] as const))(
    '--%s is refused by name with the reason',
    async (name, row) => {
      for (const each of anvilFlagNames(row)) {
        const args = row.flags.includes('<') ? [`--${each}`, '1'] : [`--${each}`]
        await expect(runOf(...args)).rejects.toThrow(
          `--${name} is not supported: ${row.refusedBecause}`,
        )
      }
    },
  )

  test('set keys that exist, each with a value that its rule allows', async () => {
    const known = new Set(CONFIG_ENTRIES.map(({ flag }) => flag))
    for (const row of ANVIL_FLAGS) {
      if (row.key !== undefined) expect(known).toContain(row.key)
      if (!('sets' in row)) continue
      for (const key of Object.keys(row.sets('1'))) expect(known).toContain(key)
    }
    const names = ANVIL_FLAGS.flatMap(anvilFlagNames)
    expect(new Set(names).size).toBe(names.length)
  })

  test('that are not supported end the command with exit code 64', async () => {
    const { code, stdout, stderr } = await runCommandHere(['anvil', '--print-traces'])
    expect([code, stdout]).toEqual([64, ''])
    expect(stderr).toBe(
      'Error: --print-traces is not supported: trace with debug_traceTransaction, or in the explorer\n' +
        'Hint: omit it, or run anvil itself\n',
    )
  })
})

test.each([
  ['--port', 'evm.http-port'],
  ['--block-time', 'dev.block-time'],
  ['--fork-url', 'dev.fork'],
  ['--base-fee', 'dev.base-fee'],
  ['--disable-console-log', undefined],
])('start names the key that replaces %s of anvil', async (flag, key) => {
  const { code, stderr } = await runCommandHere(['start', '--dev', flag, '1'])
  expect(code).toBe(64)
  expect(stderr).toBe(
    key === undefined
      ? `Error: unknown option '${flag}'\n`
      : `Error: unknown option '${flag}'\nHint: write --${key}, or run \`lockstep anvil\`, which has the flags of anvil\n`,
  )
})

test('the banner has the lines that scripts read from anvil', async () => {
  const { settings } = await runOf('--accounts', '1')
  const developers = await developerAccounts(configOf(settings).dev)
  const facts = { rpc: 'http://127.0.0.1:8545', chainId: 31337n, developers }
  const expected = `Available Accounts
==================

(0) 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 (10000.000000000000000000 ETH)

Private Keys
==================

(0) 0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80

Wallet
==================
Mnemonic:          ${DEV_MNEMONIC}
Derivation path:   m/44'/60'/0'/0/


Chain ID
==================

31337

Listening on 127.0.0.1:8545
`
  expect(renderAnvilBanner({ ...facts, showsKeys: true })).toBe(expected)
  const hidden = renderAnvilBanner({ ...facts, showsKeys: false })
  expect(hidden).not.toMatch(/junk|0xac09/)
  expect(hidden).toContain('(0) 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266')
})
