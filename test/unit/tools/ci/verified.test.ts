import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  changedFiles,
  cleanCommit,
  readSeconds,
  verifiedCommit,
  writeSeconds,
  writeVerified,
} from '../../../../tools/ci/verified.ts'

interface Repository {
  readonly root: string
  git(...args: readonly string[]): string
  write(path: string, text: string): void
  /** Commits all files. Returns the commit. */
  commit(): string
}

function makeRepository(): Repository {
  const root = mkdtempSync(join(tmpdir(), 'repository '))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.org']
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', root, ...identity, ...args], { encoding: 'utf8' }).trim()
  git('init', '--quiet')
  mkdirSync(join(root, '.ci'))
  return {
    root,
    git,
    write: (path, text) => writeFileSync(join(root, path), text),
    commit: () => {
      git('add', '--all')
      git('commit', '--quiet', '--message', 'change')
      return git('rev-parse', 'HEAD')
    },
  }
}

test('the changed files are those of later commits and of the working tree, including new ones', () => {
  const { root, git, write, commit } = makeRepository()
  for (const name of ['committed', 'edited', 'deleted', 'same']) write(name, name)
  const since = commit()
  write('committed', 'other')
  commit()
  write('edited', 'other')
  git('rm', '--quiet', 'deleted')
  write('new', '')
  expect(changedFiles(root, since)?.sort()).toEqual(['committed', 'deleted', 'edited', 'new'])
})

test('a renamed file counts with both of its names', () => {
  const { root, write, commit } = makeRepository()
  write('old.ts', 'a line that stays\n'.repeat(10))
  const since = commit()
  renameSync(join(root, 'old.ts'), join(root, 'new.ts'))
  commit()
  expect(changedFiles(root, since)?.sort()).toEqual(['new.ts', 'old.ts'])
})

test.each([
  ['absent', undefined],
  ['unknown to git', 'a'.repeat(40)],
  ['no commit but a flag', '--output=written'],
])('with a verified commit that is %s the changes are unknown', (_, since) => {
  const { root, write, commit } = makeRepository()
  write('a', 'a')
  commit()
  expect(changedFiles(root, since)).toBeUndefined()
})

test('a complete run verifies the commit of a clean working tree, and ignores its own files', () => {
  const { root, write, commit } = makeRepository()
  write('a', 'a')
  const head = commit()
  expect(verifiedCommit(root)).toBeUndefined()
  writeVerified(root, head)
  writeSeconds(root, {
    fast: { 'test/c.test.ts': 0.4 },
    slow: { 'test/b.slow.test.ts': 2.1, 'test/a.slow.test.ts': 7 },
  })
  expect(cleanCommit(root)).toBe(head)
  expect(verifiedCommit(root)).toBe(head)
  expect(changedFiles(root, head)).toEqual([])
  const { fast, slow } = readSeconds(root)
  expect(fast).toEqual({ 'test/c.test.ts': 1 })
  expect(Object.entries(slow)).toEqual([
    ['test/a.slow.test.ts', 7],
    ['test/b.slow.test.ts', 3],
  ])
  write('a', 'b')
  expect(cleanCommit(root)).toBeUndefined()
})

test('a checkout without a table has no durations', () => {
  expect(readSeconds(makeRepository().root)).toEqual({ fast: {}, slow: {} })
})
