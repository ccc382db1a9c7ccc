import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { errorIn, once } from '../../../../tools/ci/install-once.ts'

let root = ''
let installs = 0

/** Installs a peer with this lock file. Fails with the output `failure` if given. */
function install(lock: string, failure?: string): Promise<string | undefined> {
  const source = join(root, 'package-lock.json')
  const target = join(root, 'node_modules')
  writeFileSync(source, lock)
  return once(root, 'anvil', { sources: [source], target }, async () => {
    installs++
    mkdirSync(target, { recursive: true })
    return { code: failure === undefined ? 0 : 1, output: failure ?? '' }
  })
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'checkout '))
  installs = 0
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

test('an install runs once for each content of the lock file', async () => {
  expect(await install('1')).toBeUndefined()
  expect(await install('1')).toBeUndefined()
  expect(installs).toBe(1)
  await install('2')
  expect(installs).toBe(2)
})

test('an install runs again if its result is missing', async () => {
  await install('1')
  rmSync(join(root, 'node_modules'), { recursive: true })
  await install('1')
  expect(installs).toBe(2)
})

test('a failed install reports the error, and is retried by the next run', async () => {
  expect(await install('1', 'npm error network\nmore')).toBe('npm error network')
  expect(await install('1')).toBeUndefined()
  expect(installs).toBe(2)
})

test.each([
  ['Reading lists\nE: no root\ndone', 'E: no root'],
  ['one\nlast\n\n', 'last'],
  ['', 'no output'],
])('in the install output %j the error is %j', (output, error) => {
  expect(errorIn(output)).toBe(error)
})
