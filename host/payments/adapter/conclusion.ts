import type { Admission } from '../gate/payment-gate.ts'

/** Records once how the response to a paid request ended; later reports are ignored. */
export class Conclusion {
  readonly #admission: Admission
  readonly #onFailure: (error: unknown) => void
  /** Resolves after the outcome is recorded, or could not be. */
  #recorded: Promise<void> | undefined

  /** @param onFailure receives errors of writing the outcome; the claim then stays open for the same request */
  constructor(admission: Admission, onFailure: (error: unknown) => void) {
    this.#admission = admission
    this.#onFailure = onFailure
  }

  /** Returns true if another server may have taken the payment over: it must not be served. */
  isLost(): boolean {
    // A response after the outcome is known is not the paid one
    return this.#recorded === undefined && !this.#admission.isHeld()
  }

  /** Resolves after the outcome is recorded; at once if none was reported. */
  recorded(): Promise<void> {
    return this.#recorded ?? Promise.resolve()
  }

  /** @param isDelivered if false, the payer may retry with the same proof until its attempts are used up */
  is(isDelivered: boolean): void {
    this.#end(isDelivered ? 'delivered' : 'failed')
  }

  /** Releases the claim: no handler has run, so the payer may retry with the same proof. */
  release(): void {
    this.#end('released')
  }

  #end(how: 'delivered' | 'failed' | 'released'): void {
    this.#recorded ??= this.#admission[how]().catch(this.#onFailure)
  }
}

/** Returns whether a response of this status serves the payer. */
export function isServed(status: number): boolean {
  return status < 400
}
