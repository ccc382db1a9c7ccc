import { execFileSync } from 'node:child_process'
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openChallenges } from '../../../../host/payments/challenge/challenges.ts'

const NOW = 1_800_000_000n

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'challenges-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return join(folder, 'payments')
}

function open(folder = emptyFolder()) {
  const challenges = openChallenges(folder)
  onTestFinished(() => challenges.close())
  return challenges
}

test('a challenge reference is valid, with its issue time, for its own resource only', () => {
  const challenges = open()
  const reference = challenges.issue('/weather', NOW)
  expect(challenges.issuedAt(reference, '/weather')).toBe(NOW)
  expect(challenges.issuedAt(reference, '/other')).toBeUndefined()
})

test('a challenge reference with any character changed is invalid', () => {
  const challenges = open()
  const reference = challenges.issue('/weather', NOW)
  for (let i = 0; i < reference.length; i++) {
    const changed = reference[i] === 'A' ? 'B' : 'A'
    const forged = reference.slice(0, i) + changed + reference.slice(i + 1)
    expect(challenges.issuedAt(forged, '/weather')).toBeUndefined()
  }
})

test.each(['', 'A', 'x'.repeat(51), `${'A'.repeat(50)}!`, 'A'.repeat(5_000)])(
  '%j is not a valid challenge reference',
  (text) => {
    expect(open().issuedAt(text, '/weather')).toBeUndefined()
  },
)

test('a challenge reference of another folder is invalid', () => {
  expect(open().issuedAt(open().issue('/weather', NOW), '/weather')).toBeUndefined()
})

test('challenge references and issue times survive the process and are visible to other processes at once', () => {
  const folder = emptyFolder()
  const first = open(folder)
  const second = open(folder)
  const reference = first.issue('/weather', NOW)
  // Not closed, which leaves the same files as a killed process.
  for (const challenges of [second, open(folder)]) {
    expect(challenges.issuedAt(reference, '/weather')).toBe(NOW)
    expect(challenges.issuedWithin('/weather', NOW, NOW)).toBe(true)
    expect(challenges.issuedWithin('/weather', NOW + 1n, NOW + 9n)).toBe(false)
    expect(challenges.issuedWithin('/other', NOW, NOW)).toBe(false)
  }
  expect(second.issue('/weather', NOW + 1n)).toEqual(expect.any(String))
  expect(first.issuedWithin('/weather', NOW + 1n, NOW + 9n)).toBe(true)
})

test('a process that is killed has written every challenge that it issued', () => {
  const folder = emptyFolder()
  const module = new URL('../../../../host/payments/challenge/challenges.ts', import.meta.url)
  const program = `
    import { openChallenges } from ${JSON.stringify(module.href)}
    const reference = openChallenges(${JSON.stringify(folder)}).issue('/weather', ${NOW}n)
    process.stdout.write(reference, () => process.kill(process.pid, 'SIGKILL'))`
  let reference = ''
  try {
    execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
  } catch (error) {
    const { stdout, signal } = error as { stdout: string; signal: string }
    expect(signal).toBe('SIGKILL')
    reference = stdout
  }
  const challenges = open(folder)
  expect(challenges.issuedAt(reference, '/weather')).toBe(NOW)
  expect(challenges.issuedWithin('/weather', NOW, NOW)).toBe(true)
})

test('a flood of requests writes one challenge row per second for each resource', () => {
  const folder = emptyFolder()
  const challenges = open(folder)
  for (let i = 0; i < 1_000; i++) {
    challenges.issue('/weather', NOW + BigInt(i % 3))
    challenges.issue('/other', NOW)
  }
  const rows = readFileSync(join(folder, `issued-${NOW / 3_600n}.log`), 'utf8')
    .trim()
    .split('\n')
  expect(rows.map((row) => row.replace(/ =[0-9a-f]{8}$/, ''))).toEqual([
    `${NOW} /weather`,
    `${NOW} /other`,
    `${NOW + 1n} /weather`,
    `${NOW + 2n} /weather`,
  ])
})

test('challenge times are stored to the second, in whatever order they arrive', () => {
  const challenges = open()
  for (const second of [9n, 4n, 5n, 7n, 20n, 6n, 0n]) challenges.issue('/weather', NOW + second)
  const known = Array.from({ length: 25 }, (_, second) =>
    challenges.issuedWithin('/weather', NOW + BigInt(second), NOW + BigInt(second)),
  )
  expect(known.flatMap((is, second) => (is ? [second] : []))).toEqual([0, 4, 5, 6, 7, 9, 20])
  expect(challenges.issuedWithin('/weather', NOW + 10n, NOW + 19n)).toBe(false)
  expect(challenges.issuedWithin('/weather', NOW + 10n, NOW + 20n)).toBe(true)
  expect(challenges.issuedWithin('/weather', NOW + 1n, NOW + 4n)).toBe(true)
})

test('incomplete and invalid challenge rows are skipped', () => {
  const folder = emptyFolder()
  open(folder).issue('/weather', NOW)
  const file = join(folder, `issued-${NOW / 3_600n}.log`)
  writeFileSync(file, `${NOW} /weather\nnonsense\n\n-1 /weather\n${NOW + 5n} /weather\n${NOW + 7n}`)
  const challenges = open(folder)
  expect(challenges.issuedWithin('/weather', NOW + 1n, NOW + 5n)).toBe(true)
  expect(challenges.issuedWithin('/weather', NOW + 6n, NOW + 99n)).toBe(false)
})

test('a full disk is reported, and the challenge row is written with the next one', () => {
  const folder = emptyFolder()
  open(folder)
  const file = join(folder, `issued-${NOW / 3_600n}.log`)
  symlinkSync('/dev/full', file)
  const challenges = open(folder)
  expect(() => challenges.issue('/weather', NOW)).toThrow('ENOSPC')
  expect(challenges.issuedWithin('/weather', NOW, NOW)).toBe(false)
  expect(() => challenges.issue('/weather', NOW)).toThrow('ENOSPC')
  // A full disk that accepted only the beginning of a row.
  rmSync(file)
  writeFileSync(file, `${NOW} /wea`)
  const later = open(folder)
  later.issue('/weather', NOW)
  for (const known of [later, open(folder)]) {
    expect(known.issuedWithin('/weather', NOW, NOW)).toBe(true)
  }
})

test('challenge files older than a week are removed', () => {
  const folder = emptyFolder()
  const challenges = open(folder)
  challenges.issue('/weather', NOW)
  challenges.issue('/weather', NOW + 86_400n)
  challenges.issue('/weather', NOW + 8n * 86_400n)
  expect(readdirSync(folder).sort()).toEqual([
    'challenge.key',
    `issued-${(NOW + 86_400n) / 3_600n}.log`,
    `issued-${(NOW + 8n * 86_400n) / 3_600n}.log`,
  ])
  expect(challenges.issuedWithin('/weather', NOW, NOW)).toBe(false)
  expect(challenges.issuedWithin('/weather', NOW + 86_400n, NOW + 86_400n)).toBe(true)
})

test('challenge files are retained for longer if payments may be shown for longer', () => {
  const folder = emptyFolder()
  const challenges = openChallenges(folder, 30 * 86_400)
  onTestFinished(() => challenges.close())
  for (const day of [0n, 29n]) challenges.issue('/weather', NOW + day * 86_400n)
  expect(challenges.issuedWithin('/weather', NOW, NOW)).toBe(true)
})

test('only the owner of the folder can read the challenge key', () => {
  const folder = emptyFolder()
  open(folder)
  expect(statSync(join(folder, 'challenge.key')).mode & 0o777).toBe(0o600)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
})

test('a damaged challenge key is reported and not replaced, since payments for its challenges would be refused', () => {
  const folder = emptyFolder()
  open(folder)
  const file = join(folder, 'challenge.key')
  writeFileSync(file, 'short')
  expect(() => openChallenges(folder)).toThrow(`${file} does not hold a key of 32 bytes`)
})
