import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inspectConfig } from '../../host/base/config/load.ts'
import { CONFIG_ENTRIES, type ConfigFileName } from '../../host/base/config/schema.ts'
import { COMMANDS } from '../../host/cli/commands.ts'
import { homeAt } from '../../host/node/home/home.ts'
import {
  type Daemon,
  makeHome,
  removeHome,
  runCommand,
  startDaemon,
} from '../support/node/daemon.ts'

/** A configuration key of the contract: its file and path, its default if one is given, valid and invalid values. */
interface KeyRow {
  readonly file: ConfigFileName
  readonly section: string
  readonly key: string
  readonly fallback?: string | number | boolean
  readonly takes: readonly string[]
  readonly refuses: readonly string[]
}

const app = (section: string, key: string, rest: Omit<KeyRow, 'file' | 'section' | 'key'>) =>
  ({ file: 'app.toml', section, key, ...rest }) as const satisfies KeyRow
const comet = (section: string, key: string, rest: Omit<KeyRow, 'file' | 'section' | 'key'>) =>
  ({ file: 'config.toml', section, key, ...rest }) as const satisfies KeyRow

const KEYS: readonly KeyRow[] = [
  app('state-commit', 'sc-enable', { takes: ['true'], refuses: ['false', '1'] }),
  app('state-store', 'ss-enable', { takes: ['true'], refuses: ['false', '"no"'] }),
  app('state-store', 'ss-backend', {
    fallback: 'pebbledb',
    takes: ['"pebbledb"', '"rocksdb"'],
    refuses: ['"goleveldb"', '3'],
  }),
  app('state-store', 'evm-ss-split', {
    fallback: false,
    takes: ['true', 'false'],
    refuses: ['"maybe"', '2'],
  }),
  app('state-store', 'ss-keep-recent', { takes: ['0', '100000'], refuses: ['-1', '"all"', '1.5'] }),
  comet('mempool', 'keep-invalid-txs-in-cache', { takes: ['true', 'false'], refuses: ['"x"'] }),
  comet('mempool', 'ttl-duration', { takes: ['"5s"', '"0s"'], refuses: ['"5"', '5', '"-1s"'] }),
  comet('mempool', 'ttl-num-blocks', { takes: ['5', '0'], refuses: ['-1', '"five"'] }),
  comet('p2p', 'max-packet-msg-payload-size', {
    fallback: 102_400,
    takes: ['102400'],
    refuses: ['0', '"big"'],
  }),
  comet('p2p', 'persistent_peers', { takes: ['""'], refuses: ['3'] }),
  comet('', 'log_level', { takes: ['"debug"', '"trace"', '"info"'], refuses: ['"loud"', '1'] }),
  comet('', 'log_format', { takes: ['"json"', '"plain"'], refuses: ['"xml"'] }),
]

const directory = mkdtempSync(join(tmpdir(), 'lockstep-contract-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

function problemsWith({ file, section }: KeyRow, line: string): readonly string[] {
  for (const name of ['app.toml', 'config.toml']) rmSync(join(directory, name), { force: true })
  writeFileSync(join(directory, file), section === '' ? `${line}\n` : `[${section}]\n${line}\n`)
  const { problems } = inspectConfig({ directory, environment: {}, flags: new Map() })
  return problems.map(({ message }) => message)
}

describe.each(KEYS.map((row) => [`[${row.section}] ${row.key}`, row] as const))(
  'the key %s of the contract',
  (_, row) => {
    const spellings = [row.key.replaceAll('_', '-'), row.key.replaceAll('-', '_')]

    test("is a key of its file, with the contract's default", () => {
      const entry = CONFIG_ENTRIES.find(
        ({ file, section, name }) =>
          file === row.file && section === row.section && spellings.includes(name),
      )
      expect(entry).toBeDefined()
      if (row.fallback !== undefined) expect(entry?.fallback).toBe(row.fallback)
    })

    test.each(spellings)(
      'accepts its valid values if written as %s, and refuses others',
      (name) => {
        for (const value of row.takes) expect(problemsWith(row, `${name} = ${value}`)).toEqual([])
        for (const value of row.refuses) {
          const problems = problemsWith(row, `${name} = ${value}`)
          expect(problems).toHaveLength(1)
          expect(problems[0]).toContain(`${row.file}:${row.section === '' ? 1 : 2}: `)
        }
      },
    )
  },
)

test.each(['evm-ss-write-mode', 'evm_ss_read_mode'])(
  'the key %s of older releases is refused with a hint at evm-ss-split',
  (key) => {
    const row = { file: 'app.toml', section: 'state-store', key, takes: [], refuses: [] } as const
    expect(problemsWith(row, `${key} = "cosmos_only"`)).toEqual([
      expect.stringContaining('is a key of an older release'),
    ])
  },
)

test('a home has the files and folders of the contract', () => {
  const { root, config, data } = homeAt('/home')
  expect([config.validatorKey, config.genesis, config.consensus, config.app]).toEqual(
    ['priv_validator_key.json', 'genesis.json', 'config.toml', 'app.toml'].map((name) =>
      join(root, 'config', name),
    ),
  )
  const { evmState, generalState, stateCommit, snapshots, validatorState } = data
  expect([evmState, generalState, stateCommit, snapshots, validatorState]).toEqual(
    ['evm_ss', 'pebbledb', 'committer.db', 'snapshots', 'priv_validator_state.json'].map((name) =>
      join(root, 'data', name),
    ),
  )
})

/** The operator commands of the contract, as an operator types them. */
const WORDS = [
  'status',
  'init',
  'rollback',
  'consensus unsafe-reset-all',
  'tendermint unsafe-reset-all',
  'consensus show-validator',
  'consensus show-node-id',
  'debug dump-iavl',
  'debug dump-db',
]

test.each(WORDS)('the command %s exists, with help and an example', async (words) => {
  const { code, stdout } = await runCommand([...words.split(' '), '--help'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^Usage: lockstep .*\n[\s\S]*--home <DIR>[\s\S]*\nExample:\n {2}lockstep /)
  expect(COMMANDS.map(({ name }) => name)).toContain(words.split(' ').at(-1))
})

describe('a node with the split on', () => {
  let home: string
  let daemon: Daemon
  beforeAll(async () => {
    home = makeHome()
    daemon = await startDaemon({ home, arguments: ['--state-store.evm-ss-split', 'true'] })
  })
  afterAll(async () => {
    await daemon.stop()
    removeHome(home)
  })

  test.each([
    ['/status', 'sync_info'],
    ['/net_info', 'peers'],
    ['/lag_status', 'lag'],
  ])('answers %s with %s', async (path, member) => {
    const response = await fetch(`${daemon.ready.consensus}${path}`)
    const { result } = (await response.json()) as { result: Record<string, unknown> }
    expect(result[member]).toBeDefined()
    if (member === 'peers') expect(Array.isArray(result.peers)).toBe(true)
  })

  test('logs the three start-up lines of the contract', () => {
    const output = daemon.output()
    expect(output).toMatch(/NodeDB SS is enabled backend=\w+/)
    expect(output).toMatch(/NodeDB EVM StateStore optimization is enabled separateDBs=true/)
    expect(output).toMatch(/EVM state store enabled dir=.*evm_ss"? separateDBs=true/)
    for (const name of ['evm_ss', 'pebbledb', 'committer.db', 'priv_validator_state.json']) {
      expect(existsSync(join(home, 'data', name))).toBe(true)
    }
  })
})
