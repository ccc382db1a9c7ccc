import type { Command } from 'commander'
import { findPayments } from './find-payment.ts'
import { addLedgerFlags, type LedgerFlags, withLedger } from './ledger-of.ts'
import { parseHash } from './payment-filter.ts'
import { formOf, type PaymentForm, printable } from './payment-form.ts'

interface ShowFlags extends LedgerFlags {
  readonly json?: true
}

function toText(form: PaymentForm): string {
  const known = Object.entries(form).filter(([, value]) => value !== null)
  const width = Math.max(...known.map(([name]) => name.length))
  return known
    .map(([name, value]) => `${name.padEnd(width)}  ${printable(String(value))}\n`)
    .join('')
}

export function definePaymentsShow(command: Command): void {
  addLedgerFlags(
    command.argument('<id>', 'hash of the transaction that paid, or the id of an authorization'),
  )
    .option('--json', 'print an array of objects: a transaction may have executed several')
    .action(async (text: string, flags: ShowFlags) => {
      const id = parseHash(text, '<id>')
      const forms = await withLedger(flags, async (ledger) =>
        (await findPayments(ledger, id)).map(({ record, ledger: found }) => formOf(record, found)),
      )
      process.stdout.write(
        flags.json === true ? `${JSON.stringify(forms)}\n` : forms.map(toText).join('\n'),
      )
    })
}
