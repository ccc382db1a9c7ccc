import { expect, test } from 'vitest'
import { openSignerDatabase } from '../../../../host/wallet/signer/signer-database.ts'
import { SpendingCharges } from '../../../../host/wallet/signer/spending-charges.ts'
import { makeRandom, runSeed } from '../../../support/random.ts'

const seed = runSeed()

test(`the running sums of spending windows equal the added charges for any amounts and times (seed ${seed})`, () => {
  const random = makeRandom(seed)
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
  const database = openSignerDatabase(':memory:')
  let charges = new SpendingCharges(database)
  const reference = new Map<string, { amount: bigint; at: number }>()
  const wallets = ['w1', 'w2']
  const windows = ['a', 'b']
  const slots = Array.from({ length: 12 }, (_, slot) => `${slot}`)
  let now = 1_000
  for (let step = 0; step < 5_000; step++) {
    now += random() < 0.02 ? -3 : Math.floor(random() * 4)
    const [wallet, window, slot] = [pick(wallets), pick(windows), pick(slots)]
    if (random() < 0.01) charges.forget()
    if (random() < 0.01) charges = new SpendingCharges(database)
    if (random() < 0.4) {
      const amount = BigInt(Math.floor(random() * 100)) << 200n
      charges.charge(wallet, slot, now, [{ window, amount }])
      const key = `${wallet} ${window} ${slot}`
      const before = reference.get(key)?.amount ?? 0n
      reference.set(key, { amount: before > amount ? before : amount, at: now })
    }
    const period = pick([5, 20, 60])
    let expected = 0n
    for (const [key, { amount, at }] of reference) {
      const isOther =
        key.startsWith(`${wallet} ${window} `) && key !== `${wallet} ${window} ${slot}`
      if (isOther && at > now - period) expected += amount
    }
    const spent = charges.reads(wallet, slot, now).spent(window, period)
    expect(spent, `step ${step}`).toBe(expected)
  }
  database.close()
})
