import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { renderConfigFile } from '../../../../host/base/config/config-file.ts'
import { type InspectedConfig, inspectConfig } from '../../../../host/base/config/load.ts'
import { migrateFile } from '../../../../host/base/config/migrate-file.ts'
import {
  CONFIG_ENTRIES,
  CONFIG_FILES,
  type ConfigFileName,
} from '../../../../host/base/config/schema.ts'
import { withKey } from '../../../../host/base/config/set-key.ts'
import type { TomlLiteral } from '../../../../host/base/config/value-type.ts'
import { PRESETS, type PresetName } from '../../../../host/evm/chain-types/genesis-presets.ts'
import { homeAt } from '../../../../host/node/home/home.ts'
import {
  initializeHome,
  type JoinedChain,
  type NewChain,
} from '../../../../host/node/home/initialize-home.ts'
import { ARCHIVE_CONFIG, DEV_CONFIG } from '../../../../host/node/home/new-home-config.ts'
import { initializeNetwork } from '../../../../host/node/network/initialize-network.ts'
import { planNetwork } from '../../../../host/node/network/network-plan.ts'
import { rightValues } from '../../../support/node/right-values.ts'

const FILES = Object.keys(CONFIG_FILES) as ConfigFileName[]
const ENGINES = ['embedded', 'cometbft'] as const

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lockstep-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const inspect = (directory: string) =>
  inspectConfig({ directory, environment: {}, flags: new Map() })

/** Migrates both files of a folder and writes them as the command does. @returns the changes */
function migrate(directory: string, inspected = inspect(directory)) {
  return FILES.flatMap((file) => {
    const path = join(directory, file)
    const { text, changes } = migrateFile(path, file, readFileSync(path, 'utf8'), inspected)
    writeFileSync(path, text)
    return changes
  })
}

/** Returns the configuration folder with these files in place of its own. */
function folderOf(files: Partial<Record<ConfigFileName, string>>): string {
  const directory = join(folder, 'config')
  mkdirSync(directory, { recursive: true })
  for (const file of FILES) writeFileSync(join(directory, file), files[file] ?? '')
  return directory
}

/** Returns true if the files of a folder are still those that `folderOf` wrote. */
function areWritten(directory: string, files: Partial<Record<ConfigFileName, string>>): boolean {
  return FILES.every((file) => readFileSync(join(directory, file), 'utf8') === (files[file] ?? ''))
}

/** Returns the value of a key as the node uses it. */
function settingOf({ settings }: InspectedConfig, flag: string): unknown {
  const setting = settings.find(({ entry }) => entry.flag === flag)
  return setting?.entry.type.decode(setting.value)
}

describe('a migration leaves the files of this release unchanged', () => {
  const CHAINS: readonly (readonly [string, NewChain | JoinedChain])[] = [
    ...(Object.keys(PRESETS) as PresetName[]).map(
      (preset) => [preset, { preset, time: 0n }] as const,
    ),
    ['a chain id of its own', { preset: '1329', chainId: 7n, time: 0n }],
    ['a chain that is joined', { genesis: undefined }],
  ]

  test.each(CHAINS)('in a home of %s', async (name, chain) => {
    const home = homeAt(join(folder, `home of ${name}`))
    await initializeHome(home, { ...chain, moniker: 'a', overwrite: false })
    expect(migrate(home.config.directory)).toEqual([])
  })

  test('in the home of an archive node and of a developer', () => {
    for (const values of [ARCHIVE_CONFIG, DEV_CONFIG]) {
      const directory = folderOf({
        'config.toml': renderConfigFile('config.toml'),
        'app.toml': renderConfigFile('app.toml', values),
      })
      expect(migrate(directory)).toEqual([])
    }
  })

  test('in the homes of a network', async () => {
    const { nodes } = await initializeNetwork({
      folder: join(folder, 'network'),
      chain: { preset: 'dev', time: 0n },
      nodes: planNetwork({
        powers: [10, 10],
        full: 1,
        hosts: [],
        basePort: 30_000,
        evmPort: 31_000,
        settings: [],
      }),
    })
    for (const { home } of nodes) expect(migrate(join(home, 'config'))).toEqual([])
  })
})

describe.each(ENGINES)(
  'a migration keeps every value that config check accepts, with engine %s',
  (engine) => {
    const values = rightValues(engine)

    /** Returns a file that sets the engine and one key. */
    function alone(
      file: ConfigFileName,
      section: string,
      name: string,
      value: TomlLiteral,
    ): string {
      const text = file === 'config.toml' ? `[consensus]\nengine = "${engine}"\n` : ''
      return withKey(text, section, name, value)
    }

    test.each(
      CONFIG_ENTRIES.filter(({ flag }) => values.has(flag)).map((entry) => [entry.flag, entry]),
    )('for instance the value of %s', (flag, entry) => {
      const { file, section, name } = entry
      const value = values.get(flag) as TomlLiteral
      const engineFile = { 'config.toml': alone('config.toml', 'consensus', 'engine', engine) }
      const whole = renderConfigFile(file, { 'consensus.engine': engine, [flag]: value })
      const dotted = `${section === '' ? '' : `${section}.`}${name} = ${JSON.stringify(value)}\n`
      const own = flag === 'consensus.engine'
      const texts = [
        whole,
        alone(file, section, name, value),
        ...(own || file === 'config.toml' ? [] : [dotted]),
        // In CometBFT's spelling this key has another meaning for the embedded engine.
        ...(flag === 'consensus.timeout-commit' && engine === 'embedded'
          ? []
          : [alone(file, section, name.replaceAll('-', '_'), value)]),
      ]
      for (const text of texts) {
        const given = { ...engineFile, [file]: text }
        const directory = folderOf(given)
        const inspected = inspect(directory)
        expect(inspected.problems).toEqual([])
        const before = settingOf(inspected, flag)
        const changes = migrate(directory, inspected)
        expect(changes.filter(({ after }) => after === undefined)).toEqual([])
        expect(before).toEqual(entry.type.decode(value))
        // Equal files mean the same.
        if (!areWritten(directory, given)) {
          expect(settingOf(inspect(directory), flag)).toEqual(before)
        }
      }
    })

    test('also if all of them are set together', () => {
      const settings = Object.fromEntries(values)
      const directory = folderOf({
        'config.toml': renderConfigFile('config.toml', settings),
        'app.toml': renderConfigFile('app.toml', settings),
      })
      const wrong = inspect(directory).problems.map(({ message }) => message)
      expect(migrate(directory).map(({ before, after }) => [before, after])).toEqual([])
      expect(inspect(directory).problems.map(({ message }) => message)).toEqual(wrong)
    })
  },
)

test('a migration keeps peers that are valid because servers to follow are configured', () => {
  const peers = `persistent-peers = "${'a'.repeat(40)}@127.0.0.1:1"`
  const text = `[p2p]\n${peers}\n[follow]\nrpc-servers = "http://127.0.0.1:1"\n`
  const directory = folderOf({ 'config.toml': text })
  expect(inspect(directory).problems).toEqual([])
  expect(migrate(directory)).toEqual([])
})

test('a migration uses the engine from the environment to decide which keys are valid', () => {
  const text = '[p2p]\nseeds = "aa@h:1"\n'
  const directory = folderOf({ 'config.toml': text })
  const environment = { LOCKSTEP_CONSENSUS_ENGINE: 'cometbft' }
  const inspected = inspectConfig({ directory, environment, flags: new Map() })
  expect(inspected.problems).toEqual([])
  expect(migrateFile('config.toml', 'config.toml', text, inspected).changes).toEqual([])
})

describe('a migration keeps a current key and disables its older spelling beside it', () => {
  test.each([
    ['config.toml', 'consensus', 'timeout_commit = "1s"', 'block-time = "400ms"'],
    ['config.toml', 'statesync', 'trusted-height = 3', 'trust-height = 4'],
    ['app.toml', 'state-store', 'evm-ss-write-mode = "cosmos_only"', 'evm-ss-split = true'],
  ] as const)('for instance in %s [%s]: %s beside %s', (file, section, old, own) => {
    for (const lines of [
      [old, own],
      [own, old],
    ]) {
      const directory = folderOf({ [file]: `[${section}]\n${lines.join('\n')}\n` })
      migrate(directory)
      const text = readFileSync(join(directory, file), 'utf8')
      expect(text.split('\n')).toContain(own)
      expect(inspect(directory).problems).toEqual([])
    }
  })
})

test('a migration keeps a quoted section name and a section written as an inline table', () => {
  const text = 'rpc = { laddr = "tcp://127.0.0.1:7" }\n["mempool"]\nsize = 7\n'
  const directory = folderOf({ 'config.toml': text })
  expect(inspect(directory).problems).toEqual([])
  expect(migrate(directory)).toEqual([])
})
