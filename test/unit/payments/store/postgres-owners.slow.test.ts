import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Claims } from '../../../../host/payments/claim/claims.ts'
import { openPostgresClaims } from '../../../../host/payments/store/open-postgres-claims.ts'
import { openPostgresChallenges } from '../../../../host/payments/store/postgres-challenges.ts'
import { openPostgresLedger } from '../../../../host/payments/store/postgres-ledger.ts'
import { claimFacts, claimKey } from '../../../support/payments/claim-facts.ts'
import { ClaimProcess } from '../../../support/payments/claim-process.ts'
import { collected } from '../../../support/payments/collected.ts'
import {
  NO_POSTGRES,
  POSTGRES_SKIPPED,
  PostgresServer,
} from '../../../support/store/postgres-server.ts'
import { until } from '../../../support/until.ts'

const BEAT_MS = 100
const IN_PROGRESS = { won: false, reason: 'in progress' }

describe.skipIf(NO_POSTGRES !== '')(`processes that share PostgreSQL${POSTGRES_SKIPPED}`, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server.end())

  async function opened(url: string, folder?: string, beatMs = BEAT_MS): Promise<Claims> {
    const options = folder === undefined ? {} : { folder }
    const claims = await openPostgresClaims(url, { beatMs, ...options })
    onTestFinished(() => claims.close())
    return claims
  }

  function temporaryFolder(): string {
    const folder = mkdtempSync(join(tmpdir(), 'lockstep-owners-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    return folder
  }

  async function killed(place: string): Promise<void> {
    const process = await ClaimProcess.start(place)
    expect(await process.claim(claimKey(1), claimFacts())).toMatchObject({ won: true })
    await process.kill()
  }

  test('the claim of a killed process is taken over after it was silent, for the same request only', async () => {
    const url = await server.database()
    // Six beats are longer than the end of a process takes on a busy machine
    const survivor = await opened(url, undefined, 1_500)
    await killed(url)
    expect(await survivor.claim(claimKey(1), claimFacts())).toEqual(IN_PROGRESS)
    const other = claimFacts({ request: 'GET /other' })
    await until(async () => {
      const outcome = await survivor.claim(claimKey(1), other)
      return !outcome.won && outcome.reason === 'other request'
    })
    expect(await survivor.claim(claimKey(1), claimFacts())).toMatchObject({ won: true })
  })

  test('a delivery that a killed process had not committed is recorded by the next process of its folder', async () => {
    const url = await server.database()
    const folder = temporaryFolder()
    const process = await ClaimProcess.start(`${url}#${folder}`)
    await process.claim(claimKey(1), claimFacts())
    await process.deliverAndDie(claimKey(1))
    const next = await opened(url, folder)
    expect(await next.claim(claimKey(1), claimFacts())).toEqual({ won: false, reason: 'spent' })
    const ledger = await openPostgresLedger(url)
    onTestFinished(() => ledger.close())
    expect(await collected(ledger.payments())).toMatchObject([{ state: 'delivered' }])
  })

  test('a restart of the database ends no claim of a process that lives', async () => {
    const url = await server.database()
    const [first, second] = [await opened(url), await opened(url)]
    await first.claim(claimKey(1), claimFacts())
    await server.kill()
    await expect(second.claim(claimKey(1), claimFacts())).rejects.toMatchObject({
      code: 'STORE_UNREACHABLE',
    })
    // Given while there is no database: it is recorded when there is one
    void first.delivered(claimKey(1))
    await server.restart()
    await until(async () => {
      const outcome = await second.claim(claimKey(1), claimFacts())
      if (outcome.won) throw new Error('a delivered payment was claimed again')
      return outcome.reason === 'spent'
    })
  })

  test('a process without the database for longer than others wait no longer holds its claims', async () => {
    const url = await server.database()
    const claims = await opened(url)
    let number = 0
    // On a busy machine the process may be silent for long at any time
    const holdsNext = async () => {
      const key = claimKey(++number)
      const outcome = await claims.claim(key, claimFacts()).catch(() => undefined)
      return outcome?.won === true && claims.isHeld(key)
    }
    await until(holdsNext)
    const held = claimKey(number)
    await server.kill()
    await until(() => !claims.isHeld(held))
    await server.restart()
    await until(holdsNext)
    expect(claims.isHeld(held)).toBe(false)
  })

  test('one process recognizes the challenges of another', async () => {
    const url = await server.database()
    const [first, second] = [
      await openPostgresChallenges(url, 60),
      await openPostgresChallenges(url, 60),
    ]
    const now = 1_700_000_000n
    const references = await Promise.all([first.issue('/a', now), first.issue('/a', now)])
    expect(new Set(references).size).toBe(2)
    for (const reference of references) {
      expect(second.issuedAt(reference, '/a')).toBe(now)
      expect(second.issuedAt(reference, '/b')).toBeUndefined()
    }
    expect(await second.issuedWithin('/a', now - 5n, now)).toBe(true)
    expect(await second.issuedWithin('/a', now + 1n, now + 5n)).toBe(false)
    expect(await second.issuedWithin('/b', now, now)).toBe(false)
    // A week later the row is removed
    await first.issue('/b', now + 8n * 86_400n)
    expect(await second.issuedWithin('/a', now, now)).toBe(false)
    await first.close()
    await second.close()
  })
})
