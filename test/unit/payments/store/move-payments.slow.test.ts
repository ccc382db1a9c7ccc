import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openChallenges } from '../../../../host/payments/challenge/challenges.ts'
import { openLedger } from '../../../../host/payments/claim/ledger.ts'
import { openClaims } from '../../../../host/payments/claim/open-claims.ts'
import { movePayments } from '../../../../host/payments/store/move-payments.ts'
import { openPostgresClaims } from '../../../../host/payments/store/open-postgres-claims.ts'
import { openPostgresChallenges } from '../../../../host/payments/store/postgres-challenges.ts'
import { openPostgresLedger } from '../../../../host/payments/store/postgres-ledger.ts'
import { claimFacts, claimKey, txHashOf } from '../../../support/payments/claim-facts.ts'
import { temporaryClaimsFolder } from '../../../support/payments/claim-stores.ts'
import { collected } from '../../../support/payments/collected.ts'
import {
  NO_POSTGRES,
  POSTGRES_SKIPPED,
  PostgresServer,
} from '../../../support/store/postgres-server.ts'

const NOW = 1_700_000_000n

/** Writes claims of every state, more than fit into one transaction. */
async function fill(folder: string, first: number, count: number): Promise<void> {
  const claims = await openClaims(folder)
  await claims.describe(1329n, claimFacts().asset, { symbol: 'USDC', decimals: 6 })
  const numbers = Array.from({ length: count }, (_, i) => first + i)
  await Promise.all(
    numbers.map(async (number) => {
      const key = claimKey(number, number % 3 === 0 ? 'authorization' : 'transfer')
      const facts = claimFacts({ resource: `/${number % 5}`, amount: BigInt(number) })
      await claims.claim(key, facts)
      if (number % 3 === 0) await claims.settled(key, txHashOf(number))
      if (number % 4 === 0) await claims.failed(key)
      else if (number % 7 !== 0) await claims.delivered(key)
    }),
  )
  await claims.close()
  const challenges = openChallenges(folder)
  challenges.issue('/1', NOW)
  challenges.issue('/1', NOW + 1n)
  challenges.close()
}

describe.skipIf(NO_POSTGRES !== '')(`payments that move into PostgreSQL${POSTGRES_SKIPPED}`, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server.end())

  test('are there as they were: claims, totals, units and challenges', async () => {
    const folder = temporaryClaimsFolder()
    await fill(folder, 1, 1_200)
    const before = await openLedger(folder)
    before.refund(claimKey(1), txHashOf(5_000))
    const records = await collected(before.payments())
    const revenue = before.revenue()
    await before.close()
    const challenges = openChallenges(folder)
    const reference = challenges.issue('/1', NOW + 2n)
    challenges.close()

    const url = await server.database()
    expect(await movePayments(folder, url)).toEqual({
      added: records.length,
      known: 0,
      keepsChallenges: true,
    })

    const after = await openPostgresLedger(url)
    onTestFinished(() => after.close())
    // What was held by a server that has stopped can be claimed again
    const expected = records.map(({ state, ...record }) => ({
      ...record,
      state: state === 'delivered' ? state : 'released',
    }))
    const byKey = (list: readonly { readonly key: { readonly id: string } }[]) =>
      [...list].sort((a, b) => a.key.id.localeCompare(b.key.id))
    expect(byKey(await collected(after.payments()))).toEqual(byKey(expected))
    const byResource = (list: readonly { readonly resource: string }[]) =>
      [...list].sort((a, b) => a.resource.localeCompare(b.resource))
    expect(byResource(await after.revenue())).toEqual(byResource(revenue))
    expect(after.unit(1329n, claimFacts().asset)).toEqual({ symbol: 'USDC', decimals: 6 })
    const moved = await openPostgresChallenges(url, 60)
    expect(moved.issuedAt(reference, '/1')).toBe(NOW + 2n)
    expect(await moved.issuedWithin('/1', NOW, NOW)).toBe(true)
    expect(await moved.issuedWithin('/1', NOW + 3n, NOW + 9n)).toBe(false)
    await moved.close()

    await expect(openClaims(folder)).rejects.toThrow('were moved to postgres://127.0.0.1')
    await expect(movePayments(folder, url)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    const claims = await openPostgresClaims(url, { folder })
    onTestFinished(() => claims.close())
    expect(await claims.claim(claimKey(1), claimFacts())).toEqual({ won: false, reason: 'spent' })
  })

  test('of several folders come together, unless one payment is in two', async () => {
    const url = await server.database()
    const folders = [temporaryClaimsFolder(), temporaryClaimsFolder(), temporaryClaimsFolder()]
    const [one = '', two = '', twice = ''] = folders
    await fill(one, 1, 10)
    await fill(two, 11, 10)
    await fill(twice, 20, 1)
    expect(await movePayments(one, url)).toMatchObject({ added: 10, keepsChallenges: true })
    expect(await movePayments(two, url)).toMatchObject({ added: 10, keepsChallenges: false })
    await expect(movePayments(twice, url)).rejects.toMatchObject({
      code: 'REFUSED_ARGUMENT',
      message: expect.stringContaining('was claimed in both stores'),
    })
    // Nothing has changed: it can still be used
    await (await openClaims(twice)).close()
  })

  test('stay if a server uses the folder', async () => {
    const folder = temporaryClaimsFolder()
    const claims = await openClaims(folder)
    onTestFinished(() => claims.close())
    await claims.claim(claimKey(1), claimFacts())
    await expect(movePayments(folder, await server.database())).rejects.toMatchObject({
      code: 'SERVER_BUSY',
      hint: 'stop the server, and the commands that read its payments',
    })
  })
})
