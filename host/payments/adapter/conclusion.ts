import type { Admission } from '../gate/payment-gate.ts'

/** How the response to what was paid for ends: the first that is said of it counts. */
export class Conclusion {
  readonly #admission: Admission
  readonly #onFailure: (error: unknown) => void
  #isKnown = false

  /** @param onFailure hears of what cannot be noted: the claim stays open for the same request, so nothing is lost */
  constructor(admission: Admission, onFailure: (error: unknown) => void) {
    this.#admission = admission
    this.#onFailure = onFailure
  }

  /** @param isDelivered false where the payer may try again with the same proof, as often as it buys */
  is(isDelivered: boolean): void {
    this.#end(isDelivered ? 'delivered' : 'failed')
  }

  /** No handler has run: the payer may ask again with the same proof. */
  release(): void {
    this.#end('released')
  }

  #end(how: 'delivered' | 'failed' | 'released'): void {
    if (this.#isKnown) return
    this.#isKnown = true
    this.#admission[how]().catch(this.#onFailure)
  }
}

/** Statuses of which a payer has nothing. */
export function isServed(status: number): boolean {
  return status < 400
}
