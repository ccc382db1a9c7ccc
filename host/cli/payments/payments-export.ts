import { once } from 'node:events'
import { type Command, Option } from 'commander'
import { csvRow } from './csv.ts'
import { addLedgerFlags, type LedgerFlags, withLedger } from './ledger-of.ts'
import { addFilterFlags, type FilterFlags, ledgerFilterOf } from './payment-filter.ts'
import { formOf, type PaymentForm } from './payment-form.ts'

interface ExportFlags extends LedgerFlags, FilterFlags {
  readonly format: 'csv' | 'json'
}

const COLUMNS = [
  'claimedAt',
  'resource',
  'request',
  'payer',
  'payTo',
  'amount',
  'tokens',
  'symbol',
  'asset',
  'chainId',
  'kind',
  'id',
  'transaction',
  'state',
  'paid',
  'deliveredAt',
  'refundTransaction',
  'refundedAt',
] as const satisfies readonly (keyof PaymentForm)[]

async function* csvOf(forms: AsyncIterable<PaymentForm>): AsyncGenerator<string> {
  yield csvRow(COLUMNS)
  for await (const form of forms) yield csvRow(COLUMNS.map((column) => form[column]))
}

async function* jsonOf(forms: AsyncIterable<PaymentForm>): AsyncGenerator<string> {
  let before = '['
  for await (const form of forms) {
    yield `${before}\n${JSON.stringify(form)}`
    before = ','
  }
  yield before === '[' ? '[]\n' : '\n]\n'
}

/** Writes at the reader's pace; stops if the reader exits, as `head` does. */
async function print(lines: AsyncIterable<string>): Promise<void> {
  const { stdout } = process
  let isGone = false
  stdout.once('error', (error: NodeJS.ErrnoException) => {
    isGone = true
    if (error.code !== 'EPIPE') throw error
  })
  for await (const line of lines) {
    if (isGone) return
    if (!stdout.write(line)) await Promise.race([once(stdout, 'drain'), once(stdout, 'close')])
  }
}

export function definePaymentsExport(command: Command): void {
  addFilterFlags(addLedgerFlags(command))
    .addOption(
      new Option('--format <FORMAT>', 'output format').choices(['csv', 'json']).default('csv'),
    )
    .action(async (flags: ExportFlags) => {
      const filter = { ...ledgerFilterOf(flags), isAscending: true }
      await withLedger(flags, async (ledger) => {
        async function* forms(): AsyncGenerator<PaymentForm> {
          if (ledger === undefined) return
          for await (const record of ledger.payments(filter)) yield formOf(record, ledger)
        }
        await print(flags.format === 'csv' ? csvOf(forms()) : jsonOf(forms()))
      })
    })
}
