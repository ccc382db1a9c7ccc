import { afterAll, beforeAll, describe, test } from 'vitest'
import { compareWithModel } from '../../../support/payments/claim-model-run.ts'
import { postgresClaimStore } from '../../../support/payments/claim-stores.ts'
import { testClaims } from '../../../support/payments/claims-suite.ts'
import { runSeed } from '../../../support/random.ts'
import {
  NO_POSTGRES,
  POSTGRES_SKIPPED,
  PostgresServer,
} from '../../../support/store/postgres-server.ts'

const seed = runSeed()

describe.skipIf(NO_POSTGRES !== '')(`claims in PostgreSQL${POSTGRES_SKIPPED}`, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server.end())

  testClaims(() => postgresClaimStore(server))

  test(`agree with a plain map over 300 steps and restarts (LOCKSTEP_SEED=${seed})`, async () => {
    await compareWithModel(await postgresClaimStore(server), seed, 300)
  })
})
