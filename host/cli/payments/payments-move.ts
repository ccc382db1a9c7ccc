import type { Command } from 'commander'
import { LockstepError } from '../../base/error.ts'
import { postgresName } from '../../base/postgres-url.ts'
import { movePayments } from '../../payments/store/move-payments.ts'
import { addLedgerFlags, type LedgerFlags, placeOf } from './ledger-of.ts'

interface MoveFlags extends LedgerFlags {
  readonly json?: true
}

export function definePaymentsMove(command: Command): void {
  addLedgerFlags(command)
    .option('--json', 'print the counts as an object')
    .action(async (flags: MoveFlags) => {
      const { folder, store = '' } = placeOf(flags)
      if (store === '' || folder === undefined) {
        throw new LockstepError(
          'INVALID_ARGUMENT',
          `${store === '' ? 'no database' : 'no folder'} is named`,
          {
            hint: 'set store in [payments] of app.toml; for another server, give --folder and --store',
          },
        )
      }
      const { added, known, keepsChallenges } = await movePayments(folder, store)
      const to = postgresName(store)
      if (flags.json === true) {
        process.stdout.write(
          `${JSON.stringify({ from: folder, to, added, known, keepsChallenges })}\n`,
        )
        return
      }
      const earlier = known === 0 ? '' : `, ${known} were there from an earlier move`
      process.stdout.write(`Moved ${added} payments to ${to}${earlier}\n`)
      if (keepsChallenges) return
      process.stderr.write(
        'The database has the challenges of other gates: payments for open challenges of this one are refused with the ' +
          'bindings reference and signed\n',
      )
    })
}
