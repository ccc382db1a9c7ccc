import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { inspectConfig, loadConfig } from '../../../../host/base/config/load.ts'
import { LockstepError } from '../../../../host/base/error.ts'

const directory = mkdtempSync(join(tmpdir(), 'lockstep-config-'))
const APP = join(directory, 'app.toml')
const CONFIG = join(directory, 'config.toml')
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const CONFIG_TEXT = 'log_level = "loud"\n[mempool]\nsze = 4\n[p2q]\nladdr = "tcp://[::]:1"\n'
const APP_TEXT =
  '[evm]\nhttp_port = 18545\nws_enabled = 3\n[state-store]\nevm-ss-write-mode = "split"\n'

test('config check reports every fault at once and applies the valid values', () => {
  writeFileSync(CONFIG, CONFIG_TEXT)
  writeFileSync(APP, APP_TEXT)
  const environment = { LOCKSTEP_EVM_HTTP_PROT: '1', LOCKSTEP_LOG_FORMAT: 'xml' }
  const flags = new Map([['evm.http-address', '::1']])
  const { problems, settings, config } = inspectConfig({ directory, environment, flags })
  expect(problems.map(({ message, hint }) => `${message} | ${hint}`)).toEqual([
    'unknown environment variable LOCKSTEP_EVM_HTTP_PROT | did you mean LOCKSTEP_EVM_HTTP_PORT?',
    `${CONFIG}:3: unknown key [mempool] sze | did you mean size?`,
    `${CONFIG}:4: unknown section [p2q] in config.toml | did you mean [p2p]?`,
    `${APP}:5: evm-ss-write-mode is a key of an older release | ` +
      'write evm-ss-split = true for split_write (after a state sync) or false for cosmos_only',
    `${CONFIG}:1: log_level = "loud": must be one of trace, debug, info, warn, error | ` +
      `correct the line in ${CONFIG}`,
    'LOCKSTEP_LOG_FORMAT = "xml": must be one of plain, json | correct the variable',
    `${APP}:3: [evm] ws_enabled = 3: must be true or false | correct the line in ${APP}`,
  ])
  expect(config.evm.httpPort).toBe(18_545)
  expect(config.logLevel).toBe('info')
  const changed = settings.filter(({ isDefault }) => !isDefault)
  expect(changed.map(({ entry, value, place }) => [entry.flag, value, place])).toEqual([
    ['evm.http-address', '::1', { kind: 'flag', name: '--evm.http-address' }],
    ['evm.http-port', 18_545, { kind: 'file', name: `${APP}:2` }],
  ])
})

test('a start reports the first fault and that there are more', () => {
  writeFileSync(CONFIG, CONFIG_TEXT)
  writeFileSync(APP, '')
  try {
    loadConfig({ directory, environment: {}, flags: new Map() })
  } catch (thrown) {
    const { message, hint } = thrown as LockstepError
    expect(message).toBe(`${CONFIG}:3: unknown key [mempool] sze`)
    expect(hint).toBe('did you mean size?; `lockstep config check` lists 2 more')
    return
  }
  throw new Error('the configuration was taken')
})

test('a file that is not TOML does not hide the faults of the other file', () => {
  writeFileSync(CONFIG, 'log_level = \n')
  writeFileSync(APP, '[evm]\nhttp_port = -1\n')
  const { problems } = inspectConfig({ directory, environment: {}, flags: new Map() })
  expect(problems.map(({ message }) => message)).toEqual([
    expect.stringMatching(/config\.toml:1: Invalid TOML document/),
    `${APP}:2: [evm] http_port = -1: must be an integer from 0 to 65535`,
  ])
  expect(problems.every((problem) => problem instanceof LockstepError)).toBe(true)
})
