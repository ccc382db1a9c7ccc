import { afterAll, beforeAll, expect, test } from 'vitest'
import { wrapFetchWithPayment } from '../../../../host/payments/client/fetch.ts'
import { PaymentError } from '../../../../host/payments/client/payment-error.ts'
import { memoryPayments } from '../../../../host/payments/client/payment-store.ts'
import { makeRandom, runSeed } from '../../../support/random.ts'
import { type Sales, sellHonestly } from './honest-seller.ts'
import { Interruptions } from './interruptions.ts'
import { ScriptedChain, scriptedWallet } from './scripted-chain.ts'
import { openSeller, type ScriptedSeller } from './scripted-seller.ts'

const SEED = runSeed()
const RUNS = 40
const RATE = 0.08

let seller: ScriptedSeller
beforeAll(async () => {
  seller = await openSeller()
})
afterAll(() => seller.close())

/** Returns the payments that moved money, as transfer hashes and authorization nonces. */
function moved(chain: ScriptedChain): Set<string> {
  return new Set([...chain.transfers.map(({ hash }) => hash), ...chain.authorized])
}

const KINDS = [
  ['transfers of a wallet with a key', 'local', 'transfer'],
  ['transfers of a wallet elsewhere', 'json-rpc', 'transfer'],
  ['authorizations', 'local', 'authorization'],
] as const

test.each(KINDS)(
  `for %s, every payment that moved was delivered, wherever the program was interrupted (seed ${SEED})`,
  async (_, wallet, way) => {
    const random = makeRandom(SEED)
    let interrupted = 0
    let lost = 0
    let repeated = 0
    for (let run = 0; run < RUNS; run++) {
      const chain = new ScriptedChain()
      const sales: Sales = sellHonestly(seller, chain, way)
      const interruptions = new Interruptions(random, RATE)
      const kept = memoryPayments()
      const payments = interruptions.store(kept)
      interruptions.interruptNode(chain)
      const start = () =>
        wrapFetchWithPayment(interruptions.fetch, scriptedWallet(chain, wallet), {
          payments,
          pollingInterval: 1,
        })
      const url = `${seller.url}/weather?run=${run}`
      let request = ''
      let isDone = false
      let pay = start()
      for (let attempt = 0; !isDone; attempt++) {
        expect(attempt, `run ${run} goes on for ever`).toBeLessThan(300)
        if (random() < 0.1) sales.failsNext = true
        try {
          await interruptions.run(() => pay(url))
          isDone = true
        } catch (error) {
          interrupted++
          const payment = error instanceof PaymentError ? error.payment : undefined
          request = payment?.request ?? request
          // The seller has given its response, which the network lost.
          isDone = error instanceof PaymentError && error.code === 'PAYMENT_REFUSED'
          if (isDone) lost++
          // A user retries, possibly with a restarted program.
          if (random() < 0.5 || !(error instanceof PaymentError)) pay = start()
        }
        const due = [...moved(chain)].filter((one) => !sales.delivered.has(one))
        expect(due.length, `run ${run}: paid and not delivered`).toBeLessThanOrEqual(1)
        if (due.length > 0 && request !== '') expect(await kept.list(request)).toHaveLength(1)
      }
      expect([...moved(chain)], `run ${run}`).toEqual([...sales.delivered])
      // A response after the end of the program is requested, and paid, again.
      const most = 1 + interruptions.lostResponses
      expect(sales.delivered.size, `run ${run}: paid twice`).toBeLessThanOrEqual(most)
      repeated += sales.delivered.size - 1
    }
    // The test is meaningful only if many requests were interrupted.
    expect(interrupted).toBeGreaterThan(RUNS / 2)
    expect(lost).toBeLessThan(RUNS)
    expect(repeated).toBeLessThan(RUNS / 4)
  },
)
