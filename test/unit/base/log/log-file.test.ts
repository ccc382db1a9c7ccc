import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { filesPutAside, LogFile } from '../../../../host/base/log/log-file.ts'
import { runSeed } from '../../../support/random.ts'
import { noSmallDisk, SmallDisk } from '../../../support/store/small-disk.ts'

const seed = runSeed()
/** Why the test that needs a small disk is skipped. */
const reason = noSmallDisk()

let dir: string
let path: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'lockstep-log-'))
  path = join(dir, 'logs', 'lockstep.log')
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(dir, { recursive: true, force: true })
})

function open({ maxBytes = 0, maxFiles = 0 } = {}) {
  const told: string[] = []
  const onTrouble = (reason: string) => told.push(reason.replace(/[:,].*/s, ''))
  const onRecovery = (lost: number) => told.push(`${lost} lost`)
  return { file: new LogFile({ path, maxBytes, maxFiles, onTrouble, onRecovery }), told }
}

const text = (file: string) => readFileSync(file, 'utf8')
const everything = () => [...filesPutAside(path), path].map(text).join('')

test('the log file is created with its folder, readable by the owner only, and is appended to', () => {
  for (const line of ['one\n', 'two\n']) {
    const { file } = open()
    file.write(line)
    file.close()
  }
  expect(text(path)).toBe('one\ntwo\n')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(statSync(join(dir, 'logs')).mode & 0o777).toBe(0o700)
})

test('a line is passed to the operating system when it is written, so that a killed process loses none', async () => {
  const module = fileURLToPath(new URL('../../../../host/base/log/log-file.ts', import.meta.url))
  const program = `
    const { LogFile } = await import(${JSON.stringify(module)})
    const none = () => {}
    const options = { path: ${JSON.stringify(path)}, maxBytes: 5000, maxFiles: 0, onTrouble: none, onRecovery: none }
    const file = new LogFile(options)
    for (let i = 0; i < 1000; i++) file.write('line ' + i + '\\n')
    process.kill(process.pid, 'SIGKILL')
  `
  const child = spawn(process.execPath, ['--input-type=module', '-e', program])
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
  expect(everything()).toBe(Array.from({ length: 1000 }, (_, i) => `line ${i}\n`).join(''))
})

describe('the rotation of the log', () => {
  test(`loses and tears no line and keeps the size limit (seed ${seed})`, () => {
    const lines = fc.array(fc.string({ unit: 'grapheme', maxLength: 30 }), { maxLength: 60 })
    fc.assert(
      fc.property(lines, fc.integer({ min: 1, max: 200 }), (contents, maxBytes) => {
        rmSync(join(dir, 'logs'), { recursive: true, force: true })
        const { file, told } = open({ maxBytes })
        const written = contents.map((content) => `${content.replaceAll('\n', ' ')}\n`)
        for (const line of written) file.write(line)
        file.close()
        expect(told).toEqual([])
        if (written.length === 0) return
        expect(everything()).toBe(written.join(''))
        for (const each of [...filesPutAside(path), path]) {
          const isOneLine = text(each).trimEnd().split('\n').length === 1
          expect(isOneLine || statSync(each).size <= maxBytes).toBe(true)
        }
      }),
      { seed, numRuns: 50 },
    )
  })

  test('names old files by their time and retains the latest', () => {
    vi.useFakeTimers({ now: Date.UTC(2026, 10, 20, 12), toFake: ['Date'] })
    const { file } = open({ maxBytes: 8, maxFiles: 2 })
    mkdirSync(join(dir, 'logs'))
    writeFileSync(join(dir, 'logs', 'lockstep-notes.log'), 'of the operator')
    for (const line of ['first\n', 'second\n', 'third\n', 'fourth\n']) {
      file.write(line)
      vi.setSystemTime(Date.now() + 1000)
    }
    file.close()
    expect(filesPutAside(path).map((name) => [basename(name), text(name)])).toEqual([
      ['lockstep-2026-11-20T12-00-02.000Z.log', 'second\n'],
      ['lockstep-2026-11-20T12-00-03.000Z.log', 'third\n'],
    ])
    expect(text(path)).toBe('fourth\n')
    expect(existsSync(join(dir, 'logs', 'lockstep-notes.log'))).toBe(true)
  })

  test('creates no old file if another program truncated the log', () => {
    const { file } = open({ maxBytes: 10 })
    file.write('12345678\n')
    truncateSync(path, 0)
    file.write('abcdefgh\n')
    file.close()
    expect(filesPutAside(path)).toEqual([])
    expect(text(path)).toBe('abcdefgh\n')
  })

  test('reopens the log if another program renamed it', () => {
    const { file } = open()
    file.write('one\n')
    renameSync(path, `${path}.1`)
    file.write('two\n')
    file.reopen()
    file.write('three\n')
    file.close()
    expect(text(`${path}.1`)).toBe('one\ntwo\n')
    expect(text(path)).toBe('three\n')
  })
})

describe('a log file that cannot be written', () => {
  test('is reported once and retried after a second, and the lost lines are counted', () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    mkdirSync(join(dir, 'logs'))
    symlinkSync('/dev/full', path)
    const { file, told } = open()
    for (let i = 0; i < 5; i++) file.write(`${i}\n`)
    expect(told).toEqual(['ENOSPC'])
    rmSync(path)
    file.reopen()
    vi.advanceTimersByTime(1000)
    file.write('room again\n')
    file.write('and more\n')
    file.close()
    expect(told).toEqual(['ENOSPC', '5 lost'])
    expect(text(path)).toBe('room again\nand more\n')
  })

  test('causes no error for the caller if its folder cannot be created', () => {
    writeFileSync(join(dir, 'logs'), 'a file')
    const { file, told } = open()
    file.write('line\n')
    file.write('line\n')
    file.close()
    expect(told).toEqual([expect.stringMatching(/^(ENOTDIR|EEXIST)$/)])
  })

  test.skipIf(reason !== undefined)(
    `does not append to a partial line that a full disk left${reason === undefined ? '' : `: ${reason}`}`,
    async () => {
      const disk = await SmallDisk.mount(dir, 1)
      onTestFinished(() => disk.unmount())
      path = join(disk.outside, 'logs', 'lockstep.log')
      vi.useFakeTimers({ toFake: ['performance'] })
      const { file, told } = open()
      // Longer than a page: a full disk takes only the pages that it has left.
      const line = (content: number) => `${content}`.padStart(9_000, '.')
      let written = 0
      while (told.length === 0) file.write(`${line(written++)}\n`)
      file.write('lost\n')
      expect(told).toEqual(['ENOSPC'])
      rmSync(path)
      writeFileSync(path, 'part of a li')
      file.reopen()
      vi.advanceTimersByTime(1000)
      file.write('whole\n')
      file.close()
      expect(told).toEqual(['ENOSPC', '2 lost'])
      expect(text(path)).toBe('part of a li\nwhole\n')
    },
  )
})
