import type { Command } from 'commander'
import type { Ledger } from '../../payments/claim/ledger.ts'
import { addLedgerFlags, type LedgerFlags, nothingPaid, withLedger } from './ledger-of.ts'
import { addFilterFlags, type FilterFlags, ledgerFilterOf, parseCount } from './payment-filter.ts'
import { amountText, formOf, type PaymentForm, printable } from './payment-form.ts'

interface ListFlags extends LedgerFlags, FilterFlags {
  readonly limit: number
  readonly offset: number
  readonly json?: true
}

const COLUMNS = ['time', 'amount', 'resource', 'payer', 'state', 'id'] as const

function rowOf(form: PaymentForm): string[] {
  const { claimedAt, resource, payer, state, id, refundTransaction } = form
  const shown = refundTransaction === null ? state : 'refunded'
  return [claimedAt, amountText(form), printable(resource), payer, shown, id]
}

/** Returns a table with right-aligned amounts. */
function toText(forms: readonly PaymentForm[]): string {
  const cells = [[...COLUMNS], ...forms.map(rowOf)]
  const widths = COLUMNS.map((_, i) => Math.max(...cells.map((line) => line[i]?.length ?? 0)))
  return cells
    .map((line) =>
      line
        .map((cell, i) => (i === 1 ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('')
}

async function pageOf(
  ledger: Ledger,
  flags: ListFlags,
): Promise<{ readonly forms: PaymentForm[]; readonly hasMore: boolean }> {
  const forms: PaymentForm[] = []
  let skipped = 0
  for await (const record of ledger.payments(ledgerFilterOf(flags))) {
    if (skipped < flags.offset) skipped++
    else if (forms.length === flags.limit) return { forms, hasMore: true }
    else forms.push(formOf(record, ledger))
  }
  return { forms, hasMore: false }
}

export function definePaymentsList(command: Command): void {
  addFilterFlags(addLedgerFlags(command))
    .option('--limit <COUNT>', 'payments to print', parseCount, 20)
    .option('--offset <COUNT>', 'newer payments to skip', parseCount, 0)
    .option('--json', 'print an array of objects')
    .action(async (flags: ListFlags) => {
      ledgerFilterOf(flags)
      const { forms, hasMore } = await withLedger(flags, async (ledger) =>
        ledger === undefined ? { forms: [], hasMore: false } : pageOf(ledger, flags),
      )
      if (flags.json === true) process.stdout.write(`${JSON.stringify(forms)}\n`)
      else if (forms.length > 0) process.stdout.write(toText(forms))
      else process.stderr.write(nothingPaid(flags))
      if (hasMore) {
        process.stderr.write(`There are older ones: --offset ${flags.offset + forms.length}\n`)
      }
    })
}
