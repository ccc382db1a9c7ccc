import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inspectConfig } from '../../../host/base/config/load.ts'
import { CONFIG_ENTRIES } from '../../../host/base/config/schema.ts'
import { runCommandHere } from '../../support/node/command-here.ts'
import { makeHome, removeHome } from '../../support/node/daemon.ts'
import { rightValues } from '../../support/node/right-values.ts'

const folder = makeHome()
afterAll(() => removeHome(folder))

const inspect = (home: string) =>
  inspectConfig({ directory: join(home, 'config'), environment: {}, flags: new Map() })

/** Keys that accept only their default in a home with this engine. */
const FIXED = ['statesync.use-p2p', 'state-commit.sc-enable', 'state-store.ss-enable']

// `mode` is a flag of the command itself.
const OWN = ['mode']

describe.each(['embedded', 'cometbft'] as const)('init with engine %s', (engine) => {
  const values = rightValues(engine)
  const home = join(folder, engine)
  let written: ReturnType<typeof inspect>
  beforeAll(async () => {
    const flags = [...values]
      .filter(([flag]) => !OWN.includes(flag))
      .map(([flag, value]) => `--${flag}=${value}`)
    const { code, stderr } = await runCommandHere([
      'init',
      '--chain-id',
      'dev',
      '--home',
      home,
      ...flags,
    ])
    expect([code, stderr.split('\n').filter((line) => line.startsWith('Error'))]).toEqual([0, []])
    written = inspect(home)
  })

  const keys = CONFIG_ENTRIES.filter(({ flag }) => values.has(flag) && !OWN.includes(flag))
  test.each(keys.map((entry) => [entry.flag, entry] as const))(
    'writes --%s to the configuration file',
    (flag, entry) => {
      const found = written.settings.find((setting) => setting.entry.flag === flag)
      expect(found?.place.kind).toBe('file')
      expect(entry.type.decode(found?.value)).toEqual(entry.type.decode(values.get(flag)))
    },
  )

  test('has a flag for every key except those of the other engine and those with one possible value', () => {
    const others = CONFIG_ENTRIES.filter(({ flag }) => !values.has(flag) && !FIXED.includes(flag))
    expect(others.every((entry) => entry.engine !== undefined && entry.engine !== engine)).toBe(
      true,
    )
  })
})

test('a flag with an invalid value ends init before anything is written', async () => {
  const home = join(folder, 'wrong')
  const { code, stderr } = await runCommandHere([
    ...['init', '--chain-id', 'dev', '--home', home, '--evm.http-port', 'x'],
  ])
  expect(code).toBe(78)
  expect(stderr).toContain('Error: --evm.http-port = "x": must be an integer from 0 to 65535\n')
  expect(() => readFileSync(join(home, 'config/app.toml'))).toThrow('ENOENT')
})

test('a flag changes its key in an existing home and nothing else', async () => {
  const home = join(folder, 'again')
  const init = ['init', '--chain-id', 'dev', '--home', home]
  await runCommandHere([...init, 'alice'])
  const paths = ['app.toml', 'config.toml'].map((name) => join(home, 'config', name))
  const before = paths.map((path) => readFileSync(path, 'utf8'))
  const { code } = await runCommandHere([...init, '--evm.http_port', '7', '--moniker', 'bob'])
  expect(code).toBe(0)
  expect(paths.map((path) => readFileSync(path, 'utf8'))).toEqual([
    before[0]?.replace(/^http_port = .*$/m, 'http_port = 7'),
    before[1]?.replace(/^moniker = .*$/m, 'moniker = "bob"'),
  ])
})

test('a flag for a key whose value spans several lines is refused, and the file is unchanged', async () => {
  const home = join(folder, 'lines')
  const init = ['init', '--chain-id', 'dev', '--home', home]
  await runCommandHere(init)
  const path = join(home, 'config/app.toml')
  const text = readFileSync(path, 'utf8').replace(
    /^cors_origins = .*$/m,
    'cors_origins = [\n  "a",\n]',
  )
  writeFileSync(path, text)
  const { code, stderr } = await runCommandHere([...init, '--evm.cors-origins', 'b'])
  expect(code).toBe(78)
  expect(stderr).toContain(`Error: ${path}: --evm.cors-origins cannot be written\n`)
  expect(readFileSync(path, 'utf8')).toBe(text)
})

test.each(['consensus', 'tendermint', 'cometbft'])(
  '%s show-node-id prints the id that init printed and that peers write',
  async (group) => {
    const home = join(folder, `id of ${group}`)
    const { stderr } = await runCommandHere(['init', '--chain-id', 'dev', '--home', home])
    const { node_id: id } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '')
    const shown = await runCommandHere([group, 'show-node-id', '--home', home])
    expect(shown).toEqual({ code: 0, stdout: `${id}\n`, stderr: '' })
    expect(id).toMatch(/^[0-9a-f]{40}$/)
    const missing = await runCommandHere([group, 'show-node-id', '--home', join(folder, 'none')])
    expect(missing.code).toBe(78)
    expect(missing.stderr).toContain('Error: Node key file not found: ')
  },
)

test('rollback of a home without blocks reports that and changes nothing', async () => {
  const home = join(folder, 'no blocks')
  await runCommandHere(['init', '--chain-id', 'dev', '--home', home])
  for (const flags of [[], ['--hard'], ['-n', '3']]) {
    const { code, stderr } = await runCommandHere(['rollback', '--home', home, ...flags])
    expect(code).toBe(64)
    expect(stderr).toContain('Error: the chain is at height 0: there is no block to roll back\n')
  }
})
