import { expect, onTestFinished, test } from 'vitest'
import { LockstepError } from '../../../../host/base/error.ts'
import type { Hex } from '../../../../host/base/hex.ts'
import { yieldToEventLoop } from '../../../../host/base/yield-to-event-loop.ts'
import { parseSecret } from '../../../../host/evm/chain-types/account-key.ts'
import type { ClaimKey, ClaimRecord } from '../../../../host/payments/claim/claims.ts'
import { type RefundOptions, sendRefund } from '../../../../host/payments/settle/send-refund.ts'
import { wasmRecovery } from '../../../support/chain/wasm-recovery.ts'
import { claimFacts } from '../../../support/payments/claim-facts.ts'
import { folderClaimStore } from '../../../support/payments/claim-stores.ts'
import { ModelChain } from '../../../support/payments/model-chain.ts'

const KEY = parseSecret('44'.repeat(32))
const OTHER_KEY = parseSecret('55'.repeat(32))
const [SELLER, OTHER] = [KEY, OTHER_KEY].map(
  ({ address }): Hex => `0x${Buffer.from(address).toString('hex')}`,
) as [Hex, Hex]
const { asset: ASSET, payer: PAYER } = claimFacts()
const PAYMENT: ClaimKey = { chainId: 31_337n, kind: 'transfer', id: `0x${'11'.repeat(32)}` }

/** Makes a block whenever somebody waits for one. */
class EagerChain extends ModelChain {
  override async nextBlock(): Promise<void> {
    // Deadlines are timers, which need a turn of the event loop
    await yieldToEventLoop()
    await this.mine()
  }
}

/** Returns a chain, and the ledger with a delivered payment of 1000 units. */
async function fixture() {
  const store = await folderClaimStore()
  const claims = await store.claims()
  await claims.claim(PAYMENT, claimFacts())
  await claims.delivered(PAYMENT)
  await claims.close()
  const ledger = await store.ledger()
  onTestFinished(() => ledger.close())
  const chain = new EagerChain(ASSET)
  chain.balances.set(SELLER, 1_500n)
  const record = async () => (await ledger.find(PAYMENT.id))[0] as ClaimRecord
  const refund = async (changes: Partial<RefundOptions> = {}) =>
    sendRefund(await record(), {
      ...{ ledger, chain, recovery: wasmRecovery, key: KEY, deadlineMs: 10_000 },
      ...changes,
    })
  return { chain, ledger, record, refund }
}

async function failure(work: Promise<unknown>): Promise<LockstepError> {
  const error = await work.then(
    () => new Error('it succeeded'),
    (thrown: unknown) => thrown,
  )
  if (error instanceof LockstepError) return error
  throw error
}

test('a refund pays the payer, and a second one is refused with its transaction', async () => {
  const { chain, record, refund } = await fixture()
  const { refund: sent } = await refund()
  expect(chain.balances.get(PAYER)).toBe(1_000n)
  expect((await record()).refund).toEqual({ txHash: sent?.txHash, at: expect.any(Number) })
  const { code, message } = await failure(refund())
  expect([code, message]).toEqual([
    'REFUSED_ARGUMENT',
    `payment ${PAYMENT.id} has a refund already: ${sent?.txHash}`,
  ])
  expect(chain.sent).toBe(1)
})

test('of two refunds at the same time, by two accounts, one is sent', async () => {
  const { chain, refund } = await fixture()
  chain.balances.set(OTHER, 1_500n)
  const ends = await Promise.allSettled([refund(), refund({ key: OTHER_KEY })])
  expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(chain.balances.get(PAYER)).toBe(1_000n)
  expect(chain.sent).toBe(1)
})

test('a refund that was begun before a crash is sent again as the same transaction, without the key', async () => {
  const { chain, record, refund } = await fixture()
  const send = chain.send.bind(chain)
  chain.send = () => Promise.reject(new Error('killed'))
  await expect(refund()).rejects.toThrow('killed')
  const begun = (await record()).refund
  expect(begun?.raw).toMatch(/^0x02/)
  chain.send = send
  const { refund: sent } = await refund({ key: undefined })
  expect(sent?.txHash).toBe(begun?.txHash)
  expect(chain.balances.get(PAYER)).toBe(1_000n)
})

test('a refund whose answer was lost is found in its block', async () => {
  const { chain, refund } = await fixture()
  chain.losesAnswers = true
  await refund()
  expect([chain.sent, chain.balances.get(PAYER)]).toEqual([1, 1_000n])
})

test('a refund without a block in time says how to go on, and is not sent twice', async () => {
  const { chain, refund } = await fixture()
  chain.poolFault = 'the pool is full'
  const { code, message, hint } = await failure(refund({ deadlineMs: 0 }))
  expect([code, hint]).toEqual([
    'SYNC_TIMEOUT',
    'run the command again: it sends the same transaction',
  ])
  expect(message).toMatch(/^no block has the refund 0x[0-9a-f]{64} yet \(the pool is full\)$/)
  chain.poolFault = undefined
  await refund({ key: undefined })
  expect([chain.sent, chain.balances.get(PAYER)]).toEqual([1, 1_000n])
})

test('a refund whose nonce another transaction has taken is made anew only if the caller says so', async () => {
  const { chain, ledger, refund } = await fixture()
  chain.poolFault = 'the pool is full'
  await failure(refund({ deadlineMs: 0 }))
  chain.poolFault = undefined
  // The account refunds another payment in the meantime, with the same nonce
  const other: ClaimKey = { ...PAYMENT, id: `0x${'22'.repeat(32)}` }
  const stranger = {
    ...claimFacts(),
    key: other,
    state: 'delivered',
    isPaid: true,
    claimedAt: 0,
    amount: 1n,
  } as const
  const apart = {
    ...ledger,
    refund: () => stranger,
    endRefund: () => stranger,
  } as unknown as RefundOptions['ledger']
  await sendRefund(stranger, {
    ...{ ledger: apart, chain, recovery: wasmRecovery, key: KEY, deadlineMs: 10_000 },
  })
  const { code, message } = await failure(refund())
  expect([code, message]).toEqual([
    'REFUSED_ARGUMENT',
    expect.stringContaining(`another transaction of ${SELLER} has nonce 0`),
  ])
  expect(chain.balances.get(PAYER)).toBe(1n)
  await refund({ replaces: true })
  expect(chain.balances.get(PAYER)).toBe(1_001n)
})

test('a refund that reverted is no refund, and may be made again', async () => {
  const { chain, record, refund } = await fixture()
  const send = chain.send.bind(chain)
  chain.send = async (raw) => {
    chain.balances.set(SELLER, 0n)
    return send(raw)
  }
  const { code, message } = await failure(refund())
  expect([code, message]).toEqual([
    'TRANSACTION_FAILED',
    expect.stringMatching(/^the refund 0x[0-9a-f]{64} reverted: nothing was paid$/),
  ])
  expect((await record()).refund).toBeUndefined()
  chain.send = send
  chain.balances.set(SELLER, 1_000n)
  await refund()
  expect(chain.balances.get(PAYER)).toBe(1_000n)
})

test.each([
  ['without a key', { key: undefined }, 'no key is named to refund with'],
  ['by an account without the tokens', { key: OTHER_KEY }, `${OTHER} holds 0 of ${ASSET}`],
])('nothing is begun %s', async (_, changes, text) => {
  const { chain, record, refund } = await fixture()
  const { code, message } = await failure(refund(changes))
  expect([code, message]).toEqual(['REFUSED_ARGUMENT', expect.stringContaining(text)])
  expect([chain.sent, (await record()).refund]).toEqual([0, undefined])
})

test('nothing is begun without gas, on another chain, or for a payment that was not made', async () => {
  const { chain, ledger, record, refund } = await fixture()
  chain.wei = 5n
  expect((await failure(refund())).message).toContain(`${SELLER} has 5 wei, the gas may cost`)
  chain.wei = 10n ** 18n
  const options = { ledger, chain, recovery: wasmRecovery, key: KEY, deadlineMs: 10_000 }
  const unpaid = { ...(await record()), isPaid: false }
  expect((await failure(sendRefund(unpaid, options))).message).toContain(
    'there is nothing to refund',
  )
  const far = { ...(await record()), key: { ...PAYMENT, chainId: 1n } }
  expect((await failure(sendRefund(far, options))).message).toBe(
    'the payment is on chain 1, the node on chain 31337',
  )
  expect([chain.sent, (await record()).refund]).toEqual([0, undefined])
})

test('no error contains a digit of the key', async () => {
  const { chain, refund } = await fixture()
  chain.poolFault = 'no'
  const { message, hint } = await failure(refund({ deadlineMs: 0 }))
  expect(`${message}${hint}`).not.toContain('44'.repeat(4))
})
