import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { renderConfigFile } from '../../../../host/base/config/config-file.ts'
import { type ConfigSources, loadConfig } from '../../../../host/base/config/load.ts'
import { CONFIG_ENTRIES, camelCase } from '../../../../host/base/config/schema.ts'
import { LockstepError } from '../../../../host/base/error.ts'

const directory = mkdtempSync(join(tmpdir(), 'lockstep-config-'))
const APP = join(directory, 'app.toml')
const CONFIG = join(directory, 'config.toml')

beforeEach(() => {
  rmSync(APP, { force: true })
  rmSync(CONFIG, { force: true })
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

function load(sources: Partial<ConfigSources> = {}) {
  return loadConfig({ directory, environment: {}, flags: new Map(), ...sources })
}

function refusal(sources: Partial<ConfigSources> = {}): { message: string; hint: string } {
  try {
    load(sources)
  } catch (error) {
    if (!(error instanceof LockstepError)) throw error
    expect(error.code).toBe('CONFIG_INVALID')
    return { message: error.message, hint: error.hint }
  }
  throw new Error('the configuration was taken')
}

describe('the precedence of sources', () => {
  const environment = { LOCKSTEP_EVM_HTTP_PORT: '3' }
  const flags = new Map([['evm.http-port', '4']])

  test('is flag, environment, file, default, from highest to lowest', () => {
    expect(load().config.evm.httpPort).toBe(8545)
    writeFileSync(APP, '[evm]\nhttp_port = 2\n')
    expect(load().config.evm.httpPort).toBe(2)
    expect(load({ environment }).config.evm.httpPort).toBe(3)
    expect(load({ environment, flags }).config.evm.httpPort).toBe(4)
  })

  test('does not affect the other keys', () => {
    writeFileSync(APP, '[evm]\nhttp_port = 2\n')
    const { evm } = load().config
    expect({ ...evm, httpPort: 8545 }).toEqual(load({ directory: '/nowhere' }).config.evm)
  })

  test('derives every environment variable from its section and key', () => {
    const environment = { LOCKSTEP_STATE_STORE_EVM_SS_SPLIT: 'true', LOCKSTEP_LOG_LEVEL: 'debug' }
    const { config } = load({ environment })
    expect(config.stateStore.evmSsSplit).toBe(true)
    expect(config.logLevel).toBe('debug')
  })

  test('ignores variables of other programs with the same prefix', () => {
    const environment = {
      LOCKSTEP_PORT: 'tcp://10.0.0.1:8545',
      LOCKSTEP_PORT_8545_TCP: 'tcp://10.0.0.1:8545',
      LOCKSTEP_PORT_8545_TCP_ADDR: '10.0.0.1',
      LOCKSTEP_RPC_SERVICE_HOST: '10.0.0.1',
      LOCKSTEP_RPC_SERVICE_PORT_HTTP: '8545',
    }
    expect(load({ environment }).config).toEqual(load().config)
  })
})

describe('the table of keys', () => {
  test('has a default for each key that its rule accepts', () => {
    for (const { flag, type, fallback } of CONFIG_ENTRIES) {
      expect(type.decode(fallback), flag).not.toBeUndefined()
    }
  })

  test('gives every key its own flag and variable', () => {
    const flags = CONFIG_ENTRIES.map(({ flag }) => flag)
    const variables = CONFIG_ENTRIES.map(({ variable }) => variable)
    expect(new Set(flags).size).toBe(flags.length)
    expect(new Set(variables).size).toBe(variables.length)
    expect(variables).not.toContain('LOCKSTEP_HOME')
  })

  test('contains the published keys and defaults', () => {
    const { config } = load()
    expect(config.stateStore).toEqual({
      ssEnable: true,
      ssBackend: 'pebbledb',
      ssKeepRecent: 100_000,
      ssPruneInterval: 600,
      evmSsSplit: false,
      evmSsSeparateDbs: true,
    })
    expect(config.stateCommit.scEnable).toBe(true)
    expect(config.p2p.maxPacketMsgPayloadSize).toBe(102_400)
    expect(config.consensus.blockTime).toBe(400)
    expect(config.rpc.laddr).toEqual({ host: '127.0.0.1', port: 26_657 })
  })
})

describe('the spelling of keys', () => {
  test.each([
    'log-level = "debug"\nlog-format = "json"\n[mempool]\nttl-duration = "5s"\n',
    'log_level = "debug"\nlog_format = "json"\n[mempool]\nttl_duration = "5s"\n',
  ])('treats hyphen and underscore as the same', (text) => {
    writeFileSync(CONFIG, text)
    const { config } = load()
    expect(config.logLevel).toBe('debug')
    expect(config.logFormat).toBe('json')
    expect(config.mempool.ttlDuration).toBe(5_000)
  })

  test('treats hyphen and underscore in sections as the same', () => {
    writeFileSync(APP, '[state_store]\nevm_ss_split = true\n')
    expect(load().config.stateStore.evmSsSplit).toBe(true)
  })

  test('is unique within one file: a key in both spellings is refused', () => {
    writeFileSync(CONFIG, 'log-level = "info"\nlog_level = "debug"\n')
    expect(refusal().message).toBe(`${CONFIG}:2: log_level is given twice`)
  })

  test('accepts persistent peers in underscore spelling, beside servers to follow', () => {
    const peers = '[p2p]\npersistent_peers = "a@h:1,b@h:2"\nmax-packet-msg-payload-size = 1024000\n'
    writeFileSync(CONFIG, `${peers}[follow]\nrpc-servers = "http://127.0.0.1:26657"\n`)
    const { config } = load()
    expect(config.p2p.persistentPeers).toEqual(['a@h:1', 'b@h:2'])
    expect(config.p2p.maxPacketMsgPayloadSize).toBe(1_024_000)
  })
})

describe('the error for an invalid configuration', () => {
  test('names the file, line, key, value and rule', () => {
    writeFileSync(APP, '# ports\n[evm]\nhttp_port = 70000\n')
    expect(refusal()).toEqual({
      message: `${APP}:3: [evm] http_port = 70000: must be an integer from 0 to 65535`,
      hint: `correct the line in ${APP}`,
    })
  })

  test('states the variable', () => {
    expect(refusal({ environment: { LOCKSTEP_LOG_LEVEL: 'loud' } })).toEqual({
      message: 'LOCKSTEP_LOG_LEVEL = "loud": must be one of trace, debug, info, warn, error',
      hint: 'correct the variable',
    })
  })

  test('states the flag', () => {
    expect(refusal({ flags: new Map([['rpc.laddr', 'here']]) })).toEqual({
      message: '--rpc.laddr = "here": must be an address such as tcp://127.0.0.1:26657',
      hint: 'correct the flag',
    })
  })

  test('names the replacement of a key that this release does not support', () => {
    writeFileSync(CONFIG, '[p2p]\npersistent_peers = "a@h:1"\n')
    expect(refusal()).toEqual({
      message: `${CONFIG}:2: [p2p] persistent_peers = "a@h:1": has no effect with engine = "embedded"`,
      hint:
        'the embedded engine has no peer-to-peer network: name the consensus RPC of another node in ' +
        'rpc-servers of [follow], or write engine = "cometbft" in [consensus]',
    })
  })

  /** For each key that must have its default: another value. */
  const OTHERS: Readonly<Record<string, string>> = {
    'p2p.laddr': 'tcp://127.0.0.1:1',
    'p2p.external-address': 'h:1',
    'p2p.persistent-peers': 'a@h:1',
    'p2p.seeds': 'a@h:1',
    'p2p.bootstrap-peers': 'a@h:1',
    'p2p.max-connections': '7',
    'statesync.use-p2p': 'true',
    'follow.rpc-servers': 'h:26657',
    'consensus.double-sign-check-servers': 'h:26657',
  }

  test('appears for each unsupported key, however it is set, and not for its default', () => {
    for (const { flag, variable, instead, fallback, engine } of CONFIG_ENTRIES) {
      if (instead === undefined) continue
      const other = OTHERS[flag] ?? ''
      for (const running of ['embedded', 'cometbft'] as const) {
        const LOCKSTEP_CONSENSUS_ENGINE = running
        const environment = { LOCKSTEP_CONSENSUS_ENGINE }
        const ways = [
          { flags: new Map([[flag, other]]), environment },
          { environment: { ...environment, [variable]: other } },
        ]
        for (const way of ways) {
          if (engine === running) {
            load(way)
            continue
          }
          const { message, hint } = refusal(way)
          const where = engine === undefined ? 'in this release' : `with engine = "${running}"`
          expect(message).toMatch(new RegExp(`: has no effect ${where}$`))
          expect(hint, flag).toBe(instead)
        }
        load({ flags: new Map([[flag, String(fallback)]]), environment })
      }
    }
  })

  test('suggests the nearest name', () => {
    writeFileSync(APP, '[evm]\nhttp_prot = 1\n')
    expect(refusal()).toEqual({
      message: `${APP}:2: unknown key [evm] http_prot`,
      hint: 'did you mean http_port?',
    })
  })

  test.each([
    ['LOCKSTEP_EVM_HTTP_PROT', 'did you mean LOCKSTEP_EVM_HTTP_PORT?'],
    ['LOCKSTEP_HOM', 'did you mean LOCKSTEP_HOME?'],
    ['LOCKSTEP_Q', 'unset LOCKSTEP_Q'],
  ])('appears for the unknown variable %s, which would have no effect', (name, hint) => {
    const message = `unknown environment variable ${name}`
    expect(refusal({ environment: { [name]: '8545' } })).toEqual({ message, hint })
  })

  test('states where a misplaced key belongs', () => {
    writeFileSync(APP, '[state-commit]\nevm-ss-split = true\n')
    expect(refusal()).toEqual({
      message: `${APP}:2: unknown key [state-commit] evm-ss-split`,
      hint: 'evm-ss-split belongs in [state-store] of app.toml',
    })
    rmSync(APP)
    writeFileSync(CONFIG, 'halt-height = 1\n')
    expect(refusal().hint).toBe('halt-height belongs above the sections of app.toml')
  })

  test.each(['zzzzzzzzzz', 'constructor', '__proto__'])('suggests no name near %s', (name) => {
    writeFileSync(APP, `${name} = 1\n`)
    expect(refusal()).toEqual({
      message: `${APP}:1: unknown key ${name}`,
      hint: 'remove the line',
    })
  })

  test('suggests the nearest section', () => {
    writeFileSync(APP, '\n[state-stor]\nss-enable = true\n')
    expect(refusal()).toEqual({
      message: `${APP}:2: unknown section [state-stor] in app.toml`,
      hint: 'did you mean [state-store]?',
    })
  })

  test.each([
    ['seed', 'write full, and name servers in [follow] rpc-servers'],
    ['archive', 'write full, and in app.toml ss-keep-recent = 0 and min-retain-blocks = 0'],
  ])('names the replacement of mode %s', (mode, remedy) => {
    writeFileSync(CONFIG, `mode = "${mode}"\n`)
    const { message, hint } = refusal()
    expect(message).toBe(`${CONFIG}:1: mode = "${mode}": must be validator or full`)
    expect(hint).toContain(remedy)
  })

  test.each(['evm-ss-write-mode', 'evm_ss_write_mode', 'evm-ss-read-mode'])(
    'names the replacement of %s',
    (name) => {
      writeFileSync(APP, `[state-store]\n${name} = "split_write"\n`)
      const { message, hint } = refusal()
      expect(message).toBe(`${APP}:2: ${name} is a key of an older release`)
      expect(hint).toMatch(/^write evm-ss-split = true/)
    },
  )

  test.each([
    ['state-commit', 'sc-enable'],
    ['state-store', 'ss-enable'],
  ])('requires [%s] %s to be true', (section, name) => {
    writeFileSync(APP, `[${section}]\n${name} = false\n`)
    expect(refusal().message).toBe(`${APP}:2: [${section}] ${name} = false: must be true`)
  })

  test('names the line that is not TOML', () => {
    writeFileSync(APP, '[evm]\nhttp_port = = 1\n')
    expect(refusal().message).toMatch(new RegExp(`^${APP}:2: `))
  })

  test('is CONFIG_INVALID for any text that is not a valid configuration', () => {
    const line = fc.oneof(
      fc.string(),
      fc.constantFrom(
        '[evm]',
        '[p2p]',
        'log-level = "info"',
        '[[evm]]',
        'evm.http_port = 1',
        'a.b = 1',
      ),
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 5 }), (lines) => {
        writeFileSync(APP, lines.join('\n'))
        try {
          load()
        } catch (error) {
          expect(error).toBeInstanceOf(LockstepError)
        }
      }),
    )
  })
})

describe('a written configuration file', () => {
  test('is read back as the defaults', () => {
    const defaults = load().config
    writeFileSync(APP, renderConfigFile('app.toml'))
    writeFileSync(CONFIG, renderConfigFile('config.toml'))
    expect(load()).toEqual({ config: defaults })
  })

  test('contains the given values, whatever their text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (moniker) => {
        writeFileSync(CONFIG, renderConfigFile('config.toml', { moniker }))
        expect(load().config.moniker).toBe(moniker)
      }),
      { numRuns: 30 },
    )
  })

  test('contains each key once, below its help', () => {
    const lines = renderConfigFile('app.toml').split('\n')
    for (const { file, section, name, help } of CONFIG_ENTRIES) {
      if (file !== 'app.toml') continue
      const from = Math.max(lines.indexOf(`[${section}]`), 0)
      const at = lines.findIndex(
        (line, i) => i >= from && line.trimStart().startsWith(`${name} = `),
      )
      expect(lines[at - 1], name).toContain(help)
    }
  })
})

describe('camelCase', () => {
  test('joins words at hyphens and underscores', () => {
    expect(camelCase('evm-ss-separate-dbs')).toBe('evmSsSeparateDbs')
    expect(camelCase('http_port')).toBe('httpPort')
    expect(camelCase('use-p2p')).toBe('useP2p')
  })
})
