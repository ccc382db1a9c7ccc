import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { bundleFiles } from '../../../../host/cli/bundle/bundle-file.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bundles-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function write(...names: readonly string[]): void {
  for (const name of names) writeFileSync(join(folder, name), '{}')
}

test('a path of a file is that file, whatever its name', () => {
  write('one.txt')
  expect(bundleFiles(join(folder, 'one.txt'))).toEqual([join(folder, 'one.txt')])
})

test('a folder stands for its .json files, one or several, by name', () => {
  write('b.json', 'notes.md')
  expect(bundleFiles(folder)).toEqual([join(folder, 'b.json')])
  write('a.json', 'c.json')
  expect(bundleFiles(folder)).toEqual(['a', 'b', 'c'].map((name) => join(folder, `${name}.json`)))
})

test('a folder without a .json file, and a path that does not exist, are refused by name', () => {
  write('notes.md')
  const hint = 'name a file or a folder of files written by `lockstep record`'
  const message = `${folder}: cannot be read: the folder has no .json file`
  expect(() => bundleFiles(folder)).toThrow(
    expect.objectContaining({ code: 'BUNDLE_INVALID', message, hint }),
  )
  expect(() => bundleFiles(join(folder, 'none'))).toThrow(/none: cannot be read: ENOENT/)
})
