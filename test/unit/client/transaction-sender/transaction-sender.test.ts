import { beforeEach, describe, expect, test } from 'vitest'
import type { Hex } from '../../../../host/base/hex.ts'
import { isBroadcastUndecided } from '../../../../host/client/transaction-sender/broadcast-answer.ts'
import { TransactionSender } from '../../../../host/client/transaction-sender/transaction-sender.ts'
import { DurableSenderStore } from '../../../support/client/durable-sender-store.ts'
import { SenderChain } from '../../../support/client/sender-chain.ts'
import { makeRandom, runSeed } from '../../../support/random.ts'
import { until } from '../../../support/until.ts'

const ADDRESS: Hex = `0x${'aa'.repeat(20)}`

const turn = () => new Promise(setImmediate)

/** A process that sends transactions, until it is killed. */
class SendingProcess {
  readonly sender: TransactionSender<Hex>
  readonly #chain: SenderChain
  readonly #store: DurableSenderStore
  readonly #pause: () => Promise<void>
  #isDead = false

  constructor(
    chain: SenderChain,
    store: DurableSenderStore,
    pause: () => Promise<void> = async () => {},
    giveUpMs = Number.POSITIVE_INFINITY,
  ) {
    this.#chain = chain
    this.#store = store
    this.#pause = pause
    this.sender = new TransactionSender<Hex>({
      address: ADDRESS,
      node: {
        nonce: (address, at) => this.#live(() => chain.nonce(address, at)),
        send: (raw) => this.#live(() => chain.send(raw)),
        includedTransaction: (hash) => this.#live(() => chain.includedTransaction(hash)),
        knows: (hash) => this.#live(() => chain.knows(hash)),
      },
      store: {
        waiting: (limit) => store.waiting(limit),
        waitingAt: (nonce) => store.waitingAt(nonce),
        attempts: (id) => [...store.attempts(id)],
        attemptsAt: (nonce) => store.attemptsAt(nonce),
        executedUpTo: () => store.executedUpTo(),
        accepted: (id) => this.#live(() => store.accepted(id)),
        included: (id) => this.#live(() => store.included(id)),
        missed: (id, count) => this.#live(() => store.missed(id, count)),
        ended: (id, end) => this.#live(() => store.ended(id, end)),
      },
      policy: {
        trustMs: 0,
        trustsWhenIdle: false,
        giveUpMs,
        endsIfFull: false,
        now: () => 1_000,
        followRemovals: async () => {},
      },
      used: store.waiting(Number.MAX_SAFE_INTEGER).map(({ nonce }) => nonce),
    })
    store.onNonce = (nonce, isUsed) => {
      if (isUsed) this.sender.use(nonce)
      else this.sender.release(nonce)
    }
  }

  /** Nothing of this process runs on. */
  kill(): void {
    this.#isDead = true
  }

  submit(id: string, nonce?: number) {
    const make = async (assigned: number) => {
      const attempt = this.#sign(id, assigned, 100)
      await this.#live(() => this.#store.add(id, assigned, attempt))
      return attempt
    }
    return this.sender.submit(id, make, nonce)
  }

  /** Sends a transaction after all earlier ones were accepted, as a wallet that cannot fill gaps does. */
  submitAlone(id: string) {
    return this.sender.runExclusive(async () => {
      for (const row of this.#store.waiting(1_000).filter(({ isAccepted }) => !isAccepted)) {
        const answer = await this.sender.rebroadcast(row.id, row.nonce)
        if (answer !== undefined && isBroadcastUndecided(answer)) throw new Error('not yet')
      }
      return this.submit(id)
    })
  }

  async replace(id: string): Promise<void> {
    const row = this.#store.rows.get(id)
    if (row === undefined) return
    const make = async () => {
      if (row.outcome !== 'waiting') throw new Error('it waits no more')
      const attempt = this.#sign(id, row.nonce, 100 + 20 * row.attempts.length)
      await this.#live(() => this.#store.add(id, row.nonce, attempt))
      return attempt
    }
    const remove = () => this.#live(() => this.#store.removeLast(id))
    await this.sender.replace(id, make, remove)
  }

  /** Does what follows a block: transactions whose block was removed wait again, and gaps are filled. */
  async follow(filler: () => string): Promise<void> {
    for (const { id, outcome, attempts } of [...this.#store.rows.values()]) {
      if (outcome !== 'included') continue
      const found = await Promise.all(
        attempts.map(({ hash }) => this.#live(() => this.#chain.includedTransaction(hash))),
      )
      if (found.every((each) => each === undefined))
        await this.#live(() => this.#store.returned(id))
    }
    await this.sender.check()
    for (const nonce of this.sender.nonces.gaps(64)) {
      if (!this.sender.nonces.has(nonce)) await this.submit(filler(), nonce)
    }
  }

  #sign(id: string, nonce: number, fee: number) {
    const { raw } = this.#chain.sign(id, nonce, fee)
    return { hash: raw, raw }
  }

  async #live<T>(work: () => Promise<T>): Promise<T> {
    await this.#pause()
    if (this.#isDead) return new Promise(() => {})
    const result = await work()
    await this.#pause()
    return this.#isDead ? new Promise(() => {}) : result
  }
}

describe('the transaction sender', () => {
  let chain: SenderChain
  let store: DurableSenderStore
  let sending: SendingProcess

  beforeEach(() => {
    chain = new SenderChain()
    store = new DurableSenderStore()
    sending = new SendingProcess(chain, store)
  })

  const outcome = (id: string) => store.rows.get(id)?.outcome
  const fault = (kind: 'refused' | 'unclear' | 'full' | 'no answer', isTaken = false) => {
    chain.fault = () => ({ kind, isTaken })
  }
  const noFault = () => {
    chain.fault = () => undefined
  }

  test('signs concurrently, and broadcasts in the order of the nonces', async () => {
    await Promise.all(['a', 'b', 'c'].map((id) => sending.submit(id)))
    expect(chain.sent.map(({ id, nonce }) => [id, nonce])).toEqual([
      ['a', 0],
      ['b', 1],
      ['c', 2],
    ])
  })

  test('gives the nonce of a refused transaction to the next', async () => {
    fault('refused')
    expect((await sending.submit('a')).answer.kind).toBe('refused')
    expect(outcome('a')).toBe('refused')
    noFault()
    await sending.submit('b')
    expect(chain.pool.get(0)?.id).toBe('b')
  })

  test('keeps a nonce whose transaction the node may have, and never sends it with another', async () => {
    fault('no answer', true)
    await sending.submit('a')
    noFault()
    await sending.submit('b')
    chain.mine()
    await sending.sender.check()
    expect([outcome('a'), outcome('b')]).toEqual(['included', 'included'])
    expect(chain.executed.map(({ id }) => id)).toEqual(['a', 'b'])
  })

  test.each(['unclear', 'full', 'no answer'] as const)(
    'sends a transaction at each check until a node accepts it, if the first answer was: %s',
    async (kind) => {
      fault(kind)
      await sending.submit('a')
      await sending.sender.check()
      await sending.sender.check()
      expect(outcome('a')).toBe('waiting')
      expect(chain.sent.length).toBe(3)
      noFault()
      await sending.sender.check()
      await sending.sender.check()
      expect(chain.pool.get(0)?.id).toBe('a')
    },
  )

  test('ends a transaction that no node has accepted once a node refuses it and does not know it', async () => {
    fault('no answer')
    await sending.submit('a')
    fault('refused')
    await sending.sender.check()
    expect(outcome('a')).toBe('refused')
    expect(await sending.sender.nextNonce()).toBe(0)
  })

  test('sends an attempt that was refused no more, also while it is being removed', async () => {
    await sending.submit('a')
    chain.pool.clear()
    let isRemoved: () => void = () => {}
    store.pause = () => new Promise((resolve) => (isRemoved = resolve))
    fault('refused')
    const replaced = sending.replace('a')
    await until(() => store.waiting(1)[0]?.attempts.length === 1)
    isRemoved()
    await until(() => chain.sent.length === 2)
    await turn()
    noFault()
    const checked = sending.sender.check().then(() => sending.sender.check())
    await turn()
    store.pause = async () => {}
    isRemoved()
    await Promise.all([replaced, checked])
    expect(chain.sent.map(({ fee }) => fee)).toEqual([100, 120])
    await sending.sender.check()
    await sending.sender.check()
    expect(chain.pool.get(0)?.fee).toBe(100)
  })

  test('keeps a refused transaction that the node knows', async () => {
    fault('no answer', true)
    await sending.submit('a')
    fault('refused')
    await sending.sender.check()
    noFault()
    expect(outcome('a')).toBe('waiting')
    chain.mine()
    await sending.sender.check()
    expect(outcome('a')).toBe('included')
  })

  test('keeps a transaction whose replacement is refused, if the node took it without an answer', async () => {
    fault('no answer', true)
    await sending.submit('a')
    fault('unclear')
    await sending.replace('a')
    fault('refused')
    await sending.sender.check()
    noFault()
    expect(outcome('a')).toBe('waiting')
    chain.mine()
    await sending.sender.check()
    expect(outcome('a')).toBe('included')
  })

  test('keeps a refused transaction that a node has accepted before: another pool may have it', async () => {
    await sending.submit('a')
    chain.pool.clear()
    fault('refused')
    for (let n = 0; n < 8; n++) await sending.sender.check()
    expect(outcome('a')).toBe('waiting')
  })

  test('gives up on errors of the node only after the time that its policy allows', async () => {
    fault('unclear')
    await sending.submit('a')
    await sending.sender.check()
    expect(outcome('a')).toBe('waiting')
    sending = new SendingProcess(chain, store, undefined, 999)
    await sending.sender.check()
    expect(outcome('a')).toBe('unanswered')
  })

  test('looks the lowest nonce up even if the node reports it as unused', async () => {
    await sending.submit('a')
    chain.mine()
    chain.lag = () => 1
    await sending.sender.check()
    expect(outcome('a')).toBe('included')
    // The same node does not get that nonce again.
    expect(await sending.sender.nextNonce()).toBe(1)
  })

  test('reports a transaction as replaced after three successive checks, not before', async () => {
    await sending.submit('a')
    chain.pool.set(0, chain.sign(undefined, 0, 1_000))
    chain.mine()
    const { check } = sending.sender
    await check.call(sending.sender)
    await check.call(sending.sender)
    expect(outcome('a')).toBe('waiting')
    chain.reorganize(1, false)
    await check.call(sending.sender)
    expect(store.rows.get('a')?.missed).toBe(0)
    chain.mine()
    for (const expected of ['waiting', 'waiting', 'replaced']) {
      await check.call(sending.sender)
      expect(outcome('a')).toBe(expected)
    }
  })

  test('reports a transaction as displaced if the pool has another with its nonce', async () => {
    await sending.submit('a')
    chain.pool.set(1, chain.sign(undefined, 1, 1_000))
    await sending.submit('b', 1)
    expect(outcome('b')).toBe('displaced')
    expect(sending.sender.nonces.countForeign()).toBe(1)
    await sending.submit('c')
    expect(chain.pool.get(2)?.id).toBe('c')
  })

  test('sends accepted transactions at checks 2, 4, 8, 16 and then every 16, and all if the pool lost the lowest', async () => {
    await sending.submit('a')
    await sending.submit('b')
    const sentAt: number[] = []
    for (let check = 1; check <= 48; check++) {
      const before = chain.sent.length
      await sending.sender.check()
      if (chain.sent.length > before) sentAt.push(check)
    }
    expect(sentAt).toEqual([2, 4, 8, 16, 32, 48])
    expect(chain.sent.filter(({ id }) => id === 'b').length).toBe(1)
    chain.pool.clear()
    for (let check = 49; check <= 64; check++) await sending.sender.check()
    expect([...chain.pool.values()].map(({ id }) => id)).toEqual(['a', 'b'])
  })

  test('ends transactions above a nonce that a rollback freed, and sends the others again at once', async () => {
    for (const id of ['a', 'b', 'c']) await sending.submit(id)
    await sending.submit('e', 5)
    chain.pool.clear()
    await sending.sender.followRollback()
    expect(['a', 'b', 'c', 'e'].map(outcome)).toEqual(['waiting', 'waiting', 'waiting', 'stranded'])
    expect([...chain.pool.keys()]).toEqual([0, 1, 2])
  })

  test('ignores an answer about nonces that arrives after that to a later question', async () => {
    const waiting: (() => void)[] = []
    chain.pause = () => new Promise((resolve) => waiting.push(resolve))
    const early = sending.sender.check()
    await until(() => waiting.length === 2)
    const [first, second] = waiting.splice(0)
    chain.pause = async () => {}
    chain.pool.set(0, chain.sign(undefined, 0, 100))
    expect(await sending.sender.nextNonce()).toBe(1)
    chain.pool.clear()
    first?.()
    second?.()
    await early
    expect(sending.sender.nonces.next()).toBe(1)
  })

  test('a node that reports an absurd nonce costs no time', async () => {
    chain.nonce = async () => 2 ** 52
    expect(await sending.sender.nextNonce()).toBe(2 ** 52)
    expect(sending.sender.nonces.countForeign()).toBe(0)
    expect(sending.sender.nonces.gaps(64)).toEqual([])
  })
})

describe('whatever happens, the transaction sender executes everything once or ends it', () => {
  const seed = runSeed()
  const modes = [
    ['signs many at once and fills gaps', false],
    ['signs one at a time', true],
  ] as const

  test.each(modes)(
    `a sender that %s (LOCKSTEP_SEED=${seed})`,
    async (_, isAlone) => {
      for (let run = 0; run < 30; run++) await live(makeRandom(seed + run), isAlone)
    },
    60_000,
  )

  async function live(random: () => number, isAlone: boolean): Promise<void> {
    const chain = new SenderChain()
    const store = new DurableSenderStore()
    const pause = async () => {
      for (let left = Math.floor(random() * 3); left > 0; left--) await turn()
    }
    const chance = (part: number) => random() < part
    let process = new SendingProcess(chain, store, pause)
    let isFaulty = true
    let following: Promise<unknown> = Promise.resolve()
    let sent = 0
    const nonces = new Map<string, number>()
    chain.pause = pause
    chain.lag = () => (isFaulty && chance(0.1) ? 1 : 0)
    chain.fault = () => {
      if (!isFaulty || !chance(0.3)) return undefined
      const kinds = ['refused', 'unfunded', 'full', 'unclear', 'no answer', 'nonce used'] as const
      const kind = kinds[Math.floor(random() * kinds.length)] ?? 'unclear'
      const isHonest = kind === 'refused' || kind === 'unfunded' || kind === 'full'
      return { kind, isTaken: !isHonest && chance(0.5) }
    }
    chain.onSend = ({ id, nonce, raw }) => {
      // What leaves the process is stored, and has one nonce for ever.
      expect(store.rows.get(id ?? '')?.attempts.map(({ hash }) => hash)).toContain(raw)
      expect(nonces.get(id ?? '') ?? nonce).toBe(nonce)
      nonces.set(id ?? '', nonce)
    }

    const ignored = () => {}
    const submit = () => {
      const id = `t${sent++}`
      const work = isAlone ? process.submitAlone(id) : process.submit(id)
      work.catch(ignored)
    }
    const follow = () => {
      const by = process
      following = following.then(() => {
        const work = by.follow(() => `filler${sent++}`).catch(ignored)
        // A killed process does not hold up the next.
        return by === process ? work : undefined
      })
    }
    const restart = () => {
      process.kill()
      process = new SendingProcess(chain, store, pause)
      following = Promise.resolve()
    }
    const foreign = async () => {
      const nonce = await chain.nonce(ADDRESS, 'pending')
      if (!chain.pool.has(nonce)) chain.pool.set(nonce, chain.sign(undefined, nonce, 100))
    }
    const replace = () => {
      const [row] = store.waiting(1)
      if (row !== undefined) process.replace(row.id).catch(ignored)
    }
    const events: readonly (readonly [number, () => unknown])[] = [
      [10, submit],
      [6, () => chain.mine(1 + Math.floor(random() * 4))],
      [10, follow],
      [2, replace],
      [1, restart],
      [1, () => chain.pool.clear()],
      [1, () => chain.reorganize(1 + Math.floor(random() * 2), chance(0.5))],
      [0.5, foreign],
    ]
    const weight = events.reduce((sum, [each]) => sum + each, 0)
    for (let step = 0; step < 80; step++) {
      let left = random() * weight
      for (const [each, happen] of events) {
        left -= each
        if (left >= 0) continue
        await happen()
        break
      }
      await pause()
    }

    isFaulty = false
    for (let block = 0; store.waiting(1).length > 0; block++) {
      if (block > 300) throw new Error(`${store.waiting(1)[0]?.id} waits for ever`)
      chain.mine()
      // Wallets have no fillers: their next transactions fill gaps.
      if (isAlone && block % 20 === 19) await process.submitAlone(`t${sent++}`).catch(ignored)
      await process.follow(() => `filler${sent++}`)
    }
    await process.follow(() => `filler${sent++}`)

    const executed = chain.executed.map(({ id }) => id).filter((id) => id !== undefined)
    expect(new Set(executed).size).toBe(executed.length)
    expect(chain.executed.map(({ nonce }) => nonce)).toEqual(chain.executed.map((_, n) => n))
    const included = [...store.rows.values()].filter((row) => row.outcome === 'included')
    expect(executed.sort()).toEqual(included.map(({ id }) => id).sort())
  }
})
