import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openPostgresClaims } from '../../host/payments/store/open-postgres-claims.ts'
import { openPostgresLedger } from '../../host/payments/store/postgres-ledger.ts'
import { makeRandom, runSeed } from '../support/random.ts'
import { NO_POSTGRES, POSTGRES_SKIPPED, PostgresServer } from '../support/store/postgres-server.ts'
import { checkLedger } from './kill/check-ledger.ts'
import { KillRun } from './kill/kill-run.ts'

/** As in kill.slow.test.ts. */
const KILLS = Number(process.env.LOCKSTEP_KILLS ?? 30)
const seed = runSeed()

test.skipIf(NO_POSTGRES !== '')(
  `gates and a PostgreSQL that are killed under load serve each payment once (LOCKSTEP_SEED=${seed})${POSTGRES_SKIPPED}`,
  async () => {
    const root = mkdtempSync(join(tmpdir(), 'lockstep-kill-'))
    onTestFinished(() => rmSync(root, { recursive: true, force: true }))
    const folders = ['one', 'two'].map((name) => join(root, name))
    for (const folder of folders) mkdirSync(folder)
    const server = await PostgresServer.start()
    onTestFinished(() => server.end())
    const store = await server.database()
    const run = new KillRun(
      {
        folder: (slot) => folders[slot] as string,
        store,
        interrupt: async () => {
          await server.kill()
          await server.restart()
        },
        isExpected: (failure) => failure.includes(`postgres://127.0.0.1:${server.port}/`),
      },
      'signed',
      makeRandom(seed),
    )
    try {
      await run.run(KILLS)
    } finally {
      await run.end()
    }
    run.check()
    expect(run.faults.join('\n')).toBe('')
    expect(run.payments.length).toBeGreaterThan(KILLS)
    expect(run.refusedReplays).toBeGreaterThan(KILLS)
    expect(run.interruptions).toBeGreaterThan(0)

    // Reads what the last processes have delivered
    for (const folder of folders) await (await openPostgresClaims(store, { folder })).close()
    const ledger = await openPostgresLedger(store)
    await checkLedger(ledger, run)
    await ledger.close()
    const twice = run.servedTwice().length
    expect(twice).toBeLessThanOrEqual(3 + KILLS / 5)
    process.stdout.write(
      `${KILLS} kills of gates and ${run.interruptions} of PostgreSQL, ${run.payments.length} payments, each served; ` +
        `${run.refusedReplays} replays refused; ${twice} served again since their process was killed before the mark of ` +
        'their delivery\n',
    )
  },
  120_000 + KILLS * 5_000,
)
