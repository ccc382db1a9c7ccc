import { LockstepError } from '../../../base/error.ts'

/** How many clients may wait for events. */
export interface SubscriptionLimits {
  readonly clients: number
  /** Subscriptions of one client. */
  readonly perClient: number
}

/** Counts the clients that wait for events: each of them costs with every block. */
export class SubscriptionSlots {
  readonly limits: SubscriptionLimits
  #taken = 0

  constructor(limits: SubscriptionLimits) {
    this.limits = limits
  }

  /**
   * Takes a place; the function that is returned gives it up.
   * @throws LIMIT_EXCEEDED in CometBFT's words.
   */
  enter(): () => void {
    const { clients } = this.limits
    if (this.#taken >= clients) {
      throw new LockstepError(
        'LIMIT_EXCEEDED',
        `max_subscription_clients ${clients} reached: try again later, or raise rpc.max-subscription-clients`,
      )
    }
    this.#taken++
    let isIn = true
    return () => {
      if (isIn) this.#taken--
      isIn = false
    }
  }
}
