import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inspectConfig } from '../../../../host/base/config/load.ts'
import { ownAddresses } from '../../../../host/node/serve/own-addresses.ts'
import { type HttpServer, serveHttp } from '../../../support/http-server.ts'
import { makeHome, removeHome, runCommand } from '../../../support/node/daemon.ts'

const folder = makeHome()
let other: HttpServer
let port: number

beforeAll(async () => {
  other = await serveHttp()
  port = other.port
})
afterAll(async () => {
  await other.close()
  removeHome(folder)
})

const FREE: Readonly<Record<string, string>> = {
  'rpc.laddr': 'tcp://127.0.0.1:0',
  'evm.http-port': '0',
  'evm.ws-port': '0',
}

/** Each address key with its value for a port, and the settings that enable its server. */
const KEYS: readonly (readonly [
  string,
  (at: number) => string,
  Readonly<Record<string, string>>,
])[] = [
  ['rpc.laddr', (at) => `tcp://127.0.0.1:${at}`, {}],
  ['evm.http-port', String, {}],
  ['evm.ws-port', String, {}],
  [
    'instrumentation.prometheus-listen-addr',
    (at) => `127.0.0.1:${at}`,
    { 'instrumentation.prometheus': 'true' },
  ],
  ['payments.address', (at) => `127.0.0.1:${at}`, { 'payments.enable': 'true' }],
  ['wallets.address', (at) => `127.0.0.1:${at}`, { 'wallets.enable': 'true' }],
]

test.each(KEYS)(
  'a port in use for %s ends the start before a database is opened',
  async (key, value, more) => {
    const home = join(folder, key)
    const flags = Object.entries({ ...FREE, ...more, [key]: value(port) })
    const args = flags.map(([flag, text]) => `--${flag}=${text}`)
    const { code, stdout, stderr } = await runCommand(['start', '--dev', '--home', home, ...args])
    expect([code, stdout]).toEqual([75, ''])
    expect(stderr).toContain(`Error: 127.0.0.1:${port} is already in use (${key})\n`)
    expect(stderr).toContain(
      `Hint: end that process (\`ss -ltnp 'sport = :${port}'\` names it), or start with another --${key}\n`,
    )
    // No store was opened.
    expect(stderr).not.toContain('NodeDB SS is enabled')
    for (const name of ['wal', 'chain.db', 'committer.db', 'blockstore.db']) {
      expect(existsSync(join(home, 'data', name)), name).toBe(false)
    }
  },
)

test('lockstep anvil names its flag for a port in use', async () => {
  const { code, stdout, stderr } = await runCommand(['anvil', '--port', String(port)])
  expect(code).toBe(75)
  // Its log goes to stdout.
  expect(stdout).toMatch(/^\S+ INF starting .*\n$/)
  expect(stderr).toContain(`Error: 127.0.0.1:${port} is already in use (evm.http-port)\n`)
  expect(stderr).toContain(
    `Hint: end that process (\`ss -ltnp 'sport = :${port}'\` names it), or start with another --port\n`,
  )
})

test('lockstep anvil names its flag for an invalid value', async () => {
  const { code, stderr } = await runCommand(['anvil', '--accounts', 'many'])
  expect(code).toBe(78)
  expect(stderr).toContain('Error: --accounts = "many": must be an integer from 0 to 1000\n')
})

test('the check covers every address that a start listens on', () => {
  const flags = new Map(
    KEYS.flatMap(([key, value, more]) => [[key, value(7)], ...Object.entries(more)]) as [
      string,
      string,
    ][],
  )
  const set = new Map([
    ...flags,
    ['consensus.engine', 'cometbft'],
    ['p2p.laddr', 'tcp://127.0.0.1:7'],
  ] as [string, string][])
  const { config } = inspectConfig({ directory: join(folder, 'none'), environment: {}, flags: set })
  const looked = ownAddresses(config).map(({ flag }) => flag)
  expect(looked.sort()).toEqual([...KEYS.map(([key]) => key), 'p2p.laddr'].sort())
  const imported = ownAddresses(config, false).map(({ flag }) => flag)
  expect(imported).toEqual([
    'evm.http-port',
    'evm.ws-port',
    'instrumentation.prometheus-listen-addr',
  ])
})
