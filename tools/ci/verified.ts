import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The commit at which the whole slow set last passed. */
export const VERIFIED = '.ci/verified'
/** The time of each file in that run. */
export const SECONDS = '.ci/seconds.json'

function git(root: string, args: readonly string[]): string {
  return execFileSync('git', ['-C', root, ...args], { encoding: 'utf8', maxBuffer: 2 ** 26 })
}

function names(output: string): string[] {
  return output.split('\0').filter((name) => name !== '')
}

/** Returns the commit named in .ci/verified, or undefined if the file is absent. */
export function verifiedCommit(root: string): string | undefined {
  const path = join(root, VERIFIED)
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined
}

/**
 * Returns the files that differ from a commit, in later commits and in the working tree. A renamed file counts with
 * its old and its new name.
 * @returns undefined if git does not have the commit, as in a shallow clone, or git is absent
 */
export function changedFiles(root: string, commit: string | undefined): string[] | undefined {
  // Only as an object name, never as a flag or a range.
  if (commit === undefined || !/^[0-9a-f]{40,64}$/.test(commit)) return undefined
  const found = spawnSync('git', ['-C', root, 'cat-file', '-e', `${commit}^{commit}`])
  if (found.status !== 0) return undefined
  const tracked = git(root, ['diff', '--name-only', '--no-renames', '-z', commit])
  const untracked = git(root, ['ls-files', '--others', '--exclude-standard', '-z'])
  const own = new Set([VERIFIED, SECONDS])
  return [...new Set([...names(tracked), ...names(untracked)])].filter((path) => !own.has(path))
}

/** Returns the checked out commit, or undefined if the working tree differs from it. */
export function cleanCommit(root: string): string | undefined {
  const status = spawnSync(
    'git',
    ['-C', root, 'status', '--porcelain', '--untracked-files=all', '-z'],
    { encoding: 'utf8' },
  )
  if (status.status !== 0) return undefined
  const changed = names(status.stdout).map((line) => line.slice(3))
  if (changed.some((path) => path !== VERIFIED && path !== SECONDS)) return undefined
  return git(root, ['rev-parse', 'HEAD']).trim()
}

/** The sets of tests. Each is a project of test/vitest.config.ts. */
export type TestSet = 'fast' | 'slow'

/** Seconds by the path of a file. */
export type Seconds = Readonly<Record<string, number>>

/** Returns the time of each file in the last complete run, with several at a time. */
export function readSeconds(root: string): Readonly<Record<TestSet, Seconds>> {
  const path = join(root, SECONDS)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : { fast: {}, slow: {} }
}

export function writeSeconds(root: string, seconds: Readonly<Record<TestSet, Seconds>>): void {
  const rounded = (table: Seconds) =>
    Object.fromEntries(
      Object.entries(table)
        .map(([path, taken]) => [path, Math.ceil(taken)] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    )
  const table = { fast: rounded(seconds.fast), slow: rounded(seconds.slow) }
  writeFileSync(join(root, SECONDS), `${JSON.stringify(table, undefined, 2)}\n`)
}

export function writeVerified(root: string, commit: string): void {
  writeFileSync(join(root, VERIFIED), `${commit}\n`)
}
