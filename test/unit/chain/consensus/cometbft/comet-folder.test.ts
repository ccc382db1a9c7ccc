import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  makeCometFolder,
  prepareCometFolder,
} from '../../../../../host/chain/consensus/cometbft/comet-folder.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync('/tmp/comet-')
})

afterEach(() => {
  rmSync(folder, { recursive: true })
})

function modeOf(path: string): number {
  return statSync(path).mode & 0o777
}

test('only its own user may enter the folder with the sockets', () => {
  const made = makeCometFolder(join(folder, 'cometbft'))
  expect(made.appSocket).toBe(join(folder, 'cometbft/app.sock'))
  expect(made.rpcSocket).toBe(join(folder, 'cometbft/rpc.sock'))
  for (const path of [made.root, dirname(made.configFile), dirname(made.ownKeyState)]) {
    expect(modeOf(path), path).toBe(0o700)
  }
  writeFileSync(made.rpcSocket, '')
  prepareCometFolder(made, 'a = 1\n')
  expect(existsSync(made.rpcSocket)).toBe(false)
  expect(readFileSync(made.configFile, 'utf8')).toBe('a = 1\n')
  expect(modeOf(made.configFile)).toBe(0o600)
  writeFileSync(made.appSocket, '')
  made.remove()
  expect(existsSync(made.appSocket)).toBe(false)
  expect(existsSync(made.configFile)).toBe(true)
})

test('sockets whose path would be too long are put into a private folder until the node stops', () => {
  const long = join(folder, 'x'.repeat(100))
  mkdirSync(long)
  const made = makeCometFolder(long)
  const sockets = dirname(made.appSocket)
  expect(dirname(sockets)).toBe(tmpdir())
  expect(modeOf(sockets)).toBe(0o700)
  expect(dirname(made.rpcSocket)).toBe(sockets)
  made.remove()
  expect(existsSync(sockets)).toBe(false)
  // Multi-byte characters count by their bytes.
  const wide = makeCometFolder(join(folder, 'é'.repeat(45)))
  expect(dirname(dirname(wide.appSocket))).toBe(tmpdir())
  wide.remove()
})

test('a home that is killed repeatedly leaves at most one private folder', () => {
  const long = join(folder, 'x'.repeat(100))
  const before = readdirSync(tmpdir()).length
  const made = Array.from({ length: 4 }, () => makeCometFolder(long))
  expect(readdirSync(tmpdir())).toHaveLength(before + 1)
  made.at(-1)?.remove()
  expect(readdirSync(tmpdir())).toHaveLength(before)
  // Each object has a listener for the end of the process.
  for (const each of made) each.remove()
})

test('a copied home does not touch the sockets of the running original', () => {
  const first = join(folder, 'x'.repeat(100))
  const made = makeCometFolder(first)
  writeFileSync(made.appSocket, '')
  const second = join(folder, 'y'.repeat(100))
  cpSync(first, second, { recursive: true, verbatimSymlinks: true })
  const copy = makeCometFolder(second)
  expect(dirname(copy.appSocket)).not.toBe(dirname(made.appSocket))
  expect(existsSync(made.appSocket)).toBe(true)
  copy.remove()
  made.remove()
})
