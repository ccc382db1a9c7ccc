import { messageOf } from '../../base/error.ts'
import { startInterval, stopTimer, type Timer, timeoutSignal } from '../../base/timer.ts'
import type { GroupCommit } from '../../storage/store/sqlite/group-commit.ts'
import { postEvent } from './post-event.ts'
import type { Delivery, StoredWebhook, WebhookSecret, WebhookStore } from './webhook-store.ts'
import { pinAddress, type ResolveName } from './webhook-target.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Delays after failed attempts, three days in total. Then the delivery is dead until it is replayed. */
const BACKOFF: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  DAY,
]

/** Random addition to each delay: a receiver that recovers does not get all deliveries at once. */
const JITTER = 0.1

/** Concurrent requests per receiver. A failing receiver gets one at a time. */
const PER_WEBHOOK = 4

/** Concurrent requests in total. */
const MAX_REQUESTS = 1_024

/** How long events with ended deliveries are kept for replay. */
const KEPT_MS = 30 * DAY

const FORGET_MS = HOUR

/** Milliseconds. */
export interface WebhookTimes {
  /** Poll interval for events stored by other processes. */
  readonly pollMs: number
  readonly timeoutMs: number
  readonly backoff: readonly number[]
}

export const WEBHOOK_TIMES: WebhookTimes = {
  pollMs: SECOND,
  timeoutMs: 15 * SECOND,
  backoff: BACKOFF,
}

export interface DispatcherOptions {
  readonly store: WebhookStore
  readonly commits: GroupCommit
  readonly allowPrivate: boolean
  readonly resolve: ResolveName
  readonly times: WebhookTimes
  readonly now: () => number
  readonly random: () => number
  readonly onTrouble: (error: unknown) => void
}

/** Delivers events at least once each. A slow webhook does not delay others. */
export class WebhookDispatcher {
  readonly #options: DispatcherOptions
  /** Keys of deliveries in progress, by webhook. */
  readonly #underWay = new Map<string, Set<string>>()
  /** Webhooks whose last request failed. */
  readonly #failing = new Set<string>()
  readonly #ended = new AbortController()
  readonly #work = new Set<Promise<void>>()
  readonly #timer: Timer
  #requests = 0
  #isWoken = false
  #forgotAt = 0

  constructor(options: DispatcherOptions) {
    this.#options = options
    this.#timer = startInterval(() => this.wake(), options.times.pollMs)
    this.wake()
  }

  /** Checks for due deliveries. */
  wake(): void {
    if (this.#isWoken || this.#ended.signal.aborted) return
    this.#isWoken = true
    setImmediate(() => {
      this.#isWoken = false
      try {
        this.#look()
      } catch (error) {
        this.#options.onTrouble(error)
      }
    })
  }

  /** Deliveries in progress are repeated by the next process. */
  async close(): Promise<void> {
    stopTimer(this.#timer)
    this.#ended.abort()
    await Promise.allSettled(this.#work)
  }

  #look(): void {
    if (this.#ended.signal.aborted) return
    const { store, now } = this.#options
    for (const id of store.due(now())) this.#start(id)
    this.#forget()
  }

  #start(webhookId: string): void {
    const { store, now } = this.#options
    const underWay = this.#underWay.get(webhookId) ?? new Set()
    const most = this.#failing.has(webhookId) ? 1 : PER_WEBHOOK
    const room = Math.min(most - underWay.size, MAX_REQUESTS - this.#requests)
    if (room <= 0) return
    const webhook = store.find(webhookId)
    if (webhook === undefined) return
    this.#underWay.set(webhookId, underWay)
    const due = store.dueOf(webhookId, now(), room + underWay.size)
    for (const delivery of due.filter(({ event_id }) => !underWay.has(event_id)).slice(0, room)) {
      underWay.add(delivery.event_id)
      this.#requests++
      const work = this.#deliver(webhook, delivery)
        .catch(this.#options.onTrouble)
        .finally(() => {
          this.#requests--
          this.#work.delete(work)
          underWay.delete(delivery.event_id)
          if (underWay.size === 0) this.#underWay.delete(webhookId)
          this.wake()
        })
      this.#work.add(work)
    }
  }

  async #deliver(webhook: StoredWebhook, delivery: Delivery): Promise<void> {
    const { store, commits, now } = this.#options
    const problem = await this.#attempt(webhook, delivery)
    if (this.#ended.signal.aborted && problem !== undefined) return
    const attempts = delivery.attempts + 1
    if (problem === undefined) {
      this.#failing.delete(webhook.id)
      await commits.run(() => store.conclude(delivery, 'delivered', attempts, now(), null))
      return
    }
    this.#failing.add(webhook.id)
    const pause = this.#options.times.backoff[attempts - 1]
    const state = pause === undefined ? 'dead' : 'waiting'
    const nextAt = now() + Math.ceil((pause ?? 0) * (1 + JITTER * this.#options.random()))
    await commits.run(() => store.conclude(delivery, state, attempts, nextAt, problem))
  }

  /** @returns the reason if it was not delivered */
  async #attempt(
    { url: text, secrets }: StoredWebhook,
    delivery: Delivery,
  ): Promise<string | undefined> {
    const { allowPrivate, resolve, now, times } = this.#options
    const url = new URL(text)
    const signal = AbortSignal.any([this.#ended.signal, timeoutSignal(times.timeoutMs)])
    try {
      const address = await pinAddress(url, { allowPrivate, resolve })
      const inUse = (JSON.parse(secrets) as WebhookSecret[])
        .filter(({ until }) => until === null || until > now())
        .map(({ secret }) => secret)
      return await postEvent({ url, address, secrets: inUse, delivery, now: now(), signal })
    } catch (error) {
      return messageOf(error)
    }
  }

  #forget(): void {
    const { store, commits, now, onTrouble } = this.#options
    if (now() - this.#forgotAt < FORGET_MS) return
    this.#forgotAt = now()
    commits.run(() => store.forget(now() - KEPT_MS)).catch(onTrouble)
  }
}
