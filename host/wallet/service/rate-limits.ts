import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { WalletError } from '../protocol/wallet-error.ts'

/** Failed authentications of one address within 10 s, above which it gets 429. */
const MOST_FAILURES = 100
const FAILURES_SECONDS = 10

async function consume(limiter: RateLimiterMemory, key: string, text: string): Promise<void> {
  try {
    await limiter.consume(key)
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal
    const seconds = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000))
    throw new WalletError('rate_limited', text, { retry_after: seconds })
  }
}

/** Request limits per app, and per address for failed authentication. */
export class RateLimits {
  readonly #apps: RateLimiterMemory | undefined
  readonly #failures = new RateLimiterMemory({ points: MOST_FAILURES, duration: FAILURES_SECONDS })

  /** @param perSecond requests per second of one app; 0 for no limit */
  constructor(perSecond: number) {
    this.#apps =
      perSecond === 0 ? undefined : new RateLimiterMemory({ points: perSecond, duration: 1 })
  }

  /** Counts a request of an app or an agent. @throws WalletError rate_limited */
  async ofCaller(id: string): Promise<void> {
    if (this.#apps !== undefined)
      await consume(this.#apps, id, 'the app or agent sends too many requests')
  }

  /**
   * Counts failed authentications. Valid credentials from the same address are never rejected. @throws WalletError
   * rate_limited
   */
  ofFailure(address: string): Promise<void> {
    return consume(this.#failures, address, 'too many wrong credentials from this address')
  }
}
