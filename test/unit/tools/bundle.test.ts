import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundledName, startedScripts } from '../../../tools/bundle/place-urls.ts'
import { writeBundle } from '../../../tools/bundle/write-bundle.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const FAILING = 'host/cli/client/node-client.ts'

let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bundle '))
  await writeBundle({ root: ROOT, folder, place: folder, minify: false })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function run(args: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const { NODE_COMPILE_CACHE: _, ...env } = process.env
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(folder, 'main.js'), ...args],
    { env: { ...env, ...variables }, encoding: 'utf8' },
  )
  return { status, stdout, stderr }
}

/** Returns the sources that run on Node. */
function sources(): readonly string[] {
  return readdirSync(join(ROOT, 'host'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !/^(explorer|browser)\//.test(path))
    .map((path) => join(ROOT, 'host', path))
}

describe('the bundle', () => {
  test('has a file for each script that a source starts in a thread or a process', () => {
    const started = new Set(
      sources().flatMap((path) => startedScripts(readFileSync(path, 'utf8'), path)),
    )
    const missing = [...started].filter((path) => !existsSync(join(folder, bundledName(path))))
    expect(missing).toEqual([])
    // Names of scripts in any form in which a source may contain them.
    const scripts = sources()
      .map((path) => basename(path))
      .filter((name) => name.endsWith('-worker.ts') || name.endsWith('-main.ts'))
    expect(scripts.filter((name) => !existsSync(join(folder, bundledName(name))))).toEqual([])
    expect(started.size).toBeGreaterThan(10)
  })

  test('gives each script its own name', () => {
    const started = new Set(
      sources().flatMap((path) => startedScripts(readFileSync(path, 'utf8'), path)),
    )
    const names = [...started].map(bundledName)
    expect([...new Set(names)]).toEqual(names)
  })

  test('names a source and its line in the stack of an error', () => {
    const { status, stderr } = run(['status', '--node', 'http://127.0.0.1:1', '--verbose'])
    expect(status).toBe(69)
    const lines = readFileSync(join(ROOT, FAILING), 'utf8').split('\n')
    const line =
      lines.findIndex((text) => text.includes(`new LockstepError('NODE_UNREACHABLE'`)) + 1
    expect(line).toBeGreaterThan(0)
    expect(stderr).toContain(`${FAILING}:${line}:`)
    expect(stderr).not.toContain(basename(folder).replaceAll(' ', '%20'))
  })
})

describe('the compile cache', () => {
  function cached(): readonly string[] {
    return readdirSync(join(folder, 'cache'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  }

  test('is in the folder of the bundle', () => {
    expect(run(['--help']).status).toBe(0)
    expect(cached().length).toBeGreaterThan(1)
  })

  test('does not stop a start when its files are damaged', () => {
    const whole = run(['--help'])
    for (const [index, file] of cached().entries()) {
      if (index % 2 === 0) truncateSync(file, 40)
      else writeFileSync(file, readFileSync(file).fill(0xa5, 60))
    }
    expect(run(['--help'])).toEqual(whole)
  })

  test('is omitted if no folder can be written', () => {
    const whole = run(['--help'])
    rmSync(join(folder, 'cache'), { recursive: true })
    writeFileSync(join(folder, 'cache'), '')
    const own = join(folder, 'no folder')
    writeFileSync(own, '')
    expect(run(['--help'], { XDG_CACHE_HOME: own })).toEqual(whole)
    rmSync(join(folder, 'cache'))
  })

  test("is in the user's cache folder if the bundle's folder cannot be written", () => {
    writeFileSync(join(folder, 'cache'), '')
    const own = mkdtempSync(join(folder, 'own '))
    expect(run(['--help'], { XDG_CACHE_HOME: own }).status).toBe(0)
    expect(readdirSync(join(own, 'lockstep')).length).toBe(1)
    rmSync(join(folder, 'cache'))
  })
})
