import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LockstepError } from '../../host/base/error.ts'
import { openChallenges } from '../../host/payments/challenge/challenges.ts'
import type { ClaimKey } from '../../host/payments/claim/claims.ts'
import { openClaims } from '../../host/payments/claim/open-claims.ts'
import { claimFacts, claimKey, txHashOf } from '../support/payments/claim-facts.ts'
import { ClaimProcess } from '../support/payments/claim-process.ts'
import { makeRandom, runSeed } from '../support/random.ts'
import { bySet } from '../support/run/by-set.ts'
import { BYTE_DAMAGE, filesBelow } from './damage/file-damage.ts'

const seed = runSeed()
const DAMAGES = Number(process.env.LOCKSTEP_DAMAGES ?? bySet(16, 60))

const NOW = 1_790_000_000n
const RESOURCE = '/weather'
const PAYMENTS = 24

const root = mkdtempSync(join(tmpdir(), 'payment-damage-'))
const whole = join(root, 'whole')
const copy = join(root, 'copy')

let reference: string

/** Of every four claims, the last is an authorization and the others are transfers. */
function keyOf(number: number): ClaimKey {
  return claimKey(number, number % 4 === 3 ? 'authorization' : 'transfer')
}

beforeAll(async () => {
  mkdirSync(whole)
  const challenges = openChallenges(whole)
  reference = challenges.issue(RESOURCE, NOW)
  challenges.issue(RESOURCE, NOW + 100n)
  challenges.close()
  const process = await ClaimProcess.start(whole)
  for (let number = 0; number < PAYMENTS; number++) {
    const key = keyOf(number)
    const facts = claimFacts({ request: `GET /weather?n=${number}` })
    await process.claim(key, facts)
    if (key.kind === 'authorization') await process.settled(key, txHashOf(number))
    if (number % 3 === 0) await process.delivered(key)
    if (number % 3 === 1) await process.release(key)
  }
  await process.deliverAndDie(keyOf(2))
})
afterAll(() => rmSync(root, { recursive: true }))

/** Returns what a server with this folder does with each proof, and which challenges it knows. @throws if it refuses */
async function ask(folder: string): Promise<string[]> {
  const claims = await openClaims(folder)
  try {
    const answers: string[] = []
    for (let number = 0; number < PAYMENTS; number++) {
      const facts = claimFacts({ request: `GET /weather?n=${number}` })
      answers.push(await answerOf(() => claims.claim(keyOf(number), facts)))
    }
    return answers
  } finally {
    await claims.close()
  }
}

async function answerOf(work: () => Promise<unknown>): Promise<string> {
  try {
    const outcome = await work()
    return JSON.stringify(outcome, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
  } catch (thrown) {
    if (thrown instanceof LockstepError && thrown.code === 'STORE_CORRUPTED') return 'refused'
    throw thrown
  }
}

/** Returns the known challenges: that of the reference, and of seconds with and without one. */
function askChallenges(folder: string): readonly (string | boolean | undefined)[] {
  const challenges = openChallenges(folder)
  try {
    return [
      challenges.issuedAt(reference, RESOURCE)?.toString(),
      challenges.issuedWithin(RESOURCE, NOW, NOW),
      challenges.issuedWithin(RESOURCE, NOW + 100n, NOW + 100n),
      challenges.issuedWithin(RESOURCE, NOW + 1n, NOW + 99n),
      challenges.issuedWithin(RESOURCE, NOW - 100_000n, NOW - 1n),
      challenges.issuedWithin(RESOURCE, NOW + 101n, NOW + 100_000n),
    ]
  } finally {
    challenges.close()
  }
}

function isRefusal(thrown: unknown, folder: string): boolean {
  return (
    thrown instanceof LockstepError &&
    ['STORE_CORRUPTED', 'STORE_DENIED', 'CONFIG_INVALID'].includes(thrown.code) &&
    thrown.message.includes(folder) &&
    thrown.hint !== ''
  )
}

/** Returns what is wrong with a start on these files, or undefined if it is refused properly or has all data. */
async function judge(right: readonly string[]): Promise<string | undefined> {
  try {
    const known = askChallenges(copy)
    // A challenge may be lost, but none may appear.
    const isTrue = known.slice(3).every((value) => value === false)
    if (!isTrue) return `challenges: ${known}`
    const answers = await ask(copy)
    const at = answers.findIndex((answer, i) => answer !== right[i] && answer !== 'refused')
    return at < 0 ? undefined : `payment ${at}: ${answers[at]}, right is ${right[at]}`
  } catch (thrown) {
    return isRefusal(thrown, copy) ? undefined : String(thrown)
  }
}

test(`after each of ${DAMAGES} damages, claims and challenges are correct or refused with their file and remedy (LOCKSTEP_SEED=${seed})`, async () => {
  const random = makeRandom(seed)
  const below = (limit: number): number => Math.floor(random() * limit)
  const kinds = Object.keys(BYTE_DAMAGE)
  cpSync(whole, copy, { recursive: true })
  const right = await ask(copy)
  expect(askChallenges(copy)).toEqual([NOW.toString(), true, true, false, false, false])
  rmSync(copy, { recursive: true })
  const spent = right.filter((answer) => answer.includes('spent'))
  expect(spent).toHaveLength(9)
  const files = filesBelow(whole)
  const faults: string[] = []
  for (let i = 0; i < DAMAGES; i++) {
    const file = files[i % files.length] as string
    const kind = kinds[below(kinds.length)] as string
    cpSync(whole, copy, { recursive: true })
    BYTE_DAMAGE[kind]?.(join(copy, file), undefined, below)
    const problem = await judge(right)
    if (problem !== undefined) faults.push(`${i}: ${file}, ${kind}: ${problem}`)
    rmSync(copy, { recursive: true })
  }
  expect(faults).toEqual([])
}, 300_000)
