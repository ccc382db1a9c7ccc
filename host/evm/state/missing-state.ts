/**
 * Thrown by a view when a value must be fetched first. Await `arrival()`, then read again; a run continues at the
 * same opcode.
 */
export class MissingState extends Error {
  readonly #fetch: () => Promise<void>

  /** @param what names the value, for the message if the error is not handled */
  constructor(what: string, fetch: () => Promise<void>) {
    super(`${what} has not been fetched yet`)
    this.name = 'AbsentPart'
    this.#fetch = fetch
  }

  /** Fetches the value. Values requested in the same turn are fetched together. @throws what fetching throws */
  arrival(): Promise<void> {
    return this.#fetch()
  }
}

/** Runs `work`, again after each missing value has been fetched. What it does before a read is repeated. */
export function retryWhenFetched<Result>(
  work: () => Result | Promise<Result>,
): Result | Promise<Result> {
  try {
    const result = work()
    return result instanceof Promise ? result.catch((thrown) => afterArrival(thrown, work)) : result
  } catch (thrown) {
    return afterArrival(thrown, work)
  }
}

function afterArrival<Result>(
  thrown: unknown,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  if (!(thrown instanceof MissingState)) throw thrown
  return thrown.arrival().then(() => retryWhenFetched(work))
}
