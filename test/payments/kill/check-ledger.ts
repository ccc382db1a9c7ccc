import { expect } from 'vitest'
import type { Ledger } from '../../../host/payments/claim/ledger.ts'
import { collected } from '../../support/payments/collected.ts'
import type { KillRun } from './kill-run.ts'

/** Expects each payment of a run in the ledger: delivered, counted once, and settled once if it is an authorization. */
export async function checkLedger(ledger: Ledger, { payments, chain }: KillRun): Promise<void> {
  const records = await collected(ledger.payments())
  const revenue = await ledger.revenue()
  expect(records).toHaveLength(payments.length)
  for (const record of records) expect(record).toMatchObject({ state: 'delivered', isPaid: true })
  const requests = records.map(({ request }) => request).sort()
  expect(requests).toEqual(payments.map(({ path }) => `GET ${path}`).sort())
  for (const { resource, ...counts } of revenue) {
    const count = payments.filter((payment) => payment.resource.path === resource).length
    expect(counts).toMatchObject({
      payments: count,
      amount: BigInt(count) * 1_000n,
      delivered: count,
    })
  }
  // Each authorization was settled once, by the transaction that its claim names.
  const authorizations = payments.filter(({ kind }) => kind === 'authorization')
  expect(chain.used.size).toBe(authorizations.length)
  const succeeded = chain.receipts.filter(({ logs }) => logs.length > 0)
  const settled = records.filter(({ key }) => key.kind === 'authorization')
  expect(settled.map(({ txHash }) => txHash).sort()).toEqual(
    succeeded.map(({ txHash }) => txHash).sort(),
  )
}
