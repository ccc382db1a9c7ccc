import { createHash } from 'node:crypto'
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CONFIG_ENTRIES } from '../../../host/base/config/schema.ts'
import { formatData } from '../../../host/base/hex.ts'
import { decodeGenesis } from '../../../host/evm/chain-types/genesis-codec.ts'
import { homeAt } from '../../../host/node/home/home.ts'
import { lockHome } from '../../../host/node/home/home-lock.ts'
import { runCommandHere } from '../../support/node/command-here.ts'
import { makeHome, removeHome, runCommand } from '../../support/node/daemon.ts'

let home: string
beforeEach(() => {
  home = makeHome()
})
afterEach(() => removeHome(home))

const lastLine = (text: string) => text.trimEnd().split('\n').at(-1) ?? ''

describe('the version command', () => {
  test('prints the package version, the hash of the engine and the Node release', async () => {
    const manifest = new URL('../../../package.json', import.meta.url)
    const { version } = JSON.parse(readFileSync(manifest, 'utf8'))
    const wasm = readFileSync(new URL('../../../build/engine.wasm', import.meta.url))
    const engine = createHash('sha256').update(wasm).digest('hex')
    const stdout = `${version}\nengine ${engine}\nnode ${process.version}\n`
    for (const word of ['version', '--version', '-v', '-V']) {
      expect(await runCommand([word])).toEqual({ code: 0, stdout, stderr: '' })
    }
    const json = await runCommand(['--version', '--json'])
    expect(JSON.parse(json.stdout)).toEqual({ version, engine, node: process.version })
  })
})

describe('the help text', () => {
  test('lists the commands', async () => {
    const { code, stdout, stderr } = await runCommand(['--help'])
    expect(code).toBe(0)
    expect(stderr).toBe('')
    for (const name of ['start', 'init', 'status', 'consensus|tendermint', 'version']) {
      expect(stdout).toContain(`\n  ${name} `)
    }
  })

  test('of start has every configuration key, by section', async () => {
    const { code, stdout } = await runCommandHere(['help', 'start'])
    expect(code).toBe(0)
    for (const { flag } of CONFIG_ENTRIES) expect(stdout).toContain(`  --${flag} `)
    expect(stdout).toContain('\napp.toml [evm]:\n')
    expect(stdout).toContain('--evm.http-port <PORT>')
  })

  test('of a command group is printed for each of its names', async () => {
    for (const group of ['consensus', 'tendermint', 'cometbft']) {
      const { code, stdout } = await runCommandHere([group, 'unsafe-reset-all', '--help'])
      expect(code).toBe(0)
      expect(stdout).toContain('--keep-addr-book')
    }
  })
})

describe('a usage error', () => {
  test.each([
    [['frob'], "Error: unknown command 'frob'\n"],
    [['strat'], "Error: unknown command 'strat'\n(Did you mean start?)\n"],
    [['version', '--frob'], "Error: unknown option '--frob'\n"],
    [
      ['start', '--evm.http-prot', '1'],
      "Error: unknown option '--evm.http-prot'\n(Did you mean --evm.http-port?)\n",
    ],
    [['init'], "Error: required option '--chain-id <ID>' not specified\n"],
  ])('in %j exits with 64', async (args, stderr) => {
    expect(await runCommand(args)).toEqual({ code: 64, stdout: '', stderr })
  })

  test('prints no stack unless requested', async () => {
    const args = ['init', '--chain-id', 'zero', '--home', home]
    const message = 'Error: chain id "zero" is invalid\n'
    const hint = 'Hint: write one of 1328, 1329, dev, or a decimal EVM chain id\n'
    expect(await runCommand(args)).toEqual({ code: 64, stdout: '', stderr: message + hint })
    const { stderr } = await runCommand([...args, '--verbose'])
    expect(stderr.startsWith(message + hint)).toBe(true)
    expect(stderr).toContain('parseChainChoice')
  })
})

describe('init', () => {
  test('prints the written files, and the summary last, on stderr', async () => {
    const { code, stdout, stderr } = await runCommandHere([
      'init',
      '--chain-id',
      '1329',
      'alice',
      '--home',
      home,
    ])
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(stderr).toContain('Wrote config/genesis.json\n')
    const summary = JSON.parse(lastLine(stderr))
    expect(summary).toEqual({
      app_message: {},
      chain_id: '1329',
      gentxs_dir: '',
      moniker: 'alice',
      node_id: summary.node_id,
    })
  })

  test('works beside an existing app.toml, as the migration steps require', async () => {
    const init = ['init', '--chain-id', '1328', '--home', home]
    await runCommandHere(init)
    const kept = '[state-store]\nevm-ss-split = true\n'
    writeFileSync(join(home, 'config/app.toml'), kept)
    const { code, stderr } = await runCommandHere(init)
    expect(code).toBe(0)
    expect(stderr).toContain('Kept config/app.toml\n')
    expect(readFileSync(join(home, 'config/app.toml'), 'utf8')).toBe(kept)
  })

  test('accepts any chain id and refuses to mix two', async () => {
    expect((await runCommandHere(['init', '--chain-id', '777', '--home', home])).code).toBe(0)
    const { code, stderr } = await runCommandHere(['init', '--chain-id', '778', '--home', home])
    expect(code).toBe(64)
    expect(stderr).toMatch(
      /genesis\.json is the genesis of chain 777, not of 778\nHint: pass --over/,
    )
  })
})

describe('init --mode full', () => {
  const init = (...flags: string[]) =>
    runCommandHere(['init', '--chain-id', '777', '--home', home, ...flags])
  const configured = () => /^mode = "(.*)"$/m.exec(read('config/config.toml'))?.[1]
  const read = (name: string) => readFileSync(join(home, name), 'utf8')
  const KEY = 'config/priv_validator_key.json'

  test('joins a chain as a full node with its own key, and a second run keeps both', async () => {
    const validator = join(home, 'validator')
    await runCommandHere(['init', '--chain-id', '777', '--home', validator])
    const genesis = join(validator, 'config/genesis.json')
    const { code, stderr } = await init('--mode', 'full', '--genesis', genesis)
    expect(code).toBe(0)
    expect(stderr).toContain('Node initialized with mode: full\n')
    expect(configured()).toBe('full')
    const key = read(KEY)
    expect(key).not.toBe(readFileSync(join(validator, KEY), 'utf8'))
    expect(read('config/genesis.json')).toBe(readFileSync(genesis, 'utf8'))
    rmSync(join(home, 'config/config.toml'))
    expect((await init()).stderr).toContain('Node initialized with mode: full\n')
    expect([configured(), read(KEY)]).toEqual(['full', key])
  })

  test('asks for a genesis if none is given and refuses options that do not match', async () => {
    const { code, stderr } = await init('--mode', 'full')
    expect(code).toBe(0)
    expect(stderr).toContain(
      `Get the chain's genesis.json from a source you trust, as ${home}/config/genesis.json, `,
    )
    expect(existsSync(join(home, 'config/genesis.json'))).toBe(false)
    const funded = await init('--mode', 'full', '--fund', `0x${'ab'.repeat(20)}=1`)
    expect([funded.code, funded.stderr]).toEqual([
      64,
      'Error: --fund is not for --mode full\n' +
        'Hint: omit --fund: the joined chain sets the balances\n',
    ])
    const named = await init('--mode', 'validator', '--genesis', 'none')
    expect([named.code, named.stderr]).toEqual([
      64,
      'Error: --genesis is for --mode full\n' +
        'Hint: omit --genesis to start a new chain, or pass --mode full to join its chain\n',
    ])
  })

  test('refuses the genesis of another chain', async () => {
    const other = join(home, 'other')
    await runCommandHere(['init', '--chain-id', '778', '--home', other])
    const { code, stderr } = await init(
      '--mode',
      'full',
      '--genesis',
      join(other, 'config/genesis.json'),
    )
    expect(code).toBe(64)
    expect(stderr).toContain(`--chain-id is 777, but ${other}/config/genesis.json is of chain 778`)
  })
})

describe('init --fund', () => {
  const address = `0x${'Ab'.repeat(20)}`
  const init = (...flags: string[]) =>
    runCommandHere(['init', '--chain-id', '1329', '--home', home, ...flags])
  const balances = () =>
    decodeGenesis(readFileSync(join(home, 'config/genesis.json'), 'utf8')).accounts.map(
      ({ address, balance }) => [formatData(address), balance],
    )

  test('funds accounts; without it no account has a balance, and init says so', async () => {
    const none = await init()
    expect(none.stderr).toContain('No account has funds yet. Next:\n')
    const refused = await init('--fund', `${address}=5gwei`)
    expect(refused.code).toBe(64)
    expect(refused.stderr).toMatch(
      /genesis\.json exists and gives 0x(ab){20} 0 wei, not 5000000000\nHint: pass --overwrite/,
    )
    const other = `0x${'cd'.repeat(20)}`
    const flags = ['--fund', `${address}=5gwei`, '--fund', `${other}=7`]
    expect((await init('--overwrite', ...flags)).code).toBe(0)
    expect(balances()).toEqual([
      [address.toLowerCase(), 5_000_000_000n],
      [other, 7n],
    ])
    const again = await init(...flags)
    expect(again.code).toBe(0)
    expect(again.stderr).not.toContain('No account has funds')
  })

  test.each(['0x12=1', `${address}`, `${address}=0`, `${address}=1tokens`, `${address}=-1`])(
    'refuses %s',
    async (fund) => {
      const { code, stderr } = await init('--fund', fund)
      expect(code).toBe(64)
      expect(stderr).toContain(`Error: --fund: "${fund}" is not an address and an amount\n`)
    },
  )
})

describe('start', () => {
  test('refuses a home without a genesis', async () => {
    const { code, stderr } = await runCommand(['start', '--home', home])
    expect(code).toBe(78)
    expect(stderr).toBe(
      `Error: ${home} has no config/genesis.json\n` +
        'Hint: run `lockstep init --chain-id <id>` with the same --home, or start with --dev\n',
    )
  })

  test('refuses a home in use', async () => {
    const lock = lockHome(homeAt(home))
    try {
      const { code, stderr } = await runCommand(['start', '--dev', '--home', home])
      expect(code).toBe(75)
      expect(stderr).toBe(
        `Error: failed to initialize database: resource temporarily unavailable (${home} is in use by process ${process.pid})\n` +
          `Hint: end process ${process.pid} (\`kill ${process.pid}\`; reboot if it stays), or use another --home, ` +
          'and repeat the command\n',
      )
    } finally {
      lock.release()
    }
  })

  test.each([
    [['--evm.http-port', '70000'], '--evm.http-port = "70000": must be an integer from 0 to 65535'],
    [['--evm.http_port=x'], '--evm.http-port = "x": must be an integer from 0 to 65535'],
    [
      ['--state-store.evm-ss-split', 'maybe'],
      '--state-store.evm-ss-split = "maybe": must be true or false',
    ],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await runCommand(['start', '--dev', '--home', home, ...args])
    expect(code).toBe(78)
    expect(stderr).toBe(`Error: ${message}\nHint: correct the flag\n`)
  })

  test("refuses a validator's key that others can read, before anything is opened", async () => {
    await runCommandHere(['init', '--chain-id', '1329', '--home', home])
    const path = join(home, 'config/priv_validator_key.json')
    chmodSync(path, 0o644)
    const refused = await runCommand(['start', '--home', home, '--evm.http-port', '0'])
    expect(refused).toMatchObject({ code: 78, stdout: '' })
    expect(refused.stderr.split('\n').slice(1)).toEqual([
      `Error: permissions 0644 for ${path} are too open`,
      `Hint: run \`chmod 600 '${path}'\`; anyone who could read the key can sign with it`,
      '',
    ])
    expect(refused.stderr).toMatch(/^\S+ INF starting /)
    expect(readdirSync(join(home, 'data'))).toEqual(['priv_validator_state.json'])
  })

  test("refuses another chain's id", async () => {
    await runCommandHere(['init', '--chain-id', '1329', '--home', home])
    const { code, stderr } = await runCommand(['start', '--chain-id', '1328', '--home', home])
    expect(code).toBe(64)
    expect(stderr).toContain('Error: --chain-id is 1328, but ')
  })

  test('refuses a damaged genesis', async () => {
    await runCommandHere(['init', '--chain-id', '1329', '--home', home])
    writeFileSync(join(home, 'config/genesis.json'), '{')
    const { code, stderr } = await runCommand(['start', '--home', home])
    expect(code).toBe(78)
    expect(stderr).toMatch(/\nError: .*is not JSON.*\nHint: correct genesis\.json\n$/)
  })
})

describe('snapshot list', () => {
  test('names the folder if it contains no snapshot', async () => {
    await runCommandHere(['init', '--chain-id', '1329', '--home', home])
    expect(await runCommandHere(['snapshot', 'list', '--home', home])).toEqual({
      code: 0,
      stdout: '',
      stderr: `No snapshots in ${home}/data/snapshots: \`lockstep snapshot export\` writes one\n`,
    })
  })

  test('refuses a folder that is not a home', async () => {
    const { code, stderr } = await runCommandHere(['snapshot', 'list', '--home', home])
    expect(code).toBe(78)
    expect(stderr).toBe(
      `Error: ${home} is not the home of a node\nHint: run \`lockstep init\` first\n`,
    )
  })
})

describe('the consensus command', () => {
  test.each(['consensus', 'tendermint', 'cometbft'])(
    '%s show-validator prints the key',
    async (group) => {
      await runCommandHere(['init', '--chain-id', '1329', '--home', home])
      const { code, stdout } = await runCommandHere([group, 'show-validator', '--home', home])
      expect(code).toBe(0)
      const file = JSON.parse(readFileSync(join(home, 'config/priv_validator_key.json'), 'utf8'))
      expect(JSON.parse(stdout)).toEqual({
        '@type': '/cosmos.crypto.ed25519.PubKey',
        key: file.pub_key.value,
      })
    },
  )

  test('show-validator says which key is missing', async () => {
    const { code, stderr } = await runCommandHere(['consensus', 'show-validator', '--home', home])
    expect(code).toBe(78)
    expect(stderr).toMatch(/^Error: Private validator file not found: /)
  })
})
