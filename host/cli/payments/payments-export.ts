import { once } from 'node:events'
import { type Command, Option } from 'commander'
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

/** First characters that make a spreadsheet treat a cell as a formula. */
const FORMULA = /^[=+\-@\t\r]/

/**
 * Returns a row of RFC 4180. Payers choose paths and queries, so a text that a spreadsheet would run as a formula
 * gets a leading apostrophe, which spreadsheets hide.
 */
export function csvRow(cells: readonly (string | number | boolean | null)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

function csvCell(value: string | number | boolean | null): string {
  if (value === null) return ''
  const text = String(value)
  const inert = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}

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
