import { RecentCache } from '../base/recent-cache.ts'
import { ActionError } from './action-error.ts'

interface Kept {
  /** The call as text: action and arguments. */
  readonly call: string
  readonly outcome: Promise<unknown>
}

/** At least half as many of the latest keys are kept. */
const MAX_KEPT = 20_000

/** Errors after which nothing was done: the same key may try again. */
const UNDONE: ReadonlySet<string> = new Set([
  'INVALID_ARGUMENT',
  'UNAVAILABLE',
  'NOT_FOUND',
  'INSUFFICIENT_FUNDS',
  'POLICY_DENIED',
  'LIMIT_EXCEEDED',
  'CHAIN_UNREACHABLE',
  'WALLET_REFUSED',
  'INTERNAL',
])

/** Calls by idempotency key, in memory. Each key executes one call once. */
export class IdempotencyKeys {
  readonly #kept = new RecentCache<string, Kept>(MAX_KEPT)

  /** @throws IDEMPOTENCY_CONFLICT if the key was used for another call */
  once<T>(key: string | undefined, call: string, run: () => Promise<T>): Promise<T> {
    if (key === undefined) return run()
    const kept = this.#kept.get(key)
    if (kept !== undefined) {
      if (kept.call === call) return kept.outcome as Promise<T>
      const text = 'the idempotencyKey was used for a call with other arguments'
      return Promise.reject(new ActionError('IDEMPOTENCY_CONFLICT', text))
    }
    const outcome = run()
    this.#kept.set(key, { call, outcome })
    outcome.catch((error) => {
      if (error instanceof ActionError && UNDONE.has(error.code)) this.#kept.delete(key)
    })
    return outcome
  }
}
