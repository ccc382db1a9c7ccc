/** A promise with its resolvers. An unobserved rejection counts as handled. */
export class DeferredResult<Result> {
  readonly promise: Promise<Result>
  #resolve: (result: Result) => void = () => {}
  #reject: (reason: unknown) => void = () => {}

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    this.promise.catch(() => {})
  }

  resolve(result: Result): void {
    this.#resolve(result)
  }

  reject(reason: unknown): void {
    this.#reject(reason)
  }
}
