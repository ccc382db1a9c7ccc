import { EMPTY_BYTES } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import { AbsentPart } from './absent-part.ts'
import type { StateView } from './view.ts'

/** Parts that one round asks for at most: what a run reads after so many guesses is likely to be of no use. */
const MOST_GUESSES = 1_000

/** A view that takes parts which are not here for empty, and notes them. */
class GuessingView implements StateView {
  readonly absent: AbsentPart[] = []
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
    if (!(thrown instanceof AbsentPart)) throw thrown
    if (this.absent.length < MOST_GUESSES) this.absent.push(thrown)
    return undefined
  }
}

/**
 * Runs something that changes nothing on a state that is partly elsewhere, in rounds: each goes on with a guess where
 * it lacks a part, so that one request fetches what many parts of the run are about to read. The first part that a
 * round lacks is always one of the true run, so each round brings it forward; the result is that of a round that has
 * guessed nothing. Where nothing has to be waited for it is given at once.
 */
export function inRounds<Result>(
  view: StateView,
  run: (view: StateView) => Result | Promise<Result>,
): Result | Promise<Result> {
  const guessing = new GuessingView(view)
  const { absent } = guessing
  const again = async (): Promise<Result> => {
    await Promise.all(absent.map((part) => part.arrival()))
    return inRounds(view, run)
  }
  const end = (result: Result) => (absent.length === 0 ? result : again())
  const fail = (thrown: unknown) => {
    // A run that has guessed may fail where the true one does not, unless its time is up
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
