import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bigintToBytes, concatBytes } from '../../../../../host/base/bytes.ts'
import type { LockstepError } from '../../../../../host/base/error.ts'
import { hexDigits } from '../../../../../host/base/hex.ts'
import { Mempool } from '../../../../../host/chain/consensus/mempool/mempool.ts'
import { EMPTY_CODE_HASH, encodeAccount } from '../../../../../host/evm/state/account.ts'
import { encodeFrom, senderInR } from '../../../../support/engine/unsigned-sender.ts'

const SENDERS = 3
const GAS = 21_000n
const BASE_FEE = 10n
const QUEUED_PER_SENDER = 2

interface Held {
  readonly sender: number
  readonly nonce: bigint
  readonly cap: bigint
  readonly tip: bigint
  readonly value: bigint
  readonly arrival: number
}

/** The pool's rules without any index. */
class Model {
  held: Held[] = []
  readonly accounts = Array.from({ length: SENDERS }, () => ({ nonce: 0n, balance: 10_000_000n }))
  arrivals = 0

  account(sender: number): { nonce: bigint; balance: bigint } {
    return this.accounts[sender] as { nonce: bigint; balance: bigint }
  }

  of(sender: number): Held[] {
    return this.held.filter((t) => t.sender === sender).sort((a, b) => (a.nonce < b.nonce ? -1 : 1))
  }

  cost(t: Omit<Held, 'arrival'>): bigint {
    return GAS * t.cap + t.value
  }

  executable(sender: number): Held[] {
    const { nonce, balance } = this.account(sender)
    const mine = this.of(sender)
    let spent = 0n
    let count = 0
    for (const t of mine) {
      spent += this.cost(t)
      if (t.nonce !== nonce + BigInt(count) || spent > balance) break
      count++
    }
    return mine.slice(0, count)
  }

  /** Returns the first words of the refusal, or undefined if the transaction is accepted. */
  add(offer: Omit<Held, 'arrival'>): string | undefined {
    const { nonce, balance } = this.account(offer.sender)
    const mine = this.of(offer.sender)
    const old = mine.find((t) => t.nonce === offer.nonce)
    if (
      old !== undefined &&
      old.cap === offer.cap &&
      old.tip === offer.tip &&
      old.value === offer.value
    ) {
      return 'already known'
    }
    if (offer.tip > offer.cap) return 'max priority fee'
    if (offer.nonce < nonce) return 'nonce too low'
    const executable = this.executable(offer.sender)
    const isQueued = offer.nonce > nonce + BigInt(executable.length)
    const before = (isQueued ? mine : executable).filter((t) => t.nonce !== offer.nonce)
    const total = before.reduce((sum, t) => sum + this.cost(t), this.cost(offer))
    if (this.cost(offer) > balance || total > balance) return 'insufficient funds'
    const queued = mine.length - executable.length
    if (old === undefined && isQueued && queued >= QUEUED_PER_SENDER) return 'account limit'
    if (old !== undefined && (offer.cap * 10n < old.cap * 11n || offer.tip * 10n < old.tip * 11n)) {
      return 'replacement'
    }
    this.held = this.held.filter((t) => t !== old)
    this.held.push({ ...offer, arrival: this.arrivals++ })
    return undefined
  }

  advance(sender: number, nonce: bigint, balance: bigint): void {
    this.accounts[sender] = { nonce, balance }
    this.held = this.held.filter(
      (t) => t.sender !== sender || (t.nonce >= nonce && this.cost(t) <= balance),
    )
  }

  /** Returns the senders' next transactions by tip, highest first. Of equal tips the earlier arrival comes first. */
  order(baseFee: bigint): Held[] {
    const lanes = Array.from({ length: SENDERS }, (_, sender) => this.executable(sender))
    const order: Held[] = []
    const tip = (t: Held) => {
      const headroom = t.cap - baseFee
      if (headroom < t.tip) return headroom
      return t.tip
    }
    for (;;) {
      const heads = lanes.flatMap((lane) => (lane[0] && lane[0].cap >= baseFee ? [lane[0]] : []))
      const best = heads.sort((a, b) =>
        tip(a) === tip(b) ? a.arrival - b.arrival : tip(a) > tip(b) ? -1 : 1,
      )[0]
      if (best === undefined) return order
      order.push(best)
      lanes[best.sender]?.shift()
    }
  }
}

const add = fc.record({
  kind: fc.constant('add' as const),
  sender: fc.nat(SENDERS - 1),
  nonce: fc.bigInt({ min: 0n, max: 6n }),
  cap: fc.bigInt({ min: 10n, max: 60n }),
  tip: fc.bigInt({ min: 1n, max: 62n }),
  value: fc.constantFrom(0n, 1n, 5_000_000n),
})
const advance = fc.record({
  kind: fc.constant('advance' as const),
  sender: fc.nat(SENDERS - 1),
  passed: fc.bigInt({ min: 0n, max: 3n }),
  balance: fc.constantFrom(0n, 500_000n, 3_000_000n, 10_000_000n),
})
const step = fc.oneof({ weight: 5, arbitrary: add }, { weight: 1, arbitrary: advance })

const senderAddress = (sender: number) => bigintToBytes(BigInt(sender + 1), 20)
const key = (sender: number, nonce: bigint, value: bigint, cap: bigint) =>
  `${sender}/${nonce}/${value}/${cap}`

describe('the mempool', () => {
  test('holds, orders and refuses transactions by its rules, for any sequence of events', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 60 }),
        fc.bigInt({ min: 10n, max: 50n }),
        async (steps, baseFee) => {
          const model = new Model()
          const record = (sender: number) =>
            encodeAccount({ ...model.account(sender), codeHash: EMPTY_CODE_HASH })
          const view = {
            account: (who: Uint8Array) => record(Number(BigInt(`0x${hexDigits(who)}`)) - 1),
          }
          const pool = new Mempool({
            rules: {
              chainId: 1329n,
              revision: 'Prague',
              maxGas: 1_000_000n,
              minBaseFee: 1n,
              minTip: 0n,
              maxTransactionBytes: 1000,
              allowUnprotected: false,
            },
            limits: {
              maxTransactions: 1000,
              maxBytes: 1_000_000,
              accountSlots: 16,
              accountQueue: QUEUED_PER_SENDER,
              globalQueue: 1000,
              priceBump: 10,
              lifetime: 0,
              ttlDuration: 0,
              ttlBlocks: 0,
            },
            recovery: senderInR,
            journal: undefined,
            clock: () => 0,
          })
          pool.advance({ height: 0, baseFee: BASE_FEE, view }, new Uint8Array())

          let height = 0
          for (const event of steps) {
            if (event.kind === 'add') {
              const { sender, nonce, cap, tip, value } = event
              const raw = encodeFrom(senderAddress(sender), {
                nonce,
                value,
                maxFeePerGas: cap,
                maxPriorityFeePerGas: tip,
              })
              const refusal = model.add(event)
              let text: string | undefined
              try {
                await pool.add(raw)
              } catch (error) {
                text = (error as LockstepError).message
              }
              if (refusal === undefined) expect(text).toBeUndefined()
              else expect(text).toMatch(new RegExp(`^${refusal}`))
            } else {
              const account = model.account(event.sender)
              model.advance(event.sender, account.nonce + event.passed, event.balance)
              height++
              pool.advance(
                { height, baseFee: BASE_FEE, view },
                concatBytes([senderAddress(event.sender), record(event.sender)]),
              )
            }
            expect(pool.size).toBe(model.held.length)
            for (let sender = 0; sender < SENDERS; sender++) {
              const { nonce } = model.account(sender)
              const executable = BigInt(model.executable(sender).length)
              expect(pool.nextNonce(senderAddress(sender))).toBe(nonce + executable)
            }
          }
          const order = pool.candidates(baseFee)
          const taken: string[] = []
          for (let best = order.peek(); best !== undefined; best = order.peek()) {
            const { from, nonce, value, maxFeePerGas } = best
            taken.push(key((from[19] as number) - 1, nonce, value, maxFeePerGas))
            order.take()
          }
          expect(taken).toEqual(
            model.order(baseFee).map((t) => key(t.sender, t.nonce, t.value, t.cap)),
          )
        },
      ),
      { numRuns: 300 },
    )
  })
})
