import { createHash } from 'node:crypto'
import type { Hex } from '../../base/hex.ts'
import type { ClaimRecord } from '../claim/claims.ts'
import type { Ledger, ResourceRevenue } from '../claim/ledger.ts'
import { tokenAmount } from '../protocol/token-amount.ts'
import type { SettlerFigures } from '../settle/settler.ts'

/** What the page shows beside the ledger. */
export interface PageFacts {
  readonly chainId: bigint
  readonly network: string
  readonly binding: string
  /** Undefined where authorizations are not taken. */
  readonly settler:
    | { readonly address: Hex; readonly balance: bigint; readonly figures: SettlerFigures }
    | undefined
}

/** Payments that are shown. */
const LAST = 20

const WEI_DECIMALS = 18

const LINE = 'light-dark(#c9ced6, #3b4554)'
const TEXT = 'light-dark(#17202b, #e7ecf3)'
const DIM = 'light-dark(#4c5867, #aab5c4)'
const PAGE = 'light-dark(#fff, #12171e)'
const HEAD = 'light-dark(#f0f3f7, #1c242e)'

const STYLE = `
:root { color-scheme: light dark }
body { margin: 0 auto; max-width: 72rem; padding: 1rem; background: ${PAGE}; color: ${TEXT};
  font: 1rem/1.5 system-ui, sans-serif }
h1 { font-size: 1.5rem; margin: 0.5rem 0 }
h2 { font-size: 1.15rem; margin: 1.5rem 0 0.5rem }
p, dt { color: ${DIM}; margin: 0 }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1rem; margin: 0 }
dd { margin: 0; overflow-wrap: anywhere }
.frame { overflow-x: auto; border: 1px solid ${LINE}; border-radius: 0.4rem }
.frame:focus-visible { outline: 2px solid currentColor }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem }
th, td { padding: 0.4rem 0.7rem; text-align: left; white-space: nowrap; border-bottom: 1px solid ${LINE} }
tr:last-child td { border-bottom: 0 }
th { background: ${HEAD} }
.number { text-align: right; font-variant-numeric: tabular-nums }
code { font: 0.85em ui-monospace, monospace }
@media (max-width: 36rem) { dl { grid-template-columns: 1fr } dd { margin-bottom: 0.4rem } }
`

/** Nothing is loaded, nothing runs: what payers choose, such as a path, stays text. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; ` +
    // An icon that is none: browsers ask for one otherwise.
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string)
}

interface Cell {
  readonly text: string
  readonly kind?: 'number' | 'code'
}

function cellOf({ text, kind }: Cell): string {
  if (kind === 'number') return `<td class="number">${escapeHtml(text)}</td>`
  return kind === 'code'
    ? `<td><code>${escapeHtml(text)}</code></td>`
    : `<td>${escapeHtml(text)}</td>`
}

function tableOf(
  id: string,
  title: string,
  head: readonly (readonly [string, 'number'?])[],
  rows: readonly (readonly Cell[])[],
): string {
  const heading = `<h2 id="${id}">${title}</h2>`
  if (rows.length === 0) return `${heading}<p>Nothing yet.</p>`
  const cells = head.map(
    ([name, kind]) => `<th scope="col"${kind === undefined ? '' : ' class="number"'}>${name}</th>`,
  )
  const lines = rows.map((row) => `<tr>${row.map(cellOf).join('')}</tr>`)
  return (
    // What is wider than the page is scrolled by the keys too.
    `${heading}<div class="frame" role="region" aria-labelledby="${id}" tabindex="0"><table>` +
    `<thead><tr>${cells.join('')}</tr></thead><tbody>${lines.join('')}</tbody></table></div>`
  )
}

function listOf(rows: readonly (readonly [string, string])[]): string {
  return `<dl>${rows.map(([name, value]) => `<dt>${name}</dt><dd>${escapeHtml(value)}</dd>`).join('')}</dl>`
}

/** An amount in tokens where the ledger knows their decimals, else in their smallest unit. */
function amountOf(ledger: Ledger, chainId: bigint, asset: Hex, amount: bigint): string {
  const unit = ledger.unit(chainId, asset)
  if (unit === undefined) return `${amount} of ${asset}`
  return `${tokenAmount(amount, unit.decimals)} ${unit.symbol}`
}

function revenueRow(ledger: Ledger, sale: ResourceRevenue): Cell[] {
  const { resource, chainId, asset, payments, delivered, amount, refunded, refunds } = sale
  const refund = refunds === 0 ? '' : amountOf(ledger, chainId, asset, refunded)
  return [
    { text: resource, kind: 'code' },
    { text: `${payments}`, kind: 'number' },
    { text: `${delivered}`, kind: 'number' },
    { text: amountOf(ledger, chainId, asset, amount), kind: 'number' },
    { text: refund, kind: 'number' },
  ]
}

function paymentRow(ledger: Ledger, record: ClaimRecord): Cell[] {
  const { key, claimedAt, request, amount, asset, payer, state, refund, txHash } = record
  return [
    { text: new Date(claimedAt).toISOString() },
    { text: request, kind: 'code' },
    { text: amountOf(ledger, key.chainId, asset, amount), kind: 'number' },
    { text: payer, kind: 'code' },
    { text: refund === undefined ? state : 'refunded' },
    { text: txHash ?? '', kind: 'code' },
  ]
}

function settlerPart({ settler }: PageFacts): string {
  const heading = '<h2>Settler</h2>'
  if (settler === undefined) {
    return `${heading}<p>None: authorizations of EIP-3009 are refused.</p>`
  }
  const { address, balance, figures } = settler
  const { inFlight, settled, settledByOthers, refused, limited, failed } = figures
  return (
    heading +
    listOf([
      ['Account', address],
      ['Native tokens for gas', tokenAmount(balance, WEI_DECIMALS)],
      ['In flight', `${inFlight}`],
      ['Settled', `${settled}, of them ${settledByOthers} by others`],
      ['Refused', `${refused}, of them ${limited} by a limit`],
      ['Paid for, and moved nothing', `${failed}`],
    ])
  )
}

/** The page of what was paid, as HTML without a script. */
export async function renderPayments(ledger: Ledger, facts: PageFacts): Promise<string> {
  const last: ClaimRecord[] = []
  for await (const record of ledger.payments()) {
    if (last.push(record) === LAST) break
  }
  const revenue = tableOf(
    'revenue',
    'Revenue',
    [
      ['Resource'],
      ['Payments', 'number'],
      ['Delivered', 'number'],
      ['Paid', 'number'],
      ['Refunded', 'number'],
    ],
    ledger.revenue().map((sale) => revenueRow(ledger, sale)),
  )
  const payments = tableOf(
    'payments',
    'Last payments',
    [['Time'], ['Request'], ['Amount', 'number'], ['Payer'], ['State'], ['Transaction']],
    last.map((record) => paymentRow(ledger, record)),
  )
  const { chainId, network, binding } = facts
  const about = listOf([
    ['Chain', `${chainId} (${network})`],
    ['Binding', binding],
    ['As of', new Date().toISOString()],
  ])
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Payments</title>' +
    `<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><style>${STYLE}</style></head>` +
    `<body><main><h1>Payments</h1>${about}${revenue}${payments}${settlerPart(facts)}</main></body></html>`
  )
}
