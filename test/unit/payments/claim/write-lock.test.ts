import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { databaseOf } from '../../../../host/payments/claim/claims-folder.ts'
import { openLedger } from '../../../../host/payments/claim/ledger.ts'
import { claimFacts, claimKey } from '../../../support/payments/claim-facts.ts'
import { ClaimProcess } from '../../../support/payments/claim-process.ts'
import { collected } from '../../../support/payments/collected.ts'
import { makeRandom, runSeed } from '../../../support/random.ts'

const OPENER = fileURLToPath(new URL('claim-opener-main.ts', import.meta.url))
const OPENERS = 3
/**
 * Time for some hundred claims that each wait for the lock. Without the lock, several hundred claims fit, and one was
 * lost in each of twelve runs.
 */
const LONGEST_MS = 4_000
/** Duration of one open and close. The race is about a hundredth of it. */
const CYCLE_MS = 2
const seed = runSeed()

async function startOpener(dir: string): Promise<ChildProcess> {
  const child = fork(OPENER, [dir])
  const ended = new Promise((resolve) => child.once('exit', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  await new Promise((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', reject)
  })
  return child
}

/** Resolves after the process has opened the database `count` times, or has ended. */
function openings(opener: ChildProcess, count: number): Promise<void> {
  return new Promise((resolve) => {
    opener.on('message', (opened) => {
      if (Number(opened) >= count) resolve()
    })
    opener.once('exit', () => resolve())
  })
}

/** A busy loop, since timers are no finer than a millisecond. */
function spin(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

test(`no claim is lost if ${OPENERS} processes are stopped while they open the database (LOCKSTEP_SEED=${seed})`, async () => {
  const random = makeRandom(seed)
  const folder = mkdtempSync(join(tmpdir(), 'lockstep-claims-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const claims = await ClaimProcess.start(folder)
  onTestFinished(() => claims.kill())
  const openers = await Promise.all(
    Array.from({ length: OPENERS }, () => startOpener(databaseOf(folder))),
  )
  const end = performance.now() + LONGEST_MS
  let count = 0
  for (; performance.now() < end; count++) {
    spin(random() * CYCLE_MS)
    for (const opener of openers) opener.kill('SIGSTOP')
    const claimed = claims.claim(claimKey(count), claimFacts())
    // The pause is short, since a process stopped with the lock is waited for.
    await Promise.race([claimed, delay(5)])
    for (const opener of openers) opener.kill('SIGCONT')
    expect(await claimed).toMatchObject({ won: true })
  }
  for (const opener of openers) expect(opener.exitCode).toBe(null)
  const ledger = await openLedger(folder)
  const kept = new Set((await collected(ledger.payments())).map(({ key }) => Number(key.id)))
  await ledger.close()
  await claims.close()
  const forgotten = Array.from({ length: count }, (_, number) => number).filter(
    (number) => !kept.has(number),
  )
  expect(forgotten, `of ${count}`).toEqual([])
  expect(count).toBeGreaterThan(0)
}, 60_000)

test('processes open and close a claims database that no process keeps open', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lockstep-claims-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const dir = databaseOf(folder)
  const openers = await Promise.all(Array.from({ length: OPENERS }, () => startOpener(dir)))
  await Promise.all(openers.map((opener) => openings(opener, 200)))
  for (const opener of openers) expect(opener.exitCode).toBe(null)
}, 60_000)
