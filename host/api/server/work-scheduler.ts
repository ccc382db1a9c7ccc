import { isLoopback } from './loopback.ts'
import { SharedSum, type SharedSumPart } from './shared-sum.ts'

/** Milliseconds of client work before the event loop continues with timers and sockets. */
export const SLICE_MS = 2

/**
 * Milliseconds in which the short requests of an iteration run at once, ahead of queued ones: queueing would cost
 * more.
 */
const SHORT_MS = 2

/**
 * Short requests of one event-loop iteration that always run at once: as many as a client may pipeline, because
 * uWebSockets.js disconnects a client whose pipelined request is delayed. After as many again, counted since the last
 * reset, a request runs at once only before the deadline.
 */
const SHORT_REQUESTS = 64

/** Maximum pieces of work resumed in one slice, if none uses it up. */
const TURNS_PER_SLICE = 8

/** Half-life in milliseconds of the time that a client has used. */
const HALF_LIFE_MS = 1000

/** Bytes that every client may reserve regardless of others, so short requests are always accepted. */
const SMALL_BYTES = 16 * 1024

/** Granularity in bytes of the counts that other threads see: 2^31 units exceed the memory of any machine. */
const SHARED_UNIT = 16

interface Waiting {
  readonly account: ClientQuota
  readonly expectedMs: number
  readonly since: number
  readonly begin: () => void
}

/** The shared counters in which the scheduler of another thread takes part. */
export interface WorkCounters {
  readonly held: SharedSumPart
  readonly reserved: SharedSumPart
}

/** The current costs of all clients together. */
export interface WorkLoad {
  /** Bytes reserved for clients: incoming bodies, pending requests, unread responses. */
  readonly reservedBytes: number
  /** Number of queued pieces of work. */
  readonly waiting: number
}

/** The quota of one client, as far as clients can be distinguished. */
export class ClientQuota {
  readonly #scheduler: WorkScheduler
  readonly #waiting: Waiting[] = []
  #nextWaiting = 0
  #usedMs = 0
  #usedAt = 0
  #heldBytes = 0

  constructor(scheduler: WorkScheduler) {
    this.#scheduler = scheduler
  }

  get reservedBytes(): number {
    return this.#heldBytes
  }

  /** Number of its queued pieces of work. */
  get waiting(): number {
    return this.#waiting.length - this.#nextWaiting
  }

  /**
   * Yields to other clients: returns a promise to await, or undefined while the current slice has time left, so calls
   * are cheap. Work that starts passes its expected duration as `expectedMs`. Do not await undefined: of many pieces
   * that start together, each would see time left before any has used it.
   */
  yield(expectedMs?: number): Promise<void> | undefined {
    if (this.#scheduler.mayContinue(this, expectedMs)) return undefined
    return new Promise((begin) => {
      const since = this.#scheduler.now()
      this.#waiting.push({ account: this, expectedMs: expectedMs ?? SLICE_MS, since, begin })
      this.#scheduler.wait(this)
    })
  }

  /** Returns true if `bytes` more may be reserved for the client; with 0, if it is within its limit. */
  admits(bytes: number): boolean {
    const held = this.#heldBytes + bytes
    return held <= SMALL_BYTES || held <= this.#scheduler.freeBytes
  }

  /** Reserves bytes for the client; a negative number releases them. */
  reserve(bytes: number): void {
    this.#heldBytes += bytes
    this.#scheduler.reserve(bytes)
  }

  /** Charges the client for time on the thread. */
  use(milliseconds: number): void {
    const now = this.#scheduler.now()
    this.#usedMs = this.#recentMs(now) + milliseconds
    this.#usedAt = now
  }

  /** Recently used milliseconds plus the expected duration of its next piece of work. */
  costMs(now: number): number {
    const next = this.#waiting[this.#nextWaiting]
    return this.#recentMs(now) + (next?.expectedMs ?? 0)
  }

  /**
   * Scheduling order: the client with the lowest cost runs first. The time waited since its last run is deducted.
   * Otherwise a client that has used a few milliseconds would starve while new clients arrive.
   */
  priority(now: number): number {
    const next = this.#waiting[this.#nextWaiting]
    if (next === undefined) return this.#recentMs(now)
    const waitedMs = now - Math.max(next.since, this.#usedAt)
    return Math.max(0, this.costMs(now) - waitedMs)
  }

  /** Dequeues the longest waiting work. */
  next(): Waiting | undefined {
    const next = this.#waiting[this.#nextWaiting++]
    // Removed in bulk: a client may queue a burst of any length.
    if (this.#nextWaiting * 2 >= this.#waiting.length) {
      this.#waiting.splice(0, this.#nextWaiting)
      this.#nextWaiting = 0
    }
    return next
  }

  /** Returns true if the account holds nothing that a new one for the same client would lack. */
  isForgotten(now: number): boolean {
    return this.#heldBytes === 0 && this.waiting === 0 && this.#recentMs(now) < 0.1
  }

  #recentMs(now: number): number {
    return this.#usedMs * 0.5 ** ((now - this.#usedAt) / HALF_LIFE_MS)
  }
}

/**
 * Shares the main thread and its memory fairly among clients. Work runs in slices, and the event loop runs between
 * them, so that blocks are on time. The client with the lowest use runs next, so light clients are not delayed. A
 * client may reserve no more than is left free for all: a fixed share would let many clients exhaust the memory, or
 * starve a single client on an idle node.
 */
export class WorkScheduler {
  readonly now: () => number
  readonly #maxHeldBytes: number
  readonly #shortMs: number
  readonly #accounts = new Map<string, ClientQuota>()
  readonly #waiting = new Set<ClientQuota>()
  readonly #held: SharedSum
  /**
   * Memory reserved for messages that WebSockets may have begun, over all threads. Their actual size is not visible.
   */
  readonly reserved: SharedSum
  #isArmed = false
  /** The client that is running, and when it started. */
  #current: ClientQuota | undefined
  #currentSince = 0
  #sliceEnd = 0
  #isForCheapest = false
  /** Short requests since the last reset, and the deadline for those of this event-loop iteration. */
  #shortRequests = 0
  #shortEnd = 0

  /**
   * @param now a clock in milliseconds with any origin
   * @param parts this thread's parts of the counters that the threads of a node share
   * @param shortMs how long the short requests of one event-loop iteration run at once
   */
  constructor(
    maxReservedBytes: number,
    now: () => number = () => performance.now(),
    parts?: WorkCounters,
    shortMs = SHORT_MS,
  ) {
    this.#maxHeldBytes = maxReservedBytes
    this.#shortMs = shortMs
    this.now = now
    const sum = (part: SharedSumPart | undefined) =>
      part === undefined ? SharedSum.make(SHARED_UNIT) : new SharedSum(part)
    this.#held = sum(parts?.held)
    this.reserved = sum(parts?.reserved)
  }

  /** Bytes reserved for clients, on this thread and on those that borrowed a part. */
  get held(): SharedSum {
    return this.#held
  }

  get maxHeldBytes(): number {
    return this.#maxHeldBytes
  }

  get load(): WorkLoad {
    let waiting = 0
    for (const account of this.#waiting) waiting += account.waiting
    return { reservedBytes: this.#held.total, waiting }
  }

  get freeBytes(): number {
    return this.#maxHeldBytes - this.#held.total
  }

  /**
   * Returns the account of an address. On loopback, where all clients share an address, each call returns a new
   * account: the caller uses one per connection, or per request if the connection is unknown.
   */
  account(address: string): ClientQuota {
    const known = this.#accounts.get(address)
    if (known !== undefined) return known
    if (isLoopback(address)) return new ClientQuota(this)
    if (this.#accounts.size >= 1024) this.#forget()
    const account = new ClientQuota(this)
    this.#accounts.set(address, account)
    return account
  }

  /** True if a short request may run at once. False for most of many that arrive in the same event-loop iteration. */
  get hasTimeForShort(): boolean {
    // Reading the clock and detecting the end of the iteration cost as much as a short response: the first few skip
    // it.
    if (++this.#shortRequests <= SHORT_REQUESTS) return true
    if (this.#shortRequests === SHORT_REQUESTS + 1) {
      this.#shortEnd = this.now() + this.#shortMs
      setImmediate(() => {
        this.#shortRequests = 0
      })
    }
    return this.#shortRequests <= 2 * SHORT_REQUESTS || this.now() < this.#shortEnd
  }

  /** Returns true if the client may continue or start without waiting. */
  mayContinue(account: ClientQuota, expectedMs: number | undefined): boolean {
    if (expectedMs !== undefined && this.#waiting.size > 0) return false
    if (this.#current === account) return this.now() < this.#sliceEnd
    // Work starts while the queue is empty: treat it as the first of a new slice.
    if (this.#isArmed) return false
    this.#arm()
    this.#begin(account, this.now())
    return true
  }

  wait(account: ClientQuota): void {
    this.#waiting.add(account)
    this.#arm()
  }

  reserve(bytes: number): void {
    this.#held.add(bytes)
  }

  #begin(account: ClientQuota, now: number): void {
    this.#current = account
    this.#currentSince = now
    if (this.#sliceEnd < now) this.#sliceEnd = now + SLICE_MS
  }

  /**
   * Schedules one immediate for each piece of work, all in the same event-loop iteration. Everything that a piece
   * triggers runs before the next immediate, which can therefore measure its duration.
   */
  #arm(): void {
    if (this.#isArmed) return
    this.#isArmed = true
    setImmediate(() => {
      // Read once: the first piece runs even if the system suspends the process here.
      const now = this.now()
      this.#sliceEnd = now + SLICE_MS
      this.#step(now)
    })
    for (let i = 1; i < TURNS_PER_SLICE; i++) setImmediate(() => this.#step(this.now()))
    setImmediate(() => {
      this.#charge(this.now())
      this.#isArmed = false
      this.#sliceEnd = 0
      if (this.#waiting.size > 0) this.#arm()
    })
  }

  #step(now: number): void {
    this.#charge(now)
    if (now >= this.#sliceEnd) return
    this.#isForCheapest = !this.#isForCheapest
    const account = this.#first(now)
    const next = account?.next()
    if (account === undefined || next === undefined) return
    if (account.waiting === 0) this.#waiting.delete(account)
    this.#begin(account, now)
    next.begin()
  }

  #charge(now: number): void {
    this.#current?.use(now - this.#currentSince)
    this.#current = undefined
  }

  /**
   * Among clients that have waited as long as their cost, alternates between the cheapest and the first: a short
   * request does not wait for hundreds of long ones, nor a long one for a stream of short ones.
   */
  #first(now: number): ClientQuota | undefined {
    let first: ClientQuota | undefined
    let least = Number.POSITIVE_INFINITY
    let leastMs = Number.POSITIVE_INFINITY
    for (const account of this.#waiting) {
      const priority = account.priority(now)
      if (priority > least) continue
      const costMs = this.#isForCheapest ? account.costMs(now) : 0
      if (priority === least && costMs >= leastMs) continue
      least = priority
      leastMs = costMs
      first = account
    }
    return first
  }

  #forget(): void {
    const now = this.now()
    for (const [address, account] of this.#accounts) {
      if (account.isForgotten(now)) this.#accounts.delete(address)
    }
  }
}
