/**
 * A part of a state that is not here yet: what a view throws which has to fetch it first. Whoever may wait does so and
 * reads again; a run goes on at the same opcode.
 */
export class AbsentPart extends Error {
  readonly #fetch: () => Promise<void>

  /** @param what names the part, for whoever sees this where nobody waits */
  constructor(what: string, fetch: () => Promise<void>) {
    super(`${what} is not here yet`)
    this.name = 'AbsentPart'
    this.#fetch = fetch
  }

  /** Fetches the part; parts that are asked for in one turn come together. @throws what fetching throws */
  arrival(): Promise<void> {
    return this.#fetch()
  }
}

/** Runs work, and runs it anew after each part that it finds absent has come. What it does before a read happens again. */
export function onceHere<Result>(work: () => Result | Promise<Result>): Result | Promise<Result> {
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
  if (!(thrown instanceof AbsentPart)) throw thrown
  return thrown.arrival().then(() => onceHere(work))
}
