import { expect, test } from 'vitest'
import type { Hex } from '../../../../host/base/hex.ts'
import type { PaymentLog } from '../../../../host/payments/chain/payment-chain.ts'
import { AUTHORIZATION_USED, addressTopic } from '../../../../host/payments/chain/token-log.ts'
import { DEFAULT_TIMES } from '../../../../host/payments/gate/open-payment-gate.ts'
import type { InvalidReason } from '../../../../host/payments/protocol/invalid-reason.ts'
import {
  admission,
  gateFixture,
  PAY_TO,
  PAYER,
  PAYMENT,
  refusal,
  TOKEN,
  transferProof,
  WEATHER,
} from '../../../support/payments/gate-fixture.ts'
import { transferLog } from '../../../support/payments/memory-payment-chain.ts'

const LOOKALIKE: Hex = `0x${'40'.repeat(20)}`
const STRANGER: Hex = `0x${'57'.repeat(20)}`
const PAID = transferLog(PAYMENT)

const approval: PaymentLog = {
  ...PAID,
  topics: [`0x${'8c'.repeat(32)}`, ...PAID.topics.slice(1)],
}
const authorized: PaymentLog = {
  address: TOKEN,
  topics: [AUTHORIZATION_USED, addressTopic(PAYER), `0x${'5e'.repeat(32)}`],
  data: '0x',
}

async function shown(logs: readonly PaymentLog[], facts: object = {}, payload: object = {}) {
  const { ask, chain } = gateFixture()
  await ask()
  const txHash = chain.mine(logs, facts)
  return ask({ headers: { 'x-payment': transferProof(txHash, payload) } })
}

test.each<[string, readonly PaymentLog[]]>([
  ['the transfer alone', [PAID]],
  ['other transfers of the token', [transferLog({ ...PAYMENT, to: STRANGER }), PAID]],
  ['a change to the payer', [PAID, transferLog({ ...PAYMENT, from: PAY_TO, to: PAYER })]],
  ['another amount to payTo', [PAID, transferLog({ ...PAYMENT, amount: 1n })]],
  ["a lookalike's beside it", [PAID, transferLog({ ...PAYMENT, asset: LOOKALIKE })]],
  ['an approval', [approval, PAID]],
  ["another payer's", [PAID, transferLog({ ...PAYMENT, from: STRANGER })]],
  [
    "another payer's authorization",
    [{ ...authorized, topics: [AUTHORIZATION_USED, addressTopic(STRANGER)] }, PAID],
  ],
  ["an authorization of a lookalike's", [{ ...authorized, address: LOOKALIKE }, PAID]],
])('a transaction with %s is a valid payment', async (_, logs) => {
  admission(await shown(logs))
})

test.each<[string, readonly PaymentLog[], InvalidReason]>([
  ['no log', [], 'transfer_missing'],
  ['another asset', [transferLog({ ...PAYMENT, asset: LOOKALIKE })], 'transfer_missing'],
  ['another payee', [transferLog({ ...PAYMENT, to: STRANGER })], 'transfer_missing'],
  ['another payer', [transferLog({ ...PAYMENT, from: STRANGER })], 'transfer_missing'],
  ['less', [transferLog({ ...PAYMENT, amount: 999n })], 'transfer_missing'],
  ['more', [transferLog({ ...PAYMENT, amount: 1_001n })], 'transfer_missing'],
  ['nothing', [transferLog({ ...PAYMENT, amount: 0n })], 'transfer_missing'],
  [
    'the price in two parts',
    [transferLog({ ...PAYMENT, amount: 500n }), transferLog({ ...PAYMENT, amount: 500n })],
    'transfer_missing',
  ],
  ['an approval', [approval], 'transfer_missing'],
  [
    'a topic more (ERC-721)',
    [{ ...PAID, topics: [...PAID.topics, addressTopic(PAYER)] }],
    'transfer_missing',
  ],
  [
    'the amount in front of more data',
    [{ ...PAID, data: `${PAID.data}00` as Hex }],
    'transfer_missing',
  ],
  ['no data', [{ ...PAID, data: '0x' }], 'transfer_missing'],
  ['two such transfers', [PAID, PAID], 'transfer_ambiguous'],
  ['an authorization carried out', [authorized, PAID], 'transfer_by_authorization'],
  ['two of them', [authorized, PAID, authorized, PAID], 'transfer_by_authorization'],
])('a transaction with %s is not a payment', async (_, logs, reason) => {
  expect(refusal(await shown(logs)).reason).toBe(reason)
})

test('a transaction that reverted is not a payment, whatever its logs say', async () => {
  const answer = refusal(await shown([PAID], { succeeded: false }))
  expect(answer.reason).toBe('invalid_transaction_state')
})

test('a proof of the amount differs from the price is invalid, even if the chain has it', async () => {
  const { ask, chain } = gateFixture()
  await ask()
  const txHash = chain.mine([transferLog({ ...PAYMENT, amount: 999n })])
  const headers = { 'x-payment': transferProof(txHash, { amount: '999' }) }
  const answer = refusal(await ask({ headers }))
  expect(answer.reason).toBe('amount_mismatch')
  expect(JSON.parse(answer.body).detail).toBe('payload.amount is 999: the price is 1000')
  expect(chain.asked).toEqual([])
})

test.each([
  ['30 s before the first challenge', -30n, 'admitted'],
  ['31 s before it', -31n, 'payment_outside_window'],
  ['300 s after the last', 300n, 'admitted'],
  ['301 s after it', 301n, 'payment_outside_window'],
])('a payment %s is %s', async (_, shift, expected) => {
  const { ask, pay, chain } = gateFixture()
  await ask()
  const blockTime = chain.time + shift
  chain.time += 310n
  const headers = { 'x-payment': transferProof(pay({}, { blockTime })) }
  const answer = await ask({ headers })
  expect(answer.kind === 'admitted' ? 'admitted' : answer.reason).toBe(expected)
})

test('an old transfer that was made without a challenge is not a payment', async () => {
  const { ask, pay } = gateFixture()
  expect(refusal(await ask({ headers: { 'x-payment': transferProof(pay()) } })).reason).toBe(
    'payment_outside_window',
  )
})

test("a challenge of another resource does not start a payment's validity", async () => {
  const { ask, pay } = gateFixture()
  await ask({}, { ...WEATHER, path: '/other' })
  expect(refusal(await ask({ headers: { 'x-payment': transferProof(pay()) } })).reason).toBe(
    'payment_outside_window',
  )
})

test('the amount of one resource does not pay for another', async () => {
  const { ask, pay } = gateFixture()
  const dear = { ...WEATHER, path: '/dear', terms: { ...WEATHER.terms, amount: 2_000n } }
  await ask({}, dear)
  const txHash = pay()
  const claimed = { headers: { 'x-payment': transferProof(txHash, { amount: '2000' }) } }
  expect(refusal(await ask(claimed, dear)).reason).toBe('transfer_missing')
  const honest = { headers: { 'x-payment': transferProof(txHash) } }
  expect(refusal(await ask(honest, dear)).reason).toBe('amount_mismatch')
})

test.each([
  [3_600n, 'admitted'],
  [3_601n, 'payment_expired'],
])('a payment shown %d s after its block is %s', async (age, expected) => {
  const { ask, pay, chain } = gateFixture()
  await ask()
  const headers = { 'x-payment': transferProof(pay()) }
  chain.time += age
  const answer = await ask({ headers })
  expect(answer.kind === 'admitted' ? 'admitted' : answer.reason).toBe(expected)
})

test.each<[string, object, bigint, string]>([
  [
    'no block has',
    { txHash: `0x${'99'.repeat(32)}` },
    0n,
    `no block has 0x${'99'.repeat(32)}: send the proof again when one does`,
  ],
  [
    'pays for something else',
    { from: STRANGER },
    0n,
    `0x${'1'.padStart(64, '0')} has no Transfer of 1000 of the token ${TOKEN} from ${STRANGER} to ${PAY_TO}`,
  ],
  ['is old', {}, 3_700n, 'the payment is 3700 s old: use one within 3600 s'],
])(
  'a refusal explains what is wrong with a transaction that %s',
  async (_, payload, age, detail) => {
    const { ask, pay, chain } = gateFixture({ times: { ...DEFAULT_TIMES, receiptDeadline: 1 } })
    await ask()
    const headers = { 'x-payment': transferProof(pay(), payload) }
    chain.time += age
    expect(JSON.parse(refusal(await ask({ headers })).body).detail).toBe(detail)
  },
)
