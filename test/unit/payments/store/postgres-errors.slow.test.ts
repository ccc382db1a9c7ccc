import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { LockstepError } from '../../../../host/base/error.ts'
import { passwordIn, postgresName } from '../../../../host/base/postgres-url.ts'
import { openClaims } from '../../../../host/payments/claim/open-claims.ts'
import { openPostgresClaims } from '../../../../host/payments/store/open-postgres-claims.ts'
import { PostgresSession } from '../../../../host/storage/store/postgres/postgres-session.ts'
import { temporaryClaimsFolder } from '../../../support/payments/claim-stores.ts'
import {
  NO_POSTGRES,
  POSTGRES_SKIPPED,
  PostgresServer,
} from '../../../support/store/postgres-server.ts'

describe.skipIf(NO_POSTGRES !== '')(`a store in PostgreSQL${POSTGRES_SKIPPED}`, () => {
  let server: PostgresServer
  let url: string
  beforeAll(async () => {
    server = await PostgresServer.start()
    url = await server.database()
  })
  afterAll(() => server.end())

  /** Returns the error of an opening, none of whose parts may contain the password. */
  async function failure(at: string, folder?: string): Promise<LockstepError> {
    const opening = openPostgresClaims(at, folder === undefined ? {} : { folder })
    const error = await opening.then(
      (claims) => claims.close(),
      (thrown: LockstepError) => thrown,
    )
    if (error === undefined) throw new Error('it was opened')
    const shown = inspect(error, { depth: 9, showHidden: true })
    for (const secret of [passwordIn(at), 'not/printed', 'wrong-word']) {
      if (secret !== undefined) expect(shown).not.toContain(secret)
    }
    return error
  }

  test('names the database, and never its password, in every error of a connection', async () => {
    const name = postgresName(url) as string
    const changed = (from: string | RegExp, to: string) => url.replace(from, to)
    expect(await failure(changed('not%2Fprinted', 'wrong-word'))).toMatchObject({
      code: 'STORE_DENIED',
      message: expect.stringContaining(`${name}: password authentication failed`),
    })
    expect(await failure(changed(/test_\d+$/, 'missing'))).toMatchObject({
      code: 'STORE_UNREACHABLE',
      message: expect.stringContaining('database "missing" does not exist'),
      hint: 'create the database, or correct its name',
    })
    expect(await failure(changed(`${server.port}`, '1'))).toMatchObject({
      code: 'STORE_UNREACHABLE',
      message: expect.stringContaining('ECONNREFUSED'),
    })
    expect(await failure('postgres://me:wrong-word@[half/database')).toMatchObject({
      code: 'CONFIG_INVALID',
    })
    expect(await failure('mysql://me:wrong-word@127.0.0.1/database')).toMatchObject({
      code: 'CONFIG_INVALID',
      message: 'the store is not the URL of a PostgreSQL database',
    })
  })

  test('is refused if a later release has changed its tables', async () => {
    const database = await server.database()
    await (await openPostgresClaims(database)).close()
    const session = await PostgresSession.of(database)
    onTestFinished(() => session.close())
    await session.transaction((query) =>
      query('insert into lockstep_payments.migrations (number) values (99)'),
    )
    expect(await failure(database)).toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(
        'migration 99 of lockstep_payments, and this release ends at',
      ),
    })
  })

  test('is created once by several processes that open it at the same time', async () => {
    const database = await server.database()
    const opened = await Promise.all(Array.from({ length: 5 }, () => openPostgresClaims(database)))
    for (const claims of opened) await claims.close()
    const session = await PostgresSession.of(database)
    onTestFinished(() => session.close())
    const rows = await session.transaction((query) =>
      query('select number from lockstep_payments.migrations order by number'),
    )
    expect(rows).toEqual([{ number: 1 }, { number: 2 }])
  })

  test('is refused beside a folder whose claims were not moved into it', async () => {
    const folder = temporaryClaimsFolder()
    await (await openClaims(folder)).close()
    expect(await failure(url, folder)).toMatchObject({
      code: 'CONFIG_INVALID',
      message: `${folder} has claims of its own`,
    })
  })
})
