import { EMPTY_BYTES } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import { MissingState } from './missing-state.ts'
import type { StateView } from './view.ts'

/** Maximum values fetched per round. After so many guesses, what a run reads is probably useless. */
const MOST_GUESSES = 1_000

/** A view that treats missing values as empty and records them. */
class AssumingView implements StateView {
  readonly absent: MissingState[] = []
  readonly #base: StateView

  constructor(base: StateView) {
    this.#base = base
  }

  account(address: Uint8Array): Uint8Array | undefined {
    try {
      return this.#base.account(address)
    } catch (thrown) {
      return this.#note(thrown)
    }
  }

  storage(address: Uint8Array, slot: Uint8Array): Uint8Array | undefined {
    try {
      return this.#base.storage(address, slot)
    } catch (thrown) {
      return this.#note(thrown)
    }
  }

  code(codeHash: Uint8Array): Uint8Array {
    try {
      return this.#base.code(codeHash)
    } catch (thrown) {
      return this.#note(thrown) ?? EMPTY_BYTES
    }
  }

  blockHash(number: number): Uint8Array | undefined {
    try {
      return this.#base.blockHash(number)
    } catch (thrown) {
      return this.#note(thrown)
    }
  }

  #note(thrown: unknown): undefined {
    if (!(thrown instanceof MissingState)) throw thrown
    if (this.absent.length < MOST_GUESSES) this.absent.push(thrown)
    return undefined
  }
}

/**
 * Runs a read-only call with missing values assumed empty, fetches what it touched in one batch, and repeats. The
 * first value missing in a round is always one that the real run reads, so each round makes progress. The result is
 * that of a round without guesses, returned synchronously if nothing was missing.
 */
export function runInRounds<Result>(
  view: StateView,
  run: (view: StateView) => Result | Promise<Result>,
): Result | Promise<Result> {
  const guessing = new AssumingView(view)
  const { absent } = guessing
  const again = async (): Promise<Result> => {
    await Promise.all(absent.map((part) => part.arrival()))
    return runInRounds(view, run)
  }
  const end = (result: Result) => (absent.length === 0 ? result : again())
  const fail = (thrown: unknown) => {
    // A run with guesses may fail although the real one does not, except by timeout.
    const isOver = thrown instanceof LockstepError && thrown.code === 'REQUEST_TIMEOUT'
    if (absent.length === 0 || isOver) throw thrown
    return again()
  }
  let result: Result | Promise<Result>
  try {
    result = run(guessing)
  } catch (thrown) {
    return fail(thrown)
  }
  return result instanceof Promise ? result.then(end, fail) : end(result)
}
