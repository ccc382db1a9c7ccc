import { mergePayment } from './payment-body.ts'
import type { ResourceSource, ServableResource } from './resource-source.ts'

/** Serves a JSON object, made anew for each request. */
export class JsonSource implements ResourceSource {
  readonly #offer: ServableResource

  /** @param withMember true if the response has the member `payment` */
  constructor(make: () => object, withMember: boolean) {
    const headers = { 'content-type': 'application/json' }
    this.#offer = {
      serve: ({ payment }) => {
        const json = JSON.stringify(make())
        const body = withMember ? mergePayment(json, payment) : json
        return { response: { status: 200, headers, body }, outcome: 'served' }
      },
    }
  }

  find(): ServableResource {
    return this.#offer
  }
}
