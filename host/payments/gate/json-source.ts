import { withPayment } from './payment-body.ts'
import type { Offer, ResourceSource } from './resource-source.ts'

/** Serves a JSON object, made anew for each request. */
export class JsonSource implements ResourceSource {
  readonly #offer: Offer

  /** @param withMember true if the response has the member `payment` */
  constructor(make: () => object, withMember: boolean) {
    const headers = { 'content-type': 'application/json' }
    this.#offer = {
      serve: ({ payment }) => {
        const json = JSON.stringify(make())
        const body = withMember ? withPayment(json, payment) : json
        return { response: { status: 200, headers, body }, outcome: 'served' }
      },
    }
  }

  find(): Offer {
    return this.#offer
  }
}
