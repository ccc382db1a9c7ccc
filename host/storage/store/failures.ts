/** Failures of background work; the next block is rejected with the first. */
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
