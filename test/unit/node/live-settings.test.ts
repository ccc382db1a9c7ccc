import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadConfig } from '../../../host/base/config/load.ts'
import { CONFIG_ENTRIES, type Config } from '../../../host/base/config/schema.ts'
import type { LogFields, Logger } from '../../../host/base/log/logger.ts'
import { LiveSettings } from '../../../host/node/live-settings.ts'

let folder: string
let lines: string[]
let live: LiveSettings
const logger = {
  info: (message: string, fields: LogFields = {}) =>
    lines.push(`info ${message} ${JSON.stringify(fields)}`),
  warn: (message: string, fields: LogFields = {}) =>
    lines.push(`warn ${message} ${JSON.stringify(fields)}`),
  error: (message: string, fields: LogFields = {}) =>
    lines.push(`error ${message} ${JSON.stringify(fields)}`),
} as unknown as Logger

const read = (flags: ReadonlyMap<string, string> = new Map()): Config =>
  loadConfig({ directory: folder, environment: {}, flags }).config

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lockstep-live-'))
  lines = []
  live = new LiveSettings(read(), read)
})
afterEach(() => rmSync(folder, { recursive: true }))

test('the keys that a running node applies are those that the tables mark as live', () => {
  expect(CONFIG_ENTRIES.filter(({ isLive }) => isLive).map(({ flag }) => flag)).toEqual([
    'log-level',
    'minimum-gas-prices',
    'evm.cors-origins',
    'evm.max-request-values',
    'evm.write-timeout',
    'evm.slow-request',
    'evm.batch-request-limit',
    'evm.batch-response-max-size',
    'evm.max-log-no-block',
    'evm.max-blocks-for-log',
    'evm.max-subscriptions-new-head',
    'evm.max-subscriptions-logs',
    'evm.simulation-evm-timeout',
    'evm.max-state-override-accounts',
    'evm.max-state-override-slots',
    'evm.trace-timeout',
    'evm.max-trace-lookback-blocks',
    'evm.max-trace-filter-blocks',
  ])
})

test('a changed key is applied and logged, and the listeners see it', () => {
  const seen: unknown[] = []
  live.onChange(({ evm, minimumGasPrices }) => seen.push([evm.batchRequestLimit, minimumGasPrices]))
  writeFileSync(
    join(folder, 'app.toml'),
    'minimum-gas-prices = "2gwei"\n[evm]\nbatch_request_limit = 7\ncors_origins = "https://a.example"\n',
  )
  live.reload(logger)
  expect(lines).toEqual([
    'info a setting is changed {"key":"minimum-gas-prices","from":"0","to":"2000000000"}',
    'info a setting is changed {"key":"evm.cors-origins","from":"[\\"localhost\\",\\"127.0.0.1\\",\\"[::1]\\"]","to":"[\\"https://a.example\\"]"}',
    'info a setting is changed {"key":"evm.batch-request-limit","from":"1000","to":"7"}',
  ])
  expect(seen).toEqual([[7, 2_000_000_000n]])
  expect(live.config.evm.corsOrigins).toEqual(['https://a.example'])
})

test('a key that needs a restart stays as it is, and is reported once', () => {
  writeFileSync(join(folder, 'app.toml'), '[evm]\nhttp_port = 1234\n')
  live.reload(logger)
  live.reload(logger)
  expect(lines).toEqual([
    'warn a changed setting takes effect after a restart {"key":"evm.http-port"}',
    'info the configuration was read again: no setting is changed {}',
  ])
  expect(live.config.evm.httpPort).toBe(8545)
})

test('a file with a fault changes nothing', () => {
  const seen: unknown[] = []
  live.onChange((config) => seen.push(config))
  writeFileSync(join(folder, 'app.toml'), '[evm]\nbatch_request_limit = 7\nslow_request = "soon"\n')
  const before = live.config
  live.reload(logger)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(
    /^error the configuration was read again and has a fault: nothing is changed .*slow_request/,
  )
  expect([live.config, seen]).toEqual([before, []])
})

test('a flag of the command line is stronger than a changed file', () => {
  const flags = new Map([['log-level', 'warn']])
  const flagged = new LiveSettings(read(flags), () => read(flags))
  writeFileSync(join(folder, 'config.toml'), 'log-level = "debug"\n')
  flagged.reload(logger)
  expect(flagged.config.logLevel).toBe('warn')
  expect(lines).toEqual(['info the configuration was read again: no setting is changed {}'])
})
