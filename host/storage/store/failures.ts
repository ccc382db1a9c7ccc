/** Failures of work beside the chain's own: the next block hears of the first. */
export class Failures {
  #first: { readonly thrown: unknown } | undefined

  add(thrown: unknown): void {
    this.#first ??= { thrown }
  }

  get any(): boolean {
    return this.#first !== undefined
  }

  check(): void {
    if (this.#first !== undefined) throw this.#first.thrown
  }
}
