import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { WalletError } from '../protocol/wallet-error.ts'

/** Wrong credentials from one address in ten seconds, before they are answered 429. */
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

/** How much may be asked, by an app and by an address that is no app's. */
export class RateLimits {
  readonly #apps: RateLimiterMemory | undefined
  readonly #failures = new RateLimiterMemory({ points: MOST_FAILURES, duration: FAILURES_SECONDS })

  /** @param perSecond requests of an app in a second; 0 is any number */
  constructor(perSecond: number) {
    this.#apps =
      perSecond === 0 ? undefined : new RateLimiterMemory({ points: perSecond, duration: 1 })
  }

  /** Of an app or an agent, each for itself. @throws WalletError rate_limited */
  async ofCaller(id: string): Promise<void> {
    if (this.#apps !== undefined) await consume(this.#apps, id, 'the app or agent asks too often')
  }

  /** Counts wrong credentials; right ones are never refused for those of others. @throws WalletError rate_limited */
  ofFailure(address: string): Promise<void> {
    return consume(this.#failures, address, 'too many wrong credentials from this address')
  }
}
