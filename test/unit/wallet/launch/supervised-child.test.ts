import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { tryLockFile } from '../../../../host/storage/store/sqlite/file-lock.ts'
import { childCommand } from '../../../../host/wallet/launch/child-command.ts'
import type { ChildLog, ChildLogLevel } from '../../../../host/wallet/launch/start-contract.ts'
import {
  type ChildOptions,
  SupervisedChild,
} from '../../../../host/wallet/launch/supervised-child.ts'
import { until } from '../../../support/until.ts'
import type { ChildFacts, ChildStart } from './launched-child-main.ts'

const SCRIPT = new URL('launched-child-main.ts', import.meta.url)
const root = mkdtempSync(join(tmpdir(), 'lockstep-launch-'))
const running: SupervisedChild<ChildStart, ChildFacts>[] = []

afterEach(async () => {
  await Promise.all(running.splice(0).map((child) => child.stop(0)))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

interface Line {
  readonly level: ChildLogLevel
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

let count = 0

async function start(
  behaviour: ChildStart['behaviour'] = 'serve',
  options: Partial<ChildOptions<ChildStart, ChildFacts>> & { folder?: string } = {},
) {
  const folder = options.folder ?? join(root, `${++count}`)
  mkdirSync(folder, { recursive: true })
  const lines: Line[] = []
  const take =
    (level: ChildLogLevel): ChildLog['info'] =>
    (message, fields = {}) =>
      lines.push({ level, message, fields })
  const log = { debug: take('debug'), info: take('info'), warn: take('warn'), error: take('error') }
  const { child, facts } = await SupervisedChild.start<ChildStart, ChildFacts>({
    name: 'the child',
    command: childCommand(SCRIPT, { read: [], write: [folder], addons: false }),
    variables: {},
    identity: undefined,
    start: (first) => ({ folder, behaviour, reads: ['/etc/passwd'], first: first?.pid }),
    secrets: async () => [],
    log,
    ...options,
  })
  running.push(child)
  return { child, facts, lines, folder }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function readies(lines: readonly Line[]): readonly unknown[] {
  return lines
    .filter(({ message }) => message === 'the child answers')
    .map(({ fields }) => fields.pid)
}

describe('a supervised process', () => {
  test('receives secrets as bytes, no environment, and few rights', async () => {
    const secrets = [
      { kind: 'key', bytes: Uint8Array.from(randomBytes(32)).fill(10, 3, 5) },
      { kind: 'passphrase', bytes: new TextEncoder().encode('grün\0"') },
    ] as const
    const expected = secrets.map(
      ({ kind, bytes }) => `${kind} ${createHash('sha256').update(bytes).digest('hex')}`,
    )
    const { facts, lines } = await start('serve', { secrets: async () => secrets })
    expect(facts.secrets).toEqual(expected)
    expect(secrets.map(({ bytes }) => bytes.every((byte) => byte === 0))).toEqual([true, true])
    // The shell that lowers the limit sets these.
    expect(
      facts.variables.filter((name) => !['OLDPWD', 'PWD', 'SHLVL', '_'].includes(name)),
    ).toEqual([])
    expect(facts.tried).toEqual({
      ownWrite: 'done',
      ownRead: 'done',
      code: 'done',
      otherWrite: 'ERR_ACCESS_DENIED',
      child: 'ERR_ACCESS_DENIED',
      worker: 'ERR_ACCESS_DENIED',
      addon: 'ERR_DLOPEN_DISABLED',
      text: 'EvalError',
      debugger: 'ERR_ACCESS_DENIED',
      '/etc/passwd': 'ERR_ACCESS_DENIED',
    })
    expect(lines).toContainEqual({
      level: 'info',
      message: 'a line of the child',
      fields: { amount: '7', behaviour: 'serve' },
    })
  })

  test.runIf(process.platform === 'linux')('leaves no core dump', async () => {
    const { facts } = await start()
    const limits = readFileSync(`/proc/${facts.pid}/limits`, 'utf8')
    expect(limits).toMatch(/^Max core file size +0 +0 /m)
    expect(readFileSync(`/proc/${facts.pid}/cmdline`, 'utf8')).toContain('--disable-sigusr1')
  })

  test('is restarted when it is killed, with the facts of its first start', async () => {
    const { facts, lines, child } = await start()
    process.kill(facts.pid, 'SIGKILL')
    await until(() => readies(lines).length === 2)
    expect(lines).toContainEqual({
      level: 'warn',
      message: 'the child is restarted',
      fields: { reason: 'ended with SIGKILL', pauseMs: 100 },
    })
    await child.stop(5_000)
    expect(lines.filter(({ message }) => message.includes('is restarted'))).toHaveLength(1)
  })

  test('that cannot restart leaves no process behind', async () => {
    const { facts, lines, child, folder } = await start('serve', {
      start: (first) => ({
        folder: join(root, `${count}`),
        behaviour: first === undefined ? 'serve' : 'fail',
        reads: [],
        first: first?.pid,
      }),
    })
    process.kill(facts.pid, 'SIGKILL')
    const again = () => lines.filter(({ message }) => message === 'the child is restarted')
    await until(() => again().length === 3)
    expect(again().at(-1)?.fields).toEqual({ reason: 'the child: no vault', pauseMs: 400 })
    await child.stop(0)
    const pids = readFileSync(join(folder, 'failed'), 'utf8').trim().split('\n').map(Number)
    expect(pids.length).toBeGreaterThanOrEqual(2)
    for (const pid of pids) await until(() => !isAlive(pid))
  })

  test('closes when it is stopped, and is killed if it does not', async () => {
    const { child, folder, facts } = await start()
    await child.stop(10_000)
    expect(existsSync(join(folder, 'closed'))).toBe(true)
    expect(() => process.kill(facts.pid, 0)).toThrow('ESRCH')
    const hanging = await start('hang')
    await hanging.child.stop(50)
    expect(existsSync(join(hanging.folder, 'closed'))).toBe(false)
    expect(() => process.kill(hanging.facts.pid, 0)).toThrow('ESRCH')
  })

  test('waits for the folder of a predecessor that is still ending', async () => {
    const first = await start()
    const second = start('serve', { folder: first.folder })
    await first.child.stop(10_000)
    const { facts } = await second
    expect(facts.tried.ownWrite).toBe('done')
  })

  test('keeps its folder locked, whatever is garbage-collected', async () => {
    const folder = join(root, 'kept')
    mkdirSync(folder)
    const permissions = { read: [], write: [folder], addons: false }
    const [shell, ...args] = childCommand(SCRIPT, permissions)
    args.splice(args.indexOf(process.execPath) + 1, 0, '--expose-gc')
    await start('serve', { folder, command: [shell, ...args] })
    expect(tryLockFile(join(folder, 'LOCK'))).toBeUndefined()
  })

  test('fails with its own error if it cannot start', async () => {
    await expect(start('fail')).rejects.toMatchObject({
      code: 'WALLETS_FAILED',
      message: 'the child: no vault',
    })
    await expect(start('exit')).rejects.toMatchObject({
      code: 'WALLETS_FAILED',
      message: 'the child ended with 3 before it was ready',
      hint: 'out of luck',
    })
    const command = ['/no/such/program'] as const
    await expect(start('serve', { command })).rejects.toMatchObject({ code: 'ENOENT' })
    const secrets = async () => Promise.reject(new TypeError('no key'))
    await expect(start('serve', { secrets })).rejects.toThrow('no key')
  })
})

describe('a supervised process that is pinged', () => {
  test('is killed and replaced after five missed answers in a row', async () => {
    let silent: number | undefined
    let asked = 0
    const { facts, lines } = await start('serve', {
      pingMs: 10,
      ping: async (_, { pid }) => {
        asked++
        if (pid === silent) await new Promise(() => {})
      },
    })
    await until(() => asked > 10)
    expect(readies(lines)).toEqual([facts.pid])
    silent = facts.pid
    await until(() => readies(lines).length === 2)
    expect(isAlive(facts.pid)).toBe(false)
    expect(lines).toContainEqual({
      level: 'error',
      message: 'the child does not answer: it is killed and restarted',
      fields: { pid: facts.pid },
    })
    const before = asked
    await until(() => asked > before + 10)
    expect(readies(lines)).toHaveLength(2)
  })

  test('keeps running if an answer is late or one is missing', async () => {
    let asked = 0
    const { facts, lines } = await start('serve', {
      pingMs: 10,
      ping: async () => {
        asked++
        if (asked % 3 === 0) throw new Error('refused')
        if (asked % 3 === 1) await new Promise((resolve) => setTimeout(resolve, 15))
      },
    })
    await until(() => asked > 30)
    expect(readies(lines)).toEqual([facts.pid])
  })
})
