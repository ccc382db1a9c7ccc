import { isLoopback } from './loopback.ts'
import { type SharedPart, SharedSum } from './shared-sum.ts'

/** Milliseconds that work for clients takes before the timers and sockets of the process get their turn. */
export const SLICE_MS = 2

/**
 * Milliseconds of a slice in which short requests are answered at once, before waiting ones: queueing would cost
 * more.
 */
const SHORT_MS = 2

/**
 * Short requests of one turn that are answered at once in any case: as many as a client may pipeline, which with
 * uWebSockets.js loses its connection if one is not. The clock and the end of the turn are looked for after as many more,
 * of this turn or of earlier ones.
 */
const SHORT_REQUESTS = 64

/** Turns that are given in one slice, where none of them takes it all. */
const TURNS_PER_SLICE = 8

/** Milliseconds after which half of what a client has used is forgotten. */
const HALF_LIFE_MS = 1000

/** Bytes that every client may hold whatever the others do: short requests are always taken. */
const SMALL_BYTES = 16 * 1024

/** Bytes are seen by other threads in units of so many: 2^31 of them are more than a machine has. */
const SHARED_UNIT = 16

interface Waiting {
  readonly account: ClientAccount
  readonly expectedMs: number
  readonly since: number
  readonly begin: () => void
}

/** What the scheduler of another thread takes part in. */
export interface WorkParts {
  readonly held: SharedPart
  readonly reserved: SharedPart
}

/** The present costs of all clients together. */
export interface WorkLoad {
  /** Bytes held for clients: bodies on their way in, requests in work, answers that are not yet read. */
  readonly heldBytes: number
  /** Pieces of work that wait for the thread. */
  readonly waiting: number
}

/** One client, as far as it can be told from others. */
export class ClientAccount {
  readonly #scheduler: WorkScheduler
  readonly #waiting: Waiting[] = []
  #nextWaiting = 0
  #usedMs = 0
  #usedAt = 0
  #heldBytes = 0

  constructor(scheduler: WorkScheduler) {
    this.#scheduler = scheduler
  }

  get heldBytes(): number {
    return this.#heldBytes
  }

  /** Pieces of its work that wait. */
  get waiting(): number {
    return this.#waiting.length - this.#nextWaiting
  }

  /**
   * The client's next turn on the thread: undefined while the present slice has time, so that work may ask often.
   * A piece of work that is just beginning tells by `expectedMs` how long it may take. Undefined is not to be
   * awaited: of many pieces that begin together, each would be told that there is time, before any has taken it.
   */
  turn(expectedMs?: number): Promise<void> | undefined {
    if (this.#scheduler.goesOn(this, expectedMs)) return undefined
    return new Promise((begin) => {
      const since = this.#scheduler.now()
      this.#waiting.push({ account: this, expectedMs: expectedMs ?? SLICE_MS, since, begin })
      this.#scheduler.wait(this)
    })
  }

  /** True where `bytes` more may be held for the client; with 0, where it holds no more than it may. */
  admits(bytes: number): boolean {
    const held = this.#heldBytes + bytes
    return held <= SMALL_BYTES || held <= this.#scheduler.freeBytes
  }

  /** Counts bytes that are held for it; negative when they are given up. */
  hold(bytes: number): void {
    this.#heldBytes += bytes
    this.#scheduler.hold(bytes)
  }

  /** Counts time that it had the thread. */
  use(milliseconds: number): void {
    const now = this.#scheduler.now()
    this.#usedMs = this.#recentMs(now) + milliseconds
    this.#usedAt = now
  }

  /** Milliseconds that it has had of late, with those that its next turn is expected to take. */
  costMs(now: number): number {
    const next = this.#waiting[this.#nextWaiting]
    return this.#recentMs(now) + (next?.expectedMs ?? 0)
  }

  /**
   * The order of turns: the client with the lowest value, that of its cost, goes first. What it has waited since its
   * last turn is taken off: else one that has had a few milliseconds waits until they are forgotten, while others come
   * who have had none.
   */
  priority(now: number): number {
    const next = this.#waiting[this.#nextWaiting]
    if (next === undefined) return this.#recentMs(now)
    const waitedMs = now - Math.max(next.since, this.#usedAt)
    return Math.max(0, this.costMs(now) - waitedMs)
  }

  /** Takes the work that has waited longest. */
  next(): Waiting | undefined {
    const next = this.#waiting[this.#nextWaiting++]
    // Removed many at a time: a burst is as long as its client likes.
    if (this.#nextWaiting * 2 >= this.#waiting.length) {
      this.#waiting.splice(0, this.#nextWaiting)
      this.#nextWaiting = 0
    }
    return next
  }

  /** True where the account holds nothing that a new one of the same client would lack. */
  isForgotten(now: number): boolean {
    return this.#heldBytes === 0 && this.waiting === 0 && this.#recentMs(now) < 0.1
  }

  #recentMs(now: number): number {
    return this.#usedMs * 0.5 ** ((now - this.#usedAt) / HALF_LIFE_MS)
  }
}

/**
 * Shares the chain's thread and its memory among clients: the one account of what they cost. Work runs in slices
 * with a turn of the event loop between them, so that blocks come on time; the next turn is that of the client
 * that has had the least, so that those who ask for little wait for nobody. What one may hold shrinks with what
 * is left for all, as much as it again at least: no fixed share lets many clients fill the memory, or one client
 * starve on a quiet node.
 */
export class WorkScheduler {
  readonly now: () => number
  readonly #maxHeldBytes: number
  readonly #shortMs: number
  readonly #accounts = new Map<string, ClientAccount>()
  readonly #waiting = new Set<ClientAccount>()
  readonly #held: SharedSum
  /** What WebSockets may have begun, where that is not seen: it is reserved, on all threads together. */
  readonly reserved: SharedSum
  #isArmed = false
  /** The client whose turn it is, and the time its turn began. */
  #current: ClientAccount | undefined
  #currentSince = 0
  #sliceEnd = 0
  #isForCheapest = false
  /** Short requests since the last turn that had more than a few, and the time by which those of this turn are to be answered. */
  #shortRequests = 0
  #shortEnd = 0

  /**
   * `now` is the time in milliseconds, from any beginning; `parts` those of what the threads of a node hold and reserve
   * together; `shortMs` for how long the short requests of one turn of the event loop are answered at once.
   */
  constructor(
    maxHeldBytes: number,
    now: () => number = () => performance.now(),
    parts?: WorkParts,
    shortMs = SHORT_MS,
  ) {
    this.#maxHeldBytes = maxHeldBytes
    this.#shortMs = shortMs
    this.now = now
    const sum = (part: SharedPart | undefined) =>
      part === undefined ? SharedSum.make(SHARED_UNIT) : new SharedSum(part)
    this.#held = sum(parts?.held)
    this.reserved = sum(parts?.reserved)
  }

  /** What is held for clients, on this thread and on those that were lent a part of it. */
  get held(): SharedSum {
    return this.#held
  }

  get maxHeldBytes(): number {
    return this.#maxHeldBytes
  }

  get load(): WorkLoad {
    let waiting = 0
    for (const account of this.#waiting) waiting += account.waiting
    return { heldBytes: this.#held.total, waiting }
  }

  get freeBytes(): number {
    return this.#maxHeldBytes - this.#held.total
  }

  /**
   * The account of an address. On this machine, where all clients have the same, everyone who asks gets an
   * account: there it is to be a connection's, or a request's where the connection cannot be told.
   */
  account(address: string): ClientAccount {
    const known = this.#accounts.get(address)
    if (known !== undefined) return known
    if (isLoopback(address)) return new ClientAccount(this)
    if (this.#accounts.size >= 1024) this.#forget()
    const account = new ClientAccount(this)
    this.#accounts.set(address, account)
    return account
  }

  /**
   * True where a short request may be answered at once. Many that come in the same turn of the event loop may not,
   * each being short.
   */
  get hasTimeForShort(): boolean {
    // Looking at the clock and for the end of the turn costs as much as a short answer: the first few do without.
    if (++this.#shortRequests <= SHORT_REQUESTS) return true
    if (this.#shortRequests === SHORT_REQUESTS + 1) {
      this.#shortEnd = this.now() + this.#shortMs
      setImmediate(() => {
        this.#shortRequests = 0
      })
    }
    return this.#shortRequests <= 2 * SHORT_REQUESTS || this.now() < this.#shortEnd
  }

  /** True where the client whose turn it is may go on. */
  goesOn(account: ClientAccount, expectedMs: number | undefined): boolean {
    if (expectedMs !== undefined && this.#waiting.size > 0) return false
    if (this.#current === account) return this.now() < this.#sliceEnd
    // Work that begins while nobody waits: it is as if a slice had just been given.
    if (this.#isArmed) return false
    this.#arm()
    this.#begin(account, this.now())
    return true
  }

  wait(account: ClientAccount): void {
    this.#waiting.add(account)
    this.#arm()
  }

  hold(bytes: number): void {
    this.#held.add(bytes)
  }

  #begin(account: ClientAccount, now: number): void {
    this.#current = account
    this.#currentSince = now
    if (this.#sliceEnd < now) this.#sliceEnd = now + SLICE_MS
  }

  /**
   * One immediate for each turn, all in the same turn of the event loop: what a turn sets off runs before the next
   * immediate, which so sees how long it took.
   */
  #arm(): void {
    if (this.#isArmed) return
    this.#isArmed = true
    setImmediate(() => {
      // Read once: the first turn is given however long the system takes the processor away.
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
   * Of those that have waited for as long as they cost, the cheapest and the one that came first have every other turn:
   * a short request does not wait for hundreds of long ones, nor a long one while short ones come.
   */
  #first(now: number): ClientAccount | undefined {
    let first: ClientAccount | undefined
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
