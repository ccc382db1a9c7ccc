import { type Cell, htmlList, htmlPage, htmlTable } from '../../api/server/page-html.ts'
import type { Hex } from '../../base/hex.ts'
import type { ClaimRecord } from '../claim/claims.ts'
import type { Ledger, ResourceRevenue } from '../claim/ledger.ts'
import { formatTokenAmount } from '../protocol/token-amount.ts'
import type { SettlerFigures } from '../settle/settler.ts'

export const PAYMENTS_PAGE = '/_payments'

/** Data of the page besides the ledger. */
export interface PageFacts {
  readonly chainId: bigint
  readonly network: string
  readonly binding: string
  /** Undefined if authorizations are not accepted. */
  readonly settler:
    | { readonly address: Hex; readonly balance: bigint; readonly figures: SettlerFigures }
    | undefined
}

/** Number of payments listed. */
const LAST = 20

const WEI_DECIMALS = 18

/** Formats an amount in tokens if the ledger has their decimals, else in the smallest unit. */
function amountOf(ledger: Ledger, chainId: bigint, asset: Hex, amount: bigint): string {
  const unit = ledger.unit(chainId, asset)
  if (unit === undefined) return `${amount} of ${asset}`
  return `${formatTokenAmount(amount, unit.decimals)} ${unit.symbol}`
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
    return `${heading}<p>None: EIP-3009 authorizations are refused.</p>`
  }
  const { address, balance, figures } = settler
  const { inFlight, left, settled, settledByOthers, refused, limited, failed } = figures
  return (
    heading +
    htmlList([
      ['Account', address],
      ['Native tokens for gas', formatTokenAmount(balance, WEI_DECIMALS)],
      ['Settlements that it pays for', left === undefined ? '' : `${left}`],
      ['In flight', `${inFlight}`],
      ['Settled', `${settled}, of them ${settledByOthers} by others`],
      ['Refused', `${refused}, of them ${limited} by a limit`],
      ['Gas spent without a transfer', `${failed}`],
    ])
  )
}

/** Renders the payments page as HTML without scripts. */
export async function renderPayments(ledger: Ledger, facts: PageFacts): Promise<string> {
  const last: ClaimRecord[] = []
  for await (const record of ledger.payments()) {
    if (last.push(record) === LAST) break
  }
  const revenue = htmlTable(
    'revenue',
    'Revenue',
    [
      ['Resource'],
      ['Payments', 'number'],
      ['Delivered', 'number'],
      ['Paid', 'number'],
      ['Refunded', 'number'],
    ],
    (await ledger.revenue()).map((sale) => revenueRow(ledger, sale)),
  )
  const payments = htmlTable(
    'payments',
    'Last payments',
    [['Time'], ['Request'], ['Amount', 'number'], ['Payer'], ['State'], ['Transaction']],
    last.map((record) => paymentRow(ledger, record)),
  )
  const { chainId, network, binding } = facts
  const about = htmlList([
    ['Chain', `${chainId} (${network})`],
    ['Binding', binding],
    ['As of', new Date().toISOString()],
  ])
  return htmlPage('Payments', [about, revenue, payments, settlerPart(facts)])
}
