import { expect, test } from 'vitest'
import type { Hex } from '../../../../host/base/hex.ts'
import type { ClaimRecord } from '../../../../host/payments/claim/claims.ts'
import type { Ledger } from '../../../../host/payments/claim/ledger.ts'
import { type PageFacts, renderPayments } from '../../../../host/payments/gate/payments-page.ts'

const ASSET: Hex = `0x${'40'.repeat(20)}`
const OTHER_ASSET: Hex = `0x${'41'.repeat(20)}`
const PAYER: Hex = `0x${'a1'.repeat(20)}`
const TRANSACTION: Hex = `0x${'7a'.repeat(32)}`

const FACTS: PageFacts = { chainId: 7n, network: 'eip155:7', binding: 'b', settler: undefined }

const CLAIM: ClaimRecord = {
  key: { chainId: 7n, kind: 'transfer', id: TRANSACTION },
  resource: '/weather',
  request: 'GET /weather?<b>',
  payer: PAYER,
  payTo: PAYER,
  asset: ASSET,
  amount: 1_500n,
  state: 'delivered',
  isPaid: true,
  txHash: TRANSACTION,
  claimedAt: 0,
}

/** Returns a ledger with these payments, in which only ASSET has a unit. */
function ledgerOf(...records: readonly ClaimRecord[]): Ledger {
  const unused = () => {
    throw new Error('the page does not call it')
  }
  return {
    async *payments() {
      yield* records
    },
    revenue: () => [],
    unit: (_, asset) => (asset === ASSET ? { symbol: 'USDC', decimals: 6 } : undefined),
    find: unused,
    refund: unused,
    endRefund: unused,
    close: unused,
  }
}

test('the payments page lists the 20 latest payments, as text and not as markup', async () => {
  const page = await renderPayments(ledgerOf(...Array.from({ length: 30 }, () => CLAIM)), FACTS)
  expect(page.split('<code>GET /weather?&lt;b&gt;</code>')).toHaveLength(21)
  expect(page).toContain('<td class="number">0.0015 USDC</td>')
  expect(page).not.toContain('<b>')
})

test('the payments page shows a refund as such, and an unknown token in its smallest unit', async () => {
  const refund = { txHash: TRANSACTION, at: 1 }
  const page = await renderPayments(ledgerOf({ ...CLAIM, asset: OTHER_ASSET, refund }), FACTS)
  expect(page).toContain(`<td class="number">1500 of ${OTHER_ASSET}</td>`)
  expect(page).toContain('<td>refunded</td>')
})

test('the payments page says whether there is a settler, and shows its account and its figures', async () => {
  const none = await renderPayments(ledgerOf(), FACTS)
  expect(none).toContain('<h2>Settler</h2><p>None: EIP-3009 authorizations are refused.</p>')
  const figures = { inFlight: 1, settled: 5, settledByOthers: 2, refused: 4, limited: 3, failed: 6 }
  const balance = 25n * 10n ** 17n
  const settler = { address: PAYER, balance, figures: { ...figures, balance, left: 9 } }
  const one = await renderPayments(ledgerOf(), { ...FACTS, settler })
  expect(one).toContain(
    '<h2>Settler</h2><dl>' +
      `<dt>Account</dt><dd>${PAYER}</dd>` +
      '<dt>Native tokens for gas</dt><dd>2.5</dd>' +
      '<dt>Settlements that it pays for</dt><dd>9</dd>' +
      '<dt>In flight</dt><dd>1</dd>' +
      '<dt>Settled</dt><dd>5, of them 2 by others</dd>' +
      '<dt>Refused</dt><dd>4, of them 3 by a limit</dd>' +
      '<dt>Gas spent without a transfer</dt><dd>6</dd></dl>',
  )
})
