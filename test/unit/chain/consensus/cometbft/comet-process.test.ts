import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { LockstepError } from '../../../../../host/base/error.ts'
import { neverAborted } from '../../../../../host/base/signal.ts'
import { CometProcess } from '../../../../../host/chain/consensus/cometbft/comet-process.ts'
import { until } from '../../../../support/until.ts'

let folder: string
let running: CometProcess | undefined
let entries: { readonly level: string; readonly message: string; readonly fields: object }[]
let failures: LockstepError[]
let ups: number

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'comet-process-'))
  mkdirSync(join(folder, 'root'))
  entries = []
  failures = []
  ups = 0
})

afterEach(async () => {
  await running?.stop()
  running = undefined
  rmSync(folder, { recursive: true })
})

function at(level: string) {
  return (message: string, fields: object = {}) => {
    entries.push({ level, message, fields })
  }
}

/** Starts a script in place of CometBFT. It is up once the file `up` exists in its folder. */
async function start(script: string, signal = neverAborted()): Promise<CometProcess> {
  const program = join(folder, 'cometbft')
  writeFileSync(program, `#!/bin/sh\ncd '${folder}'\n${script}\n`)
  chmodSync(program, 0o755)
  running = await CometProcess.start(
    {
      program,
      root: join(folder, 'root'),
      prepare: () => rmSync(join(folder, 'up'), { force: true }),
      isUp: async () => existsSync(join(folder, 'up')),
      onUp: () => {
        ups++
      },
      nextHeight: () => 8,
      log: {
        trace: at('trace'),
        debug: at('debug'),
        info: at('info'),
        warn: at('warn'),
        error: at('error'),
      },
      onFailure: (error) => failures.push(error),
      graceMs: 100,
    },
    signal,
  )
  return running
}

/** Waits for a signal, which the shell handles between two short sleeps. */
const WAIT = 'while :; do sleep 0.05; done'

function messages(level: string): readonly string[] {
  return entries.filter((entry) => entry.level === level).map(({ message }) => message)
}

describe('a CometBFT', () => {
  test('is started with its home, without the secrets of the node, and stops at SIGTERM', async () => {
    process.env.LOCKSTEP_KEYS_PASSWORD = 'secret'
    process.env.CMT_MONIKER = 'another'
    try {
      const comet = await start(
        `trap 'echo "$@" > ended; exit 0' TERM; echo "$@" > arguments; env > env; touch up; ${WAIT}`,
      )
      expect(readFileSync(join(folder, 'arguments'), 'utf8')).toBe(
        `start --home ${join(folder, 'root')}\n`,
      )
      const environment = readFileSync(join(folder, 'env'), 'utf8')
      expect(environment).toContain('PATH=')
      expect(environment).not.toMatch(/secret|CMT_MONIKER/)
      expect(comet.pid).toBeGreaterThan(0)
      await comet.stop()
      expect(existsSync(join(folder, 'ended'))).toBe(true)
      expect(comet.pid).toBeUndefined()
      expect(messages('warn')).toEqual([])
    } finally {
      delete process.env.LOCKSTEP_KEYS_PASSWORD
      delete process.env.CMT_MONIKER
    }
  })

  test('that ignores SIGTERM is killed', async () => {
    const comet = await start(`trap '' TERM; touch up; ${WAIT}`)
    const { pid } = comet
    await comet.stop()
    expect(() => process.kill(pid as number, 0)).toThrow('ESRCH')
  })

  test('that exits is restarted with its last output logged, and the node keeps running', async () => {
    const comet = await start(
      `echo x >> starts; touch up; if [ $(wc -l < starts) -lt 3 ]; then sleep 0.05; echo 'panic: boom' >&2; exit 2; fi; ${WAIT}`,
    )
    await until(() => comet.restarts === 2 && messages('info').length === 3)
    const again = entries.filter(({ message }) => message === 'CometBFT is started again')
    expect(again.map(({ fields }) => fields)).toEqual([
      { reason: 'CometBFT ended with 2: boom', pauseMs: 100 },
      { reason: 'CometBFT ended with 2: boom', pauseMs: 200 },
    ])
    expect(failures).toEqual([])
    expect(ups).toBe(3)
  })

  test('that is killed before its replacement is up is restarted until it stays up', async () => {
    const comet = await start(
      `echo x >> starts; [ $(wc -l < starts) -eq 2 ] && exit 3; touch up; ${WAIT}`,
    )
    process.kill(comet.pid as number, 'SIGKILL')
    await until(
      () => comet.restarts === 2 && comet.pid !== undefined && existsSync(join(folder, 'up')),
    )
    const reasons = entries.flatMap(({ fields }) => ('reason' in fields ? [fields.reason] : []))
    expect(reasons).toEqual([
      'CometBFT ended with SIGKILL: it said nothing',
      'CometBFT ended with 3: it said nothing',
    ])
  })

  test('that is due for a restart is not started once the node stops', async () => {
    const comet = await start(`echo x >> starts; touch up; sleep 0.05; exit 1`)
    // The fourth start is due in 0.8 seconds.
    await until(() => messages('warn').length === 4)
    await comet.stop()
    expect(readFileSync(join(folder, 'starts'), 'utf8')).toBe('x\n'.repeat(4))
    expect(comet.pid).toBeUndefined()
  })

  test('that fails in a way that a restart cannot repair stops the node', async () => {
    await start(
      "touch up; sleep 0.05; echo 'panic: Failed to start consensus state: found signature from the same key'; exit 2",
    )
    await until(() => failures.length > 0)
    expect(failures[0]).toMatchObject({ code: 'DOUBLE_SIGN' })
    expect(messages('warn')).toEqual([])
  })

  test('whose consensus fails stops the node, even if the process keeps running', async () => {
    const line = JSON.stringify({
      _msg: 'CONSENSUS FAILURE!!!',
      level: 'error',
      module: 'consensus',
      err: 'wrong Block.Header.AppHash.  Expected AA, got BB',
    })
    await start(`touch up; echo '${line}'; ${WAIT}`)
    await until(() => failures.length > 0)
    expect(failures[0]?.message).toBe(
      'Consensus failure - height halted at 8: wrong Block.Header.AppHash. Expected AA, got BB',
    )
  })
})

describe('a first start of CometBFT', () => {
  test('reports the reason if the process exits at once', async () => {
    await expect(start("echo 'ERROR: bad genesis' >&2; exit 1")).rejects.toMatchObject({
      code: 'COMETBFT_FAILED',
      message: 'CometBFT ended with 1: bad genesis',
    })
  })

  test('ends the process that a killed node left behind, and no other', async () => {
    const root = join(folder, 'root')
    const left = spawn('sh', [
      '-c',
      'trap "" TERM; echo up; while :; do sleep 0.05; done',
      'x',
      '--home',
      root,
    ])
    const other = spawn('sh', ['-c', 'while :; do sleep 0.05; done'])
    try {
      await once(left.stdout, 'data')
      writeFileSync(join(root, 'pid'), `${left.pid}\n`)
      const comet = await start(`touch up; ${WAIT}`)
      await until(() => left.signalCode === 'SIGKILL')
      expect(entries[0]).toEqual({
        level: 'warn',
        message: 'ended the CometBFT of an earlier start',
        fields: { pid: left.pid },
      })
      expect(readFileSync(join(root, 'pid'), 'utf8')).toBe(`${comet.pid}\n`)
      await comet.stop()
      expect(existsSync(join(root, 'pid'))).toBe(false)
      // The pid now belongs to another process.
      writeFileSync(join(root, 'pid'), `${other.pid}\n`)
      await (await start(`touch up; ${WAIT}`)).stop()
      expect(other.signalCode).toBeNull()
    } finally {
      left.kill('SIGKILL')
      other.kill('SIGKILL')
    }
  })

  test('ends the process that a wrapper script started as CometBFT', async () => {
    const root = join(folder, 'root')
    const script = ['-c', 'sleep 1000 & echo up; wait', 'x', '--home', root]
    const left = spawn('sh', script, { detached: true })
    // Its output closes only after its child process has ended as well.
    const gone = once(left, 'close')
    await once(left.stdout, 'data')
    writeFileSync(join(root, 'pid'), `${left.pid}\n`)
    await (await start(`touch up; ${WAIT}`)).stop()
    await gone
  })

  test.each(['', 'x\n', '-1\n', '0\n', '999999999\n'])(
    'ignores a pid file %j that names no process',
    async (note) => {
      writeFileSync(join(folder, 'root/pid'), note)
      const comet = await start(`touch up; ${WAIT}`)
      expect(messages('warn')).toEqual([])
      await comet.stop()
    },
  )

  test('is retried while an earlier process holds the databases', async () => {
    const comet = await start(
      `echo x >> starts; if [ $(wc -l < starts) -lt 3 ]; then echo 'ERROR: resource temporarily unavailable'; exit 1; fi; touch up; ${WAIT}`,
    )
    expect(readFileSync(join(folder, 'starts'), 'utf8')).toBe('x\nx\nx\n')
    expect(comet.restarts).toBe(0)
  })

  test('stops at its signal and leaves no process', async () => {
    const stopping = new AbortController()
    const starting = start(`echo $$ > pid; ${WAIT}`, stopping.signal)
    const refused = expect(starting).rejects.toThrow('stopped by SIGINT')
    await until(() => existsSync(join(folder, 'pid')))
    stopping.abort(new Error('stopped by SIGINT'))
    await refused
    const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'))
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })

  test('reports a program that cannot be run', async () => {
    const options = {
      program: join(folder, 'absent'),
      root: folder,
      prepare: () => {},
      isUp: async () => false,
      onUp: () => {},
      nextHeight: () => 1,
      log: { trace: at(''), debug: at(''), info: at(''), warn: at(''), error: at('') },
      onFailure: () => {},
    }
    await expect(CometProcess.start(options, neverAborted())).rejects.toMatchObject({
      code: 'COMETBFT_FAILED',
      message: expect.stringMatching(/^CometBFT cannot be started: spawn .* ENOENT$/),
    })
  })
})
