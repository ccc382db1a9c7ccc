import { expect } from 'vitest'
import type { ClaimKey, Claims } from '../../../host/payments/claim/claims.ts'
import { makeRandom } from '../random.ts'
import { claimFacts, claimKey, txHashOf } from './claim-facts.ts'
import { ClaimModel, claimOutcomeName } from './claim-model.ts'
import type { ClaimTestStore } from './claim-stores.ts'
import { collected } from './collected.ts'

const OPENED = 3
const KEYS = 60
const MAX_ATTEMPTS = 2

/** Compares random claims of several processes with a plain map. */
export async function compareWithModel(
  store: ClaimTestStore,
  seed: number,
  steps: number,
): Promise<void> {
  const random = makeRandom(seed)
  const below = (bound: number) => Math.floor(random() * bound)
  const model = new ClaimModel()
  const keys = new Map<string, ClaimKey>()
  const claims: Claims[] = []
  for (let owner = 0; owner < OPENED; owner++) claims.push(await store.claims())

  /** Makes one change by an owner, or several at once as concurrent requests do. */
  async function change(owner: number): Promise<void> {
    const own = claims[owner] as Claims
    const written: Promise<unknown>[] = []
    // A claim is ended by the owner that won it.
    const ended = model.heldBy(owner)
    for (let count = 1 + below(5); count > 0; count--) {
      const [name] = random() < 0.4 ? [] : ended.splice(below(ended.length), 1)
      if (name === undefined) {
        const key = claimKey(below(KEYS), random() < 0.5 ? 'transfer' : 'authorization')
        const request = random() < 0.8 ? 'GET /weather' : `GET /weather?${'long'.repeat(200)}`
        const facts = claimFacts({
          request,
          ...(random() < 0.1 && { body: txHashOf(1) }),
          resource: `/${Number(key.id) % 3}`,
          amount: BigInt(key.id),
        })
        keys.set(ClaimModel.nameOf(key), key)
        const expected = model.claim(owner, key, facts, MAX_ATTEMPTS)
        const known = model.claims.get(ClaimModel.nameOf(key))
        const record = {
          txHash: known?.txHash,
          state: known?.isSettled ? 'settled' : 'claimed',
        }
        written.push(
          own.claim(key, facts, MAX_ATTEMPTS).then((outcome) => {
            expect(claimOutcomeName(outcome)).toBe(expected)
            if (!outcome.won) return
            const { txHash, state } = outcome.record
            expect({ txHash, state }).toEqual(record)
          }),
        )
        continue
      }
      const key = keys.get(name) as ClaimKey
      const claim = model.claims.get(name) as NonNullable<ReturnType<typeof model.claims.get>>
      const what = random()
      if (key.kind === 'authorization' && what < 0.3) {
        const txHash = txHashOf(below(1e6))
        if (!claim.isSettled) claim.txHash = txHash
        written.push(own.settling(key, txHash))
      } else if (key.kind === 'authorization' && what < 0.6) {
        const txHash = txHashOf(below(1e6))
        if (!claim.isSettled) claim.txHash = txHash
        claim.isSettled = true
        written.push(own.settled(key, txHash))
      } else if (what < 0.85 || claim.isSettled) {
        claim.phase = 'delivered'
        written.push(own.delivered(key))
      } else if (what < 0.95) {
        model.fail(name)
        written.push(own.failed(key))
      } else {
        model.release(name)
        written.push(own.release(key))
      }
    }
    await Promise.all(written)
  }

  for (let step = 0; step < steps; step++) {
    const owner = below(OPENED)
    if (random() < 0.02) {
      await claims[owner]?.close()
      model.endOwner(owner)
      claims[owner] = await store.claims()
    } else {
      await change(owner)
    }
  }

  const ledger = await store.ledger()
  const records = await collected(ledger.payments({ isAscending: true }))
  expect(records.map(({ key }) => ClaimModel.nameOf(key)).sort()).toEqual(
    [...model.claims.keys()].sort(),
  )
  const earned = new Map<string, bigint>()
  for (const { key, isPaid, state, resource, amount } of records) {
    const claim = model.claims.get(ClaimModel.nameOf(key))
    expect(isPaid).toBe(key.kind === 'transfer' || claim?.isSettled)
    const kept = claim?.isSettled ? 'settled' : 'claimed'
    expect([claim?.phase, claim?.phase === 'released' ? kept : 'released']).toContain(
      state === 'claimed' || state === 'settled' ? 'released' : state,
    )
    if (isPaid) earned.set(resource, (earned.get(resource) ?? 0n) + amount)
  }
  for (const { resource, amount } of await ledger.revenue())
    expect(amount).toBe(earned.get(resource) ?? 0n)
  await ledger.close()
  for (const each of claims) await each.close()
}
