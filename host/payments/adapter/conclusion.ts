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

  /** @param isDelivered false where the payer may ask again with the same proof */
  is(isDelivered: boolean): void {
    if (this.#isKnown) return
    this.#isKnown = true
    const noted = isDelivered ? this.#admission.delivered() : this.#admission.failed()
    noted.catch(this.#onFailure)
  }
}

/** Statuses of which a payer has nothing. */
export function isServed(status: number): boolean {
  return status < 400
}
