import type { Command } from 'commander'
import { findPayment } from './find-payment.ts'
import { addLedgerFlags, type LedgerFlags, withLedger } from './ledger-of.ts'
import { parseHash } from './payment-filter.ts'
import { amountText, formOf } from './payment-form.ts'

interface RefundFlags extends LedgerFlags {
  readonly transaction: string
  readonly json?: true
}

export function definePaymentsRefund(command: Command): void {
  addLedgerFlags(
    command.argument('<id>', 'hash of the transaction that paid, or the id of an authorization'),
  )
    .requiredOption('--transaction <HASH>', 'the transaction of the refund')
    .option('--json', 'print the payment as an object')
    .action(async (text: string, flags: RefundFlags) => {
      const id = parseHash(text, '<id>')
      const txHash = parseHash(flags.transaction, '--transaction')
      const form = await withLedger(flags, async (found) => {
        const { record, ledger } = await findPayment(found, id)
        return formOf(await ledger.refund(record.key, txHash), ledger)
      })
      process.stdout.write(
        flags.json === true
          ? `${JSON.stringify(form)}\n`
          : `Recorded the refund of ${amountText(form)} to ${form.payer} by ${txHash}\n`,
      )
    })
}
