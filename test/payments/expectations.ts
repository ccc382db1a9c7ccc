import type { Hex } from 'viem'
import { expect } from 'vitest'
import type { RawResponse } from '../support/node/raw-socket.ts'
import { type ChallengeBody, type GateNode, PAY_TO, PRICE } from '../support/payments/gate-node.ts'

export const WRONG_FORMAT = 'Invalid payment format or network'
export const NOT_VERIFIED = 'Payment verification failed'

/** Only a paid response has this member. */
const PAID = '"payment"'

/** A challenge that says why, that no cache keeps, and that gives nothing away. */
export function expectRefused(answer: RawResponse, error: string, invalidReason: string): void {
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 402 })
  const body = JSON.parse(answer.body) as ChallengeBody
  expect({ error: body.error, invalidReason: body.invalidReason }).toEqual({ error, invalidReason })
  expect(body.accepts).toHaveLength(1)
  expect(answer.body).not.toContain(PAID)
  expectUncached(answer)
}

/** The resource, with the payment that opened it: in the body, or in the header of x402's receipts. */
export function expectServed(answer: RawResponse, txHash?: Hex): void {
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 200 })
  const paidBy = paymentOf(answer)
  expect(paidBy).toMatch(/^0x[0-9a-f]{64}$/)
  if (txHash !== undefined) expect(paidBy).toBe(txHash)
  expectUncached(answer)
}

/** The transaction that a response says it was paid by. */
export function paymentOf({ body, headers }: RawResponse): Hex | undefined {
  const { payment } = JSON.parse(body)
  if (payment?.isValid === true) return payment.txHash
  const [receipt] = headers.get('x-payment-response') ?? headers.get('payment-response') ?? []
  const { success, transaction } = JSON.parse(Buffer.from(receipt ?? '', 'base64').toString())
  return success === true ? transaction : undefined
}

/** Neither a shared cache nor the payer's own may answer for the gate. */
export function expectUncached({ headers }: RawResponse): void {
  expect(headers.get('cache-control')).toEqual(['no-store'])
  const vary = (headers.get('vary') ?? []).join(',').toLowerCase().split(/ *, */)
  expect(vary).toEqual(expect.arrayContaining(['x-payment', 'payment-signature']))
}

/** Whoever pays what is asked is served, once. */
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
