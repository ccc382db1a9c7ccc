import { startTimer, stopTimer, type Timer } from '../../base/timer.ts'
import type {
  PostgresQuery,
  PostgresSession,
} from '../../storage/store/postgres/postgres-session.ts'
import type { ClaimOwners } from '../claim/claim-rows.ts'

/** Time between beats, ms. */
export const BEAT_MS = 5_000
/** Beats of this process during which another one that lives beats at least once. */
const BEATS = 6
/** Share of that time after which this process no longer counts on others waiting for it. */
const LEASE = 0.75

interface ObservedOwner {
  readonly beat: string
  /** Own beats since it changed. */
  silent: number
}

const NO_DELIVERIES: ReadonlyMap<string, Uint8Array> = new Map()

/** Owners that share a disk with this process, which sees at once that one has exited. */
export interface LocalOwners extends ClaimOwners {
  knows(owner: string): boolean
}

/**
 * Tells live owners from exited ones. Each has a row with a counter that it raises at every beat, and deletes the row
 * when it ends. An owner whose counter stands still during six beats of this process has exited. No clock is compared,
 * and time without a connection does not count, so that a restart of the database makes no process seem dead.
 */
export class PostgresOwners implements ClaimOwners {
  readonly own: string
  readonly #session: PostgresSession
  readonly #beatMs: number
  readonly #local: LocalOwners | undefined
  readonly #onFailure: (error: unknown) => void
  readonly #observed = new Map<string, ObservedOwner>()
  /** Owners with a row, of those that were last asked for. */
  #present: ReadonlySet<string> = new Set()
  #timer: Timer | undefined
  #beating: Promise<void> | undefined
  /** When the last beat that has arrived was sent. */
  #lastBeat = Number.NEGATIVE_INFINITY
  /** How often the lease has run out. */
  #lapses = 0
  #isClosed = false

  constructor(
    session: PostgresSession,
    own: string,
    local: LocalOwners | undefined,
    beatMs: number,
    onFailure: (error: unknown) => void,
  ) {
    this.#session = session
    this.own = own
    this.#local = local
    this.#beatMs = beatMs
    this.#onFailure = onFailure
  }

  /** Adds this process, and beats from now on. */
  async open(): Promise<void> {
    await this.#beat()
    this.#schedule()
  }

  /** Beats if the lease has run out: a claim that is won without it could be taken by others. */
  async renew(): Promise<void> {
    void this.lapses
    if (this.#lastBeat === Number.POSITIVE_INFINITY) await this.#beat()
  }

  /** Number of times that this process was silent for too long. What it held before such a time may be another's. */
  get lapses(): number {
    if (performance.now() - this.#lastBeat > LEASE * BEATS * this.#beatMs) {
      this.#lapses++
      // Counted once: the lease begins again with the next beat
      this.#lastBeat = Number.POSITIVE_INFINITY
    }
    return this.#lapses
  }

  /** Reads which of these owners are there, inside the transaction that decides on their claims. */
  async look(query: PostgresQuery, owners: ReadonlySet<string>): Promise<void> {
    const names = [...owners].filter((owner) => owner !== this.own)
    if (names.length === 0) return
    const found = await query('select name from lockstep_payments.owners where name = any($1)', [
      names.map((name) => Buffer.from(name, 'hex')),
    ])
    this.#present = new Set(found.map(({ name }) => nameOf(name)))
  }

  deliveriesOfExited(owner: string): ReadonlyMap<string, Uint8Array> | undefined {
    const hasExited = !this.#present.has(owner) || (this.#observed.get(owner)?.silent ?? 0) >= BEATS
    if (this.#local?.knows(owner)) return this.#local.deliveriesOfExited(owner)
    return hasExited ? NO_DELIVERIES : undefined
  }

  /** Removes this process: what it still holds can be claimed at once. */
  async close(): Promise<void> {
    this.#isClosed = true
    stopTimer(this.#timer)
    await this.#beating
    await this.#session
      .transaction((query) => removeOwner(query, this.own))
      .catch(() => {
        // Others see that it is silent
      })
  }

  #schedule(): void {
    if (this.#isClosed) return
    this.#timer = startTimer(() => {
      this.#beating = this.#beat()
        .catch(this.#onFailure)
        .then(() => this.#schedule())
    }, this.#beatMs)
    this.#timer.unref()
  }

  async #beat(): Promise<void> {
    // Before anything else: a pause until now has let the lease run out
    void this.lapses
    const sent = performance.now()
    const rows = await this.#session.transaction(async (query) => {
      await query(
        `insert into lockstep_payments.owners as known (name, beat) values ($1, 1)
         on conflict (name) do update set beat = known.beat + 1`,
        [Buffer.from(this.own, 'hex')],
      )
      return query('select name, beat from lockstep_payments.owners')
    })
    this.#lastBeat = sent
    const names = new Set(rows.map(({ name }) => nameOf(name)))
    for (const name of this.#observed.keys()) if (!names.has(name)) this.#observed.delete(name)
    const silent: string[] = []
    for (const { name: bytes, beat: value } of rows) {
      const name = nameOf(bytes)
      const beat = String(value)
      const known = this.#observed.get(name)
      if (known?.beat !== beat) this.#observed.set(name, { beat, silent: 0 })
      else if (++known.silent >= BEATS) silent.push(name)
    }
    await this.#removeIdle(silent)
  }

  /** Removes the rows of owners that have exited and hold nothing. */
  async #removeIdle(owners: readonly string[]): Promise<void> {
    if (owners.length === 0) return
    await this.#session.transaction((query) =>
      query(
        `delete from lockstep_payments.owners o where o.name = any($1)
         and not exists (select from lockstep_payments.claims c where c.owner = o.name)`,
        [owners.map((name) => Buffer.from(name, 'hex'))],
      ),
    )
  }
}

function nameOf(bytes: unknown): string {
  return Buffer.from(bytes as Uint8Array).toString('hex')
}

/** Removes an owner that has ended. */
export async function removeOwner(query: PostgresQuery, owner: string): Promise<void> {
  await query('delete from lockstep_payments.owners where name = $1', [Buffer.from(owner, 'hex')])
}
