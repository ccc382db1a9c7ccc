import { LockstepError } from '../../../base/error.ts'

/** Limits on event subscriptions. */
export interface EventSubscriptionLimits {
  readonly clients: number
  /** Maximum subscriptions of one client. */
  readonly perClient: number
}

/** Limits the number of clients that wait for events, because each costs time with every block. */
export class SubscriptionSlots {
  readonly limits: EventSubscriptionLimits
  #taken = 0

  constructor(limits: EventSubscriptionLimits) {
    this.limits = limits
  }

  /**
   * Occupies a slot; returns a function that frees it.
   * @throws LIMIT_EXCEEDED with CometBFT's message.
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
