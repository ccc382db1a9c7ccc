import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Hex } from '../../../../host/base/hex.ts'
import type { Admission } from '../../../../host/payments/gate/payment-gate.ts'
import {
  admission,
  gateFixture,
  PAY_TO,
  PAYER,
  PAYMENT,
  transferProof,
  WEATHER,
} from '../../../support/payments/gate-fixture.ts'
import { transferLog } from '../../../support/payments/memory-payment-chain.ts'
import { runSeed } from '../../../support/random.ts'

const SEED = runSeed()
const DEAR = { ...WEATHER, path: '/dear', terms: { ...WEATHER.terms, amount: 2_000n } }
const RESOURCES = [WEATHER, DEAR]

type Step =
  | { readonly kind: 'challenge'; readonly resource: number }
  | {
      readonly kind: 'pay'
      readonly amount: bigint
      readonly to: Hex
      readonly succeeded: boolean
      readonly times: number
    }
  | {
      readonly kind: 'show'
      readonly resource: number
      readonly transaction: number
      readonly amount: bigint
      readonly query: string
      readonly isServed: boolean
    }
  | { readonly kind: 'time'; readonly seconds: bigint }

const amount = fc.constantFrom(1_000n, 1_000n, 2_000n, 999n)
const resource = fc.nat({ max: 1 })
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('challenge' as const), resource }),
  fc.record({
    kind: fc.constant('pay' as const),
    amount,
    to: fc.constantFrom(PAY_TO, PAY_TO, PAY_TO, PAYER),
    succeeded: fc.constantFrom(true, true, true, false),
    times: fc.constantFrom(1, 1, 1, 2),
  }),
  fc.record({
    kind: fc.constant('show' as const),
    resource,
    transaction: fc.nat({ max: 5 }),
    amount,
    query: fc.constantFrom('', '?a', '?b'),
    isServed: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('time' as const),
    seconds: fc.constantFrom(1n, 29n, 250n, 400n, 4_000n),
  }),
)

interface Paid {
  readonly hash: Hex
  readonly amount: bigint
  /** True if the gate must accept it: one transfer of the amount to payTo that did not revert. */
  readonly isRight: boolean
  readonly time: bigint
  /** Request that claimed it, while it is served or after a failed attempt. */
  request?: string
  isSpent: boolean
}

/** Reference implementation of the rules: returns whether a request is admitted. */
class Model {
  readonly issued = new Map<string, bigint[]>()
  readonly paid: Paid[] = []

  admits(path: string, price: bigint, named: bigint, request: string, tx: Paid, now: bigint) {
    const isAsked = (this.issued.get(path) ?? []).some(
      (issued) => tx.time >= issued - 30n && tx.time <= issued + 300n,
    )
    return (
      tx.isRight &&
      named === price &&
      tx.amount === price &&
      isAsked &&
      now - tx.time <= 3_600n &&
      !tx.isSpent &&
      (tx.request === undefined || tx.request === request)
    )
  }
}

test(`nothing is served unpaid or twice, and no valid payment is refused, in any order of events (seed ${SEED})`, async () => {
  let admitted = 0
  const run = async (steps: readonly Step[]) => {
    const { ask, chain } = gateFixture()
    const model = new Model()
    const issue = (path: string) => {
      model.issued.set(path, [...(model.issued.get(path) ?? []), chain.time])
    }
    for (const done of steps) {
      if (done.kind === 'time') chain.time += done.seconds
      else if (done.kind === 'challenge') {
        const sold = RESOURCES[done.resource] as typeof WEATHER
        await ask({}, sold)
        issue(sold.path)
      } else if (done.kind === 'pay') {
        const log = transferLog({ ...PAYMENT, amount: done.amount, to: done.to })
        const hash = chain.mine(Array(done.times).fill(log), { succeeded: done.succeeded })
        const isRight = done.succeeded && done.to === PAY_TO && done.times === 1
        model.paid.push({ hash, amount: done.amount, isRight, time: chain.time, isSpent: false })
      } else {
        const tx = model.paid[done.transaction]
        if (tx === undefined) continue
        const sold = RESOURCES[done.resource] as typeof WEATHER
        const { path, terms } = sold
        const request = `${path}${done.query}`
        const expected = model.admits(path, terms.amount, done.amount, request, tx, chain.time)
        const headers = { 'x-payment': transferProof(tx.hash, { amount: `${done.amount}` }) }
        const url = `http://127.0.0.1:8402${request}`
        // Shown in four concurrent requests, of which at most one is admitted.
        const answers = await Promise.all([0, 1, 2, 3].map(() => ask({ url, headers }, sold)))
        const served = answers.filter((answer) => answer.kind === 'admitted')
        expect(served.length).toBe(expected ? 1 : 0)
        // Each refusal is also a challenge.
        issue(path)
        if (!expected) continue
        admitted++
        tx.request = request
        const won = admission(served[0] as Admission)
        expect(won.payment.txHash).toBe(tx.hash)
        await (done.isServed ? won.delivered() : won.failed())
        tx.isSpent = done.isServed
      }
    }
  }
  const steps = fc.array(step, { minLength: 20, maxLength: 60 })
  await fc.assert(fc.asyncProperty(steps, run), { seed: SEED, numRuns: 60 })
  expect(admitted).toBeGreaterThan(0)
})
