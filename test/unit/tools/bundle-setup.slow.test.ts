import { spawn } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bareEnvironment, runIn } from '../../support/package/installed-package.ts'
import { until } from '../../support/until.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
/** Not copied; `.cache` contains the lock of the setup, which must not be taken here. */
const LEFT_OUT = [
  'node_modules',
  '.cache',
  '.git',
  'test',
  'bench',
  'dist',
  'build/lockstep',
  'build/test',
]

const BUNDLING = 'lockstep: bundling the sources\n'

const folder = mkdtempSync(join(tmpdir(), 'set-up '))
const checkout = join(folder, 'a checkout')
const bundles = join(checkout, 'build/lockstep')
const source = join(checkout, 'host/cli/version.ts')

const run = (...args: string[]) =>
  runIn(checkout, process.execPath, ['tools/lockstep.mjs', ...args])
const version = () => run('version')

/** Changes the source of `lockstep version` so that its output begins with this text. */
function answerBegins(text: string): void {
  const code = readFileSync(source, 'utf8')
  writeFileSync(source, code.replace(/: `.*\$\{VERSION\}\\n/, `: \`${text}\${VERSION}\\n`))
}

beforeAll(() => {
  cpSync(ROOT, checkout, {
    recursive: true,
    filter: (path) =>
      !LEFT_OUT.some((name) => path === join(ROOT, name)) && !path.includes('/.ready'),
  })
  symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('two concurrent first commands make one bundle, which later ones start without output', async () => {
  const [one, other] = await Promise.all([version(), version()])
  expect(one.code).toBe(0)
  expect(other.stdout).toBe(one.stdout)
  const said = [one.stderr, other.stderr].filter((text) => text.includes(BUNDLING))
  expect(said.length).toBe(1)
  expect(readdirSync(bundles).length).toBe(1)
  expect((await version()).stderr).toBe('')
})

test('a changed source is always bundled, even with the same size and time', async () => {
  answerBegins('first ')
  const changed = await version()
  expect(changed.stderr).toBe(BUNDLING)
  expect(changed.stdout).toMatch(/^first /)
  // Ensures that the next start records it as unchanged.
  await until(() => Date.now() - statSync(source).ctimeMs > 100)
  expect((await version()).stderr).toBe('')
  const { atime, mtime } = statSync(source)
  answerBegins('other ')
  utimesSync(source, atime, mtime)
  const again = await version()
  expect(again.stderr).toBe(BUNDLING)
  expect(again.stdout).toMatch(/^other /)
})

test('a source that is restored starts the existing bundle', async () => {
  answerBegins('first ')
  const { stderr, stdout } = await version()
  expect(stderr).toBe('')
  expect(stdout).toMatch(/^first /)
})

test('a killed build leaves nothing that a command starts', async () => {
  answerBegins('killed ')
  const child = spawn(process.execPath, ['tools/lockstep.mjs', 'version'], {
    cwd: checkout,
    env: bareEnvironment(folder),
    stdio: 'ignore',
    detached: true,
  })
  const ended = new Promise((resolve) => child.on('close', resolve))
  await until(() => readdirSync(bundles).some((name) => name.startsWith('new-')))
  process.kill(-(child.pid as number), 'SIGKILL')
  await ended
  const { code, stdout, stderr } = await version()
  expect({ code, stderr }).toEqual({ code: 0, stderr: BUNDLING })
  expect(stdout).toMatch(/^killed /)
  expect(readdirSync(bundles).filter((name) => name.startsWith('new-'))).toEqual([])
})

test('sources that cannot be bundled run unbundled', async () => {
  rmSync(bundles, { recursive: true })
  // Since root can write into any folder, a file stands in for a folder that cannot be written.
  writeFileSync(bundles, '')
  const { code, stdout, stderr } = await version()
  expect(code).toBe(0)
  expect(stdout).toMatch(/^killed /)
  expect(stderr).toMatch(
    /^lockstep: bundling the sources\nlockstep: .*: the sources run as they are\n$/,
  )
  rmSync(bundles)
})

test('a source with an error is reported, and leaves no partial bundle', async () => {
  appendFileSync(source, '\nconst = 1\n')
  const { code, stderr } = await version()
  expect(code).toBe(70)
  expect(stderr).toContain('bundling failed (exit code 1): the sources run as they are\n')
  expect(existsSync(bundles) ? readdirSync(bundles) : []).toEqual([])
})
