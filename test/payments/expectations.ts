import type { Hex } from 'viem'
import { expect } from 'vitest'
import type { RawResponse } from '../support/node/raw-socket.ts'
import { type ChallengeBody, type GateNode, PAY_TO, PRICE } from '../support/payments/gate-node.ts'

export const WRONG_FORMAT = 'Invalid payment format or network'
export const NOT_VERIFIED = 'Payment verification failed'

/** Only a paid response has this member. */
const PAID = '"payment"'

/** Expects a challenge with this reason that is uncacheable and contains nothing of the resource. */
export function expectRefused(answer: RawResponse, error: string, invalidReason: string): void {
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 402 })
  const body = JSON.parse(answer.body) as ChallengeBody
  expect({ error: body.error, invalidReason: body.invalidReason }).toEqual({ error, invalidReason })
  expect(body.accepts).toHaveLength(1)
  expect(answer.body).not.toContain(PAID)
  expectUncached(answer)
}

/** Expects the resource with its payment, in the body or in the header of x402's receipts. */
export function expectServed(answer: RawResponse, txHash?: Hex): void {
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 200 })
  const paidBy = paymentOf(answer)
  expect(paidBy).toMatch(/^0x[0-9a-f]{64}$/)
  if (txHash !== undefined) expect(paidBy).toBe(txHash)
  expectUncached(answer)
}

/** Returns the hash of the payment that a response names. */
export function paymentOf({ body, headers }: RawResponse): Hex | undefined {
  const { payment } = JSON.parse(body)
  if (payment?.isValid === true) return payment.txHash
  const [receipt] = headers.get('x-payment-response') ?? headers.get('payment-response') ?? []
  const { success, transaction } = JSON.parse(Buffer.from(receipt ?? '', 'base64').toString())
  return success === true ? transaction : undefined
}

/** Expects that neither a shared cache nor the payer's may store the response. */
export function expectUncached({ headers }: RawResponse): void {
  expect(headers.get('cache-control')).toEqual(['no-store'])
  const vary = (headers.get('vary') ?? []).join(',').toLowerCase().split(/ *, */)
  expect(vary).toEqual(expect.arrayContaining(['x-payment', 'payment-signature']))
}

/** Expects that a payer who pays the price is served exactly once. */
export async function expectHonestPayment(
  gate: GateNode,
  target = '/weather',
  index = 0,
): Promise<void> {
  const payer = gate.payer(index)
  await gate.challenge(target)
  const txHash = await payer.pay(PAY_TO, PRICE)
  const payload = { txHash, amount: String(PRICE), from: payer.address }
  expectServed(await gate.show(target, payload), txHash)
}
