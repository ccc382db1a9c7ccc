import { LockstepError } from '../../base/error.ts'
import type { Hex } from '../../base/hex.ts'
import { fromPlainError } from '../../base/plain-error.ts'
import { startTimer, stopTimer, type Timer } from '../../base/timer.ts'
import type { ClaimDone, ClaimWork } from './claim-messages.ts'
import type { ClaimFacts, ClaimKey, ClaimOutcome, Claims, LostReason, TokenUnit } from './claims.ts'
import type { DeliveryLog } from './delivery-log.ts'

/** Size of the cache of spent keys: proofs shown twice are mostly recent. */
const KNOWN_SPENT = 2 ** 15

/**
 * How long deliveries wait to share a claim's commit, ms. No caller depends on them, whereas the next claim would
 * otherwise wait for two commits.
 */
const DELIVERIES_WAIT_MS = 10

interface Waiting {
  readonly work: ClaimWork
  resolve(done: ClaimDone): void
  reject(error: unknown): void
}

function nameOf({ chainId, kind, id }: ClaimKey): string {
  return `${chainId} ${kind} ${id}`
}

/** Writes changes of claims to a store. */
export interface ClaimWriter {
  /** Writes changes as one transaction, in their order. */
  write(works: readonly ClaimWork[]): Promise<readonly ClaimDone[]>
  close(): Promise<void>
}

interface ClaimQueueParts {
  readonly writer: ClaimWriter
  /** Absent if the process has no disk of its own. */
  readonly deliveries?: DeliveryLog
  /** How long after a failure the ends of claims are written again, ms. Absent: with the next changes only. */
  readonly retryMs?: number
  /** How often others may have taken over what this process held; absent if that never happens. */
  lapses?(): number
  /** Called after the store is closed. */
  leave(): void
}

/**
 * Passes changes to the writer of a store. Changes that arrive during a commit form the next transaction, so that they
 * share one disk sync.
 */
export class ClaimQueue implements Claims {
  readonly #writer: ClaimWriter
  readonly #deliveries: DeliveryLog | undefined
  readonly #retryMs: number | undefined
  readonly #lapses: () => number
  readonly #leave: () => void
  readonly #waiting: Waiting[] = []
  /** The changes being committed. */
  #writing: readonly Waiting[] | undefined
  /** Ends of claims that the store has rejected, written with the next changes: they have happened either way. */
  #owed: ClaimWork[] = []
  /** Claims won by this process that have not ended, each with the number of lapses at that time. */
  readonly #held = new Map<string, number>()
  readonly #spent = new Set<string>()
  /** Number of deliveries missing from the database. */
  #unwritten = 0
  #immediate: NodeJS.Immediate | undefined
  #timer: Timer | undefined
  #failure: LockstepError | undefined
  #onIdle: (() => void) | undefined

  constructor({ writer, deliveries, retryMs, lapses = () => 0, leave }: ClaimQueueParts) {
    this.#writer = writer
    this.#deliveries = deliveries
    this.#retryMs = retryMs
    this.#lapses = lapses
    this.#leave = leave
  }

  async claim(
    key: ClaimKey,
    facts: ClaimFacts,
    maxAttempts = Number.POSITIVE_INFINITY,
  ): Promise<ClaimOutcome> {
    const name = nameOf(key)
    if (this.#spent.has(name)) return { won: false, reason: 'spent' }
    if (this.#held.has(name)) return { won: false, reason: 'in progress' }
    const lapses = this.#lapses()
    const done = await this.#run({ kind: 'claim', key, facts, maxAttempts })
    const outcome = done.outcome as ClaimOutcome
    if (outcome.won) this.#held.set(name, lapses)
    else if (outcome.reason === 'spent') this.#remember(name)
    return outcome
  }

  async obstacle(key: ClaimKey, facts: ClaimFacts): Promise<LostReason | undefined> {
    const name = nameOf(key)
    if (this.#spent.has(name)) return 'spent'
    if (this.#held.has(name)) return 'in progress'
    return (await this.#run({ kind: 'obstacle', key, facts })).obstacle
  }

  isHeld(key: ClaimKey): boolean {
    return this.#held.get(nameOf(key)) === this.#lapses()
  }

  async settling(key: ClaimKey, txHash: Hex): Promise<void> {
    await this.#run({ kind: 'settling', key, txHash })
  }

  async settled(key: ClaimKey, txHash: Hex): Promise<void> {
    await this.#run({ kind: 'settled', key, txHash })
  }

  delivered(key: ClaimKey): Promise<void> {
    this.#held.delete(nameOf(key))
    this.#remember(nameOf(key))
    this.#deliveries?.add(key)
    this.#unwritten++
    return this.#end({ kind: 'delivered', key })
  }

  release(key: ClaimKey): Promise<void> {
    this.#held.delete(nameOf(key))
    return this.#end({ kind: 'release', key })
  }

  failed(key: ClaimKey): Promise<void> {
    this.#held.delete(nameOf(key))
    return this.#end({ kind: 'failed', key })
  }

  async removed(chainId: bigint, txHashes: readonly Hex[]): Promise<void> {
    if (txHashes.length === 0) return
    // Only the disk knows which claims these transactions paid, so later claims must ask it.
    this.#spent.clear()
    await this.#run({ kind: 'removed', chainId, txHashes })
    this.#spent.clear()
  }

  async describe(chainId: bigint, asset: Hex, unit: TokenUnit): Promise<void> {
    await this.#run({ kind: 'describe', chainId, asset, unit })
  }

  async close(): Promise<void> {
    if (this.#failure === undefined) {
      await this.#idle()
      stopTimer(this.#timer)
      // A last attempt to write these; no caller awaits them.
      const last = this.#owed.pop()
      if (last !== undefined) await this.#run(last).catch(() => {})
      this.#failure = new LockstepError('SERVER_BUSY', 'the claims are closed')
      await this.#writer.close().catch(() => undefined)
    }
    // If the database lacks some deliveries, the next process to open the folder reads them from the log.
    if (this.#unwritten === 0) this.#deliveries?.remove()
    this.#leave()
  }

  #idle(): Promise<void> {
    this.#send()
    if (this.#writing === undefined) return Promise.resolve()
    return new Promise((resolve) => {
      this.#onIdle = resolve
    })
  }

  /** Queues the end of a claim. A caller that does not await it need not handle a rejection. */
  #end(work: ClaimWork): Promise<void> {
    const written = this.#run(work).then(() => {})
    written.catch(() => {})
    return written
  }

  #run(work: ClaimWork): Promise<ClaimDone> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ work, resolve, reject })
      if (this.#writing === undefined) this.#schedule(work.kind)
    })
  }

  /** Sends at the end of this event-loop iteration, to batch its requests; deliveries wait a little longer. */
  #schedule(kind: ClaimWork['kind']): void {
    if (kind !== 'delivered') this.#immediate ??= setImmediate(() => this.#send())
    else this.#timer ??= startTimer(() => this.#send(), DELIVERIES_WAIT_MS)
  }

  /** @param isRetry true to write the ends that the store has rejected, though nothing else waits */
  #send(isRetry = false): void {
    if (this.#writing !== undefined || this.#failure !== undefined) return
    if (this.#waiting.length === 0 && !isRetry) return
    clearImmediate(this.#immediate)
    stopTimer(this.#timer)
    this.#immediate = undefined
    this.#timer = undefined
    const owed = this.#owed.map((work) => ({ work, resolve: () => {}, reject: () => {} }))
    this.#owed = []
    this.#writing = [...owed, ...this.#waiting.splice(0)]
    void this.#write(this.#writing)
  }

  async #write(writing: readonly Waiting[]): Promise<void> {
    const works = writing.map(({ work }) => work)
    try {
      const done = await this.#writer.write(works)
      for (const [i, waiting] of writing.entries()) {
        if (waiting.work.kind === 'delivered') this.#unwritten--
        settle(waiting, done[i] ?? {})
      }
    } catch (thrown) {
      for (const waiting of writing) this.#refuse(waiting, thrown)
    }
    this.#writing = undefined
    this.#goOn()
  }

  #goOn(): void {
    if (this.#unwritten === 0) this.#deliveries?.begin()
    const next = this.#waiting.find(({ work }) => work.kind !== 'delivered') ?? this.#waiting[0]
    if (this.#onIdle !== undefined) this.#send()
    else if (next !== undefined) this.#schedule(next.work.kind)
    else if (this.#owed.length > 0 && this.#retryMs !== undefined) {
      this.#timer ??= startTimer(() => this.#send(true), this.#retryMs)
    }
    if (this.#writing === undefined) this.#onIdle?.()
  }

  #refuse({ work, reject }: Waiting, failure: unknown): void {
    if (['settled', 'delivered', 'release', 'failed'].includes(work.kind)) this.#owed.push(work)
    // The claim may be stored, and nothing here works on it
    if (work.kind === 'claim' && isCommitUnknown(failure)) {
      this.#owed.push({ kind: 'release', key: work.key })
    }
    reject(failure)
  }

  /** Refuses everything from now on: the store is gone for good. */
  fail(failure: LockstepError): void {
    this.#failure ??= failure
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure)
    this.#onIdle?.()
  }

  #remember(name: string): void {
    this.#spent.add(name)
    if (this.#spent.size <= KNOWN_SPENT) return
    for (const oldest of this.#spent) {
      this.#spent.delete(oldest)
      return
    }
  }
}

function isCommitUnknown(failure: unknown): boolean {
  return failure instanceof LockstepError && failure.data.isCommitUnknown === true
}

function settle({ resolve, reject }: Waiting, done: ClaimDone): void {
  if (done.error === undefined) resolve(done)
  else reject(fromPlainError(done.error))
}
