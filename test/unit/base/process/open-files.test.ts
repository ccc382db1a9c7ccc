import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { openFileLimit } from '../../../../host/base/process/open-files.ts'

test.runIf(process.platform === 'linux')(
  'the limit of open files is the soft limit of the shell',
  async () => {
    const limit = execFileSync('sh', ['-c', 'ulimit -Sn'], { encoding: 'utf8' }).trim()
    expect(openFileLimit('self')).toBe(limit === 'unlimited' ? Infinity : Number(limit))
    const child = spawn('sh', ['-c', 'ulimit -Sn 123; echo set; read -r line'])
    onTestFinished(() => void child.kill())
    await once(child.stdout, 'data')
    expect(openFileLimit(child.pid as number)).toBe(123)
  },
)

test('a process that does not exist has no limit', () => {
  // Above the largest pid that Linux assigns
  expect(openFileLimit(2 ** 22 + 1)).toBeUndefined()
})
