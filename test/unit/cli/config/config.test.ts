import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommandHere } from '../../../support/node/command-here.ts'
import { makeHome, removeHome } from '../../../support/node/daemon.ts'

const homes: string[] = []
afterAll(() => homes.forEach(removeHome))

async function newHome(): Promise<string> {
  const home = makeHome()
  homes.push(home)
  expect((await runCommandHere(['init', '--chain-id', '1329', 'alice', '--home', home])).code).toBe(
    0,
  )
  return home
}

describe('config check', () => {
  let home: string
  beforeAll(async () => {
    home = await newHome()
  })

  test('reports no problem in a new home', async () => {
    const { code, stdout } = await runCommandHere(['config', 'check', '--home', home])
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${join(home, 'config')} is right\n` })
  })

  test('names every fault with its line, rule and remedy, and exits with 78', async () => {
    const app = join(home, 'config/app.toml')
    writeFileSync(app, '[evm]\nhttp_port = "x"\nhttp_prot = 1\n')
    const flags = ['--log-level', 'loud']
    const { code, stdout, stderr } = await runCommandHere([
      'config',
      'check',
      '--home',
      home,
      ...flags,
    ])
    expect(code).toBe(78)
    expect(stdout.split('\n').slice(0, 6)).toEqual([
      `${app}:3: unknown key [evm] http_prot`,
      '  did you mean http_port?',
      '--log-level = "loud": must be one of trace, debug, info, warn, error',
      '  correct the flag',
      `${app}:2: [evm] http_port = "x": must be an integer from 0 to 65535`,
      `  correct the line in ${app}`,
    ])
    expect(stderr).toBe(
      'Error: the configuration has 3 faults\nHint: `lockstep config explain <key>` describes a key\n',
    )
    const json = await runCommandHere(['config', 'check', '--home', home, '--json'])
    expect(JSON.parse(json.stdout).faults).toEqual([
      { fault: `${app}:3: unknown key [evm] http_prot`, remedy: 'did you mean http_port?' },
      {
        fault: `${app}:2: [evm] http_port = "x": must be an integer from 0 to 65535`,
        remedy: `correct the line in ${app}`,
      },
    ])
  })
})

test('config diff prints which values differ and where they are set, and no password', async () => {
  const home = await newHome()
  const path = join(home, 'config/config.toml')
  const text = readFileSync(path, 'utf8')
  const servers = 'http://me:hunter22@a.example:26657,http://b.example:26657'
  writeFileSync(path, text.replace('rpc-servers = ""', `rpc-servers = "${servers}"`))
  const app = join(home, 'config/app.toml')
  writeFileSync(app, '[[payments.resource]]\npath = "/a"\nprice = "1"\nroot = "a"\n')
  const { code, stdout, stderr } = await runCommandHere(
    ['config', 'diff', '--home', home, '--log-format', 'json'],
    { LOCKSTEP_EVM_HTTP_PORT: '18545' },
  )
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const line = (key: string): number =>
    text.split('\n').findIndex((each) => each.trimStart().startsWith(`${key} =`)) + 1
  expect(stdout).toBe(
    `moniker = "alice"  (default "lockstep"; file ${path}:${line('moniker')})\n` +
      `mode = "validator"  (default ""; file ${path}:${line('mode')})\n` +
      'log-format = "json"  (default "plain"; flag --log-format)\n' +
      'follow.rpc-servers = "http://[redacted]@a.example:26657,http://b.example:26657"  ' +
      `(default ""; file ${path}:${line('rpc-servers')})\n` +
      'evm.http-port = "18545"  (default 8545; variable LOCKSTEP_EVM_HTTP_PORT)\n' +
      `payments.resource.path = "/a"  (table 1; file ${app}:2)\n` +
      `payments.resource.price = "1"  (table 1; file ${app}:3)\n` +
      `payments.resource.root = "a"  (table 1; file ${app}:4)\n`,
  )
})

test.each([
  'evm-ss-split',
  'state-store.evm_ss_split',
  '[state-store] evm-ss-split',
  '--state-store.evm-ss-split',
  'LOCKSTEP_STATE_STORE_EVM_SS_SPLIT',
])('config explain describes the key %s', async (name) => {
  const { code, stdout } = await runCommandHere(['config', 'explain', '--', name])
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout:
      'key       [state-store] evm-ss-split\n' +
      'file      config/app.toml\n' +
      'meaning   keep EVM state in its own store; change it only together with a state sync\n' +
      'value     true or false\n' +
      'default   false\n' +
      'flag      --state-store.evm-ss-split\n' +
      'variable  LOCKSTEP_STATE_STORE_EVM_SS_SPLIT\n',
  })
})

test.each(['payments.resource.price', '[[payments.resource]] price'])(
  'config explain describes the key %s of a table',
  async (name) => {
    const { code, stdout } = await runCommandHere(['config', 'explain', name])
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout:
        'key       [[payments.resource]] price\n' +
        'file      config/app.toml\n' +
        "meaning   price of a request in tokens, with at most the token's decimals\n" +
        'value     a number of tokens above zero in quotes, such as "0.001"\n' +
        'default   "none: required"\n',
    })
  },
)

test('config explain names the new name of a key from an older release, and the nearest name of an unknown key', async () => {
  const replaced = await runCommandHere(['config', 'explain', 'state-store.evm-ss-write-mode'])
  expect(replaced.code).toBe(64)
  expect(replaced.stderr).toContain('`lockstep config migrate` does it')
  const unknown = await runCommandHere(['config', 'explain', 'evm.http_prot'])
  expect(unknown.stderr).toBe(
    'Error: there is no key "evm.http_prot"\nHint: did you mean evm.http-port?\n',
  )
})

describe('config migrate', () => {
  const APP = [
    '# a comment that stays',
    'minimum-gas-prices = "0.02usei"',
    'pruning = "nothing"',
    '',
    '[state-store]',
    'ss-enable = true # needed',
    '# how EVM data is written',
    'evm-ss-write-mode = "split_write"',
    'evm-ss-read-mode = "split_read"',
    'ss_backend = "pebbledb"',
    '',
    '[api]',
    'enable = true',
    'address = "tcp://0.0.0.0:1317"',
    '',
  ].join('\n')
  const CONFIG = [
    'proxy_app = "tcp://127.0.0.1:26658"',
    'moniker = "bob"',
    '[p2p]',
    'seeds = "aa@h:1"',
    '[consensus]',
    'timeout_commit = "1s"',
    '[tx_index]',
    'indexer = [',
    '  "kv",',
    ']',
    '',
  ].join('\n')

  test('rewrites files of seid and CometBFT, and keeps comments and backups of the files', async () => {
    const home = await newHome()
    const app = join(home, 'config/app.toml')
    const config = join(home, 'config/config.toml')
    writeFileSync(app, APP)
    writeFileSync(config, CONFIG)
    expect((await runCommandHere(['config', 'check', '--home', home])).code).toBe(78)

    const dry = await runCommandHere(['config', 'migrate', '--home', home, '--dry-run'])
    expect(dry.code).toBe(0)
    expect(dry.stdout).toContain(
      'config/app.toml:8: evm-ss-write-mode = "split_write"\n' +
        '  -> evm-ss-split = true (one key replaces the two modes)\n',
    )
    expect(readFileSync(app, 'utf8')).toBe(APP)

    const { code, stdout, stderr } = await runCommandHere(['config', 'migrate', '--home', home])
    expect({ code, stdout }).toEqual({ code: 0, stdout: dry.stdout })
    expect(stderr).toContain('Kept the original file in config/app.toml.backup\n')
    expect(readFileSync(`${app}.backup`, 'utf8')).toBe(APP)
    expect(readFileSync(`${config}.backup`, 'utf8')).toBe(CONFIG)
    expect(readFileSync(app, 'utf8').split('\n')).toEqual([
      '# a comment that stays',
      '# minimum-gas-prices = "0.02usei"',
      '# pruning = "nothing"',
      '',
      '[state-store]',
      'ss-enable = true # needed',
      '# how EVM data is written',
      'evm-ss-split = true',
      '# evm-ss-read-mode = "split_read"',
      'ss-backend = "pebbledb"',
      '',
      '# [api]',
      '# enable = true',
      '# address = "tcp://0.0.0.0:1317"',
      '',
    ])
    expect(readFileSync(config, 'utf8').split('\n')).toEqual([
      '# proxy_app = "tcp://127.0.0.1:26658"',
      'moniker = "bob"',
      '[p2p]',
      '# seeds = "aa@h:1"',
      '[consensus]',
      'block-time = "1s"',
      '[tx_index]',
      '# indexer = [',
      '#   "kv",',
      '# ]',
      '',
    ])
    expect((await runCommandHere(['config', 'check', '--home', home])).code).toBe(0)

    const again = await runCommandHere(['config', 'migrate', '--home', home])
    expect(again).toEqual({ code: 0, stdout: 'no changes needed\n', stderr: '' })
    expect(readdirSync(join(home, 'config')).filter((name) => name.includes('.backup'))).toEqual([
      'app.toml.backup',
      'config.toml.backup',
    ])
    expect(existsSync(`${app}.backup2`)).toBe(false)
  })

  test('keeps the keys of a network whose engine is CometBFT', async () => {
    const home = await newHome()
    const config = join(home, 'config/config.toml')
    const text = CONFIG.replace('[consensus]', '[consensus]\nengine = "cometbft"')
    writeFileSync(config, text)
    expect((await runCommandHere(['config', 'migrate', '--home', home])).code).toBe(0)
    expect(readFileSync(config, 'utf8').split('\n').slice(2, 7)).toEqual([
      '[p2p]',
      'seeds = "aa@h:1"',
      '[consensus]',
      'engine = "cometbft"',
      'timeout-commit = "1s"',
    ])
    expect((await runCommandHere(['config', 'check', '--home', home])).code).toBe(0)
  })

  test('sets both modes to false if they did not mean the split', async () => {
    const home = await newHome()
    const app = join(home, 'config/app.toml')
    writeFileSync(app, '[state_store]\nevm_ss_write_mode = "dual_write"\n')
    const { stdout } = await runCommandHere(['config', 'migrate', '--home', home])
    expect(stdout).toContain('evm-ss-split = false (writing to both stores is no longer supported;')
    expect(readFileSync(app, 'utf8')).toBe('[state_store]\nevm-ss-split = false\n')
  })
})
