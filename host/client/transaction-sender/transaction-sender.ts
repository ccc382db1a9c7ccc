import type { Hex } from '../../base/hex.ts'
import { Mutex } from '../../base/mutex.ts'
import { AccountNonces } from './account-nonces.ts'
import { type BroadcastAnswer, isBroadcastRefused, isInPool } from './broadcast-answer.ts'
import type {
  SenderAttempt,
  SenderNode,
  SenderPolicy,
  SenderStore,
  WaitingTransaction,
} from './sender-ports.ts'

/**
 * Successive checks of a used nonce before its attempts are given up: an address may have nodes behind it that are a
 * block apart.
 */
const MAX_MISSED = 3

/** Transactions of one account checked at once. */
const CHECKED = 200

/** Transactions of one account rebroadcast at once. Pools hold about as many per account. */
const RESENT = 64

/** Maximum number of checks between two rebroadcasts of a transaction that the pool should have. */
const MAX_BACKOFF = 16

export interface TransactionSenderOptions<Inclusion> {
  /** Lower case. */
  readonly address: Hex
  readonly node: SenderNode<Inclusion>
  readonly store: SenderStore<Inclusion>
  readonly policy: SenderPolicy
  /** Nonces of the transactions that the store has waiting. */
  readonly used: Iterable<number>
}

export interface SubmittedTransaction<Attempt> {
  readonly attempt: Attempt
  readonly answer: BroadcastAnswer
}

/**
 * Sends the transactions of one account on one chain, each with a nonce of its own, until a block has them or they
 * have ended. `check` after each block finds what became of them, and sends again what the pool lost.
 */
export class TransactionSender<Inclusion> {
  readonly #options: TransactionSenderOptions<Inclusion>
  readonly #nonces: AccountNonces
  readonly #mutex = new Mutex()
  /** By id: transactions of which an attempt is being signed or sent. Resolves after that. */
  readonly #sending = new Map<string, Promise<unknown>>()
  /** Resolves after the broadcast of the previous nonce. */
  #order: Promise<unknown> = Promise.resolve()
  #queued = 0
  /** Number of requests for the chain's nonces, and of the one whose answer is cached. */
  #asked = 0
  #noted = 0
  #notedAt = Number.NEGATIVE_INFINITY
  #lowest = -1
  #looks = 0

  constructor(options: TransactionSenderOptions<Inclusion>) {
    this.#options = options
    this.#nonces = new AccountNonces(options.used, () => options.store.executedUpTo())
  }

  /** Number of calls of `runExclusive` that have not ended. */
  get queued(): number {
    return this.#queued
  }

  /** Number of nonces that wait for a block, with the pending transactions of other processes. */
  get size(): number {
    return this.#nonces.size + this.#nonces.countForeign()
  }

  /** The chain's nonces, as of the last answer of the node, and the own ones. */
  get nonces(): Omit<AccountNonces, 'note'> {
    return this.#nonces
  }

  /** True while an attempt of the transaction is being signed or sent. */
  isSending(id: string): boolean {
    return this.#sending.has(id)
  }

  /** Number of checks that found the lowest nonce waiting. */
  get looks(): number {
    return this.#looks
  }

  /** Runs work after all earlier work: what one transaction does not use is free for the next. */
  async runExclusive<T>(work: () => Promise<T>): Promise<T> {
    this.#queued++
    try {
      return await this.#mutex.runExclusive(work)
    } finally {
      this.#queued--
    }
  }

  /** Discards the cached nonces, and answers to come, so that the chain is asked again. */
  dropCachedNonces(): void {
    this.#noted = this.#asked
    this.#notedAt = Number.NEGATIVE_INFINITY
  }

  /** Asks the chain for its nonces, unless the cached ones are recent. */
  async refreshNonces(): Promise<void> {
    const { trustMs, trustsWhenIdle, followRemovals } = this.#options.policy
    await followRemovals()
    const isRecent = performance.now() - this.#notedAt < trustMs
    if (isRecent && (trustsWhenIdle || this.#nonces.size > 0)) return
    await this.#readNonces()
  }

  /** Returns the nonce that the next transaction gets. */
  async nextNonce(): Promise<number> {
    await this.refreshNonces()
    return this.#nonces.next()
  }

  /**
   * Sends a new transaction. Several may be signed at once: each has its nonce from the start, and they are broadcast in
   * the order of their nonces, as pools hold few transactions with gaps before them.
   * @param make signs the transaction and stores it. If it throws, nothing is sent, and the nonce is free again.
   * @param chosen a nonce in place of the next. It waits for no other, which may wait for it.
   */
  async submit<Attempt extends SenderAttempt>(
    id: string,
    make: (nonce: number) => Promise<Attempt>,
    chosen?: number,
  ): Promise<SubmittedTransaction<Attempt>> {
    if (chosen === undefined) await this.refreshNonces()
    const nonce = chosen ?? this.#nonces.next()
    const isNew = this.#nonces.use(nonce)
    const before = chosen === undefined ? this.#order : undefined
    const { promise, resolve: leave } = Promise.withResolvers<void>()
    if (chosen === undefined) this.#order = promise
    const submitted = this.#inTurn(id, async () => {
      let attempt: Attempt
      try {
        attempt = await make(nonce)
      } catch (error) {
        if (isNew) this.#nonces.release(nonce)
        throw error
      }
      // A transition of another transaction with the nonce may have released it.
      this.#nonces.use(nonce)
      await before
      const answer = await this.#options.node.send(attempt.raw)
      leave()
      await this.#noteFirst(id, nonce, answer)
      return { attempt, answer }
    })
    return submitted.finally(leave)
  }

  /**
   * Sends a waiting transaction again with other fees.
   * @param make signs the transaction with its nonce, and stores it if it still waits. If it throws, nothing is sent.
   * @param remove removes the attempt from the store if the node refuses it
   */
  replace(
    id: string,
    make: () => Promise<SenderAttempt>,
    remove: () => Promise<unknown>,
  ): Promise<BroadcastAnswer> {
    const { node, store } = this.#options
    return this.#inTurn(id, async () => {
      const answer = await node.send((await make()).raw)
      if (isInPool(answer)) await store.accepted(id)
      // Before the next broadcast of the transaction, which would send the removed attempt.
      if (this.#isFinal(answer)) await remove()
      return answer
    })
  }

  /**
   * Broadcasts a waiting transaction again. If no node has accepted it before and this one refuses it and knows none of
   * its attempts, it ends. Once accepted it stays, as another pool may have it. Returns undefined if it waits no more.
   */
  rebroadcast(id: string, nonce: number): Promise<BroadcastAnswer | undefined> {
    const { node, store, policy } = this.#options
    return this.#inTurn(id, async () => {
      const waiting = store.waitingAt(nonce).find((each) => each.id === id)
      const attempts = store.attempts(id)
      const last = attempts.at(-1)
      if (waiting === undefined || last === undefined) return undefined
      const answer = await node.send(last.raw)
      if (isInPool(answer)) await store.accepted(id)
      else if (!waiting.isAccepted && isBroadcastRefused(answer)) {
        const known = await Promise.all(attempts.map(({ hash }) => node.knows(hash)))
        if (known.includes(true)) await store.accepted(id)
        else await store.ended(id, 'refused', answer.reason)
      } else if (!waiting.isAccepted && (answer.kind === 'unclear' || answer.kind === 'full')) {
        const isOld = policy.now() - waiting.signedAt > policy.giveUpMs
        if (isOld) await store.ended(id, 'unanswered', answer.reason)
      }
      return answer
    })
  }

  /** Finds what became of the waiting transactions, and sends again what the pool lost. Call it after each block. */
  async check(): Promise<void> {
    const { store } = this.#options
    const latest = await this.#readNonces()
    const waiting = store.waiting(CHECKED)
    // The lowest nonce is always checked: the node's answer may be wrong.
    const lowest = waiting[0]?.nonce ?? latest
    const passed = waiting.filter(({ nonce }) => nonce < latest || nonce === lowest)
    const nonces = new Set(passed.map(({ nonce }) => nonce))
    // A reorganization has freed the nonce: only successive checks count.
    const freed = waiting.filter(({ nonce, missed }) => nonce >= latest && missed > 0)
    await this.#all([
      ...freed.map(({ id }) => store.missed(id, 0)),
      ...[...nonces].map((nonce) => this.#conclude(nonce, latest)),
    ])
    await this.#resend()
  }

  /**
   * Follows a rolled back development chain: ends waiting transactions above a nonce that is free now, and sends the
   * others again, as a reset has emptied the pool.
   */
  async followRollback(): Promise<void> {
    const { node, store, address } = this.#options
    this.dropCachedNonces()
    let next = await node.nonce(address, 'pending')
    const stranded: Promise<unknown>[] = []
    for (const { id, nonce } of store.waiting(Number.MAX_SAFE_INTEGER)) {
      if (nonce < next) continue
      if (nonce === next) next++
      else if (!this.#sending.has(id)) {
        const reason = `no transaction has nonce ${next}, and this one has ${nonce}`
        stranded.push(store.ended(id, 'stranded', reason))
      }
    }
    await this.#all(stranded)
    for (const { id, nonce } of this.#resendable()) await this.rebroadcast(id, nonce)
  }

  use(nonce: number): void {
    this.#nonces.use(nonce)
  }

  /** Frees the nonce of a transaction that is in a block or has ended. If no block has it, the next one gets it. */
  release(nonce: number): void {
    this.#nonces.release(nonce)
  }

  /** Returns the latest nonce. */
  async #readNonces(): Promise<number> {
    const { node, address } = this.#options
    const asked = ++this.#asked
    const askedAt = performance.now()
    const [latest, pending] = await Promise.all([
      node.nonce(address, 'latest'),
      node.nonce(address, 'pending'),
    ])
    // An answer may arrive after that to a later request.
    if (asked > this.#noted) {
      this.#noted = asked
      this.#notedAt = askedAt
      this.#nonces.note(latest, pending)
    }
    return latest
  }

  #isFinal(answer: BroadcastAnswer): boolean {
    return isBroadcastRefused(answer) || (answer.kind === 'full' && this.#options.policy.endsIfFull)
  }

  async #noteFirst(id: string, nonce: number, answer: BroadcastAnswer): Promise<void> {
    const { store } = this.#options
    if (isInPool(answer)) {
      await store.accepted(id)
      return
    }
    this.dropCachedNonces()
    if (!this.#isFinal(answer)) return
    let end: 'refused' | 'displaced' = 'refused'
    if (answer.kind === 'underpriced') {
      await this.#readNonces().catch(() => undefined)
      if (this.#nonces.pending > nonce) end = 'displaced'
    }
    await store.ended(id, end, answer.reason)
  }

  /** Determines the result of a nonce. */
  async #conclude(nonce: number, latest: number): Promise<void> {
    const { node, store } = this.#options
    for (const { id, hash } of store.attemptsAt(nonce)) {
      const inclusion = await node.includedTransaction(hash)
      if (inclusion === undefined) continue
      await store.included(id, hash, inclusion)
      return
    }
    if (nonce >= latest) return
    for (const { id, missed } of store.waitingAt(nonce)) {
      if (this.#sending.has(id)) continue
      if (missed + 1 < MAX_MISSED) await store.missed(id, missed + 1)
      else {
        const reason = 'another transaction was executed with the same nonce'
        await store.ended(id, 'replaced', reason)
      }
    }
  }

  /**
   * Broadcasts what no node has accepted. Of the others the lowest is sent from time to time: a pool that lost it may
   * have lost all, for example if its node restarted.
   */
  async #resend(): Promise<void> {
    const { lowest } = this.#nonces
    this.#looks = this.#lowest === lowest ? this.#looks + 1 : 1
    this.#lowest = lowest
    const isPowerOfTwo = (this.#looks & (this.#looks - 1)) === 0
    let isDue = this.#looks > 1 && (isPowerOfTwo || this.#looks % MAX_BACKOFF === 0)
    for (const { id, nonce, isAccepted } of this.#resendable()) {
      if (isAccepted && !isDue) continue
      const answer = await this.rebroadcast(id, nonce)
      if (isAccepted) isDue = answer?.kind === 'accepted'
    }
  }

  /** Returns the waiting transactions of which no attempt is being sent. */
  #resendable(): WaitingTransaction[] {
    return this.#options.store.waiting(RESENT).filter(({ id }) => !this.#sending.has(id))
  }

  /** Runs what sends attempts of one transaction one after another: each depends on what became of the others. */
  #inTurn<T>(id: string, work: () => Promise<T>): Promise<T> {
    const result = (this.#sending.get(id) ?? Promise.resolve()).then(work)
    const end = result
      .catch(() => undefined)
      .then(() => {
        if (this.#sending.get(id) === end) this.#sending.delete(id)
      })
    this.#sending.set(id, end)
    return result
  }

  /** Awaits all, so that no work of a failed check is left running. @throws the first error */
  async #all(work: readonly Promise<unknown>[]): Promise<void> {
    const results = await Promise.allSettled(work)
    for (const result of results) if (result.status === 'rejected') throw result.reason
  }
}
