import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ERRORS } from '../../../host/base/error-table.ts'

const unit = readFileSync(
  new URL('../../../tools/systemd/lockstep.service', import.meta.url),
  'utf8',
)

/** Returns the value of a setting. */
function setting(name: string): string {
  const [, value] = new RegExp(`^${name}=(.*)$`, 'm').exec(unit) ?? []
  if (value === undefined) throw new Error(`the unit does not set ${name}`)
  return value
}

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0

test.skipIf(!hasSystemd)(
  `the unit passes systemd-analyze${hasSystemd ? '' : ': there is no systemd-analyze here'}`,
  () => {
    const dir = mkdtempSync(join(tmpdir(), 'lockstep-unit-'))
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
    const path = join(dir, 'lockstep.service')
    // The command is not installed on the test machine.
    writeFileSync(path, unit.replace('/usr/local/bin/lockstep', '/bin/true'))
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  },
)

test('the unit starts a node that may write only to its home', () => {
  expect(setting('ExecStart')).toBe('/usr/local/bin/lockstep start --home /var/lib/lockstep')
  expect(setting('StateDirectory')).toBe('lockstep')
  expect(setting('ProtectSystem')).toBe('strict')
  expect(setting('NoNewPrivileges')).toBe('yes')
  expect(Number(setting('LimitNOFILE'))).toBeGreaterThanOrEqual(65_536)
  expect(setting('ExecReload')).toContain('-USR1')
})

test('the unit does not restart a node that cannot start', () => {
  const codes = setting('RestartPreventExitStatus').split(' ').map(Number)
  const hopeless = [
    'INVALID_ARGUMENT',
    'GENESIS_INVALID',
    'STORE_CORRUPTED',
    'CONFIG_INVALID',
  ] as const
  for (const code of hopeless) expect(codes, code).toContain(ERRORS[code].exit)
  const passing = ['HOME_LOCKED', 'PORT_IN_USE', 'CONSENSUS_FAILURE'] as const
  for (const code of passing) expect(codes, code).not.toContain(ERRORS[code].exit)
})
