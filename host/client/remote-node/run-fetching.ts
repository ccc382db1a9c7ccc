import { bytesKey, EMPTY_BYTES } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import { type RecordedReads, slotKey } from '../../evm/state/recorded-state.ts'
import type { StateView } from '../../evm/state/view.ts'
import type { RemoteRead, StateSource } from './remote-state.ts'

/** Maximum guesses per round: reads that follow more guesses are unlikely to be useful. */
const MOST_GUESSES = 1_000

/** The fetched state. It treats every missing value as empty and records it. */
class GuessedState implements StateView {
  readonly missing = new Map<string, RemoteRead>()
  readonly #known: RecordedReads

  constructor(known: RecordedReads) {
    this.#known = known
  }

  account(address: Uint8Array): Uint8Array | undefined {
    const read = this.#known.accounts.get(bytesKey(address))
    if (read === undefined) this.#miss(bytesKey(address), { kind: 'account', address })
    return read?.record
  }

  storage(address: Uint8Array, slot: Uint8Array): Uint8Array | undefined {
    const key = slotKey(address, slot)
    const read = this.#known.slots.get(key)
    if (read === undefined) this.#miss(key, { kind: 'storage', address, slot })
    return read?.value
  }

  /** Code is known with its account. */
  code(codeHash: Uint8Array): Uint8Array {
    return this.#known.codes.get(bytesKey(codeHash))?.code ?? EMPTY_BYTES
  }

  blockHash(number: number): Uint8Array | undefined {
    const { blockHashes } = this.#known
    if (!blockHashes.has(number)) this.#miss(`#${number}`, { kind: 'blockHash', number })
    return blockHashes.get(number)
  }

  #miss(key: string, read: RemoteRead): void {
    if (this.missing.size < MOST_GUESSES) this.missing.set(key, read)
  }
}

/**
 * Runs over a remote state until all that the run reads has been fetched. Each round assumes missing values empty and
 * goes on, so that one request fetches what many parts of the run need next. The first missing read of a round is
 * always one of the true run, so each round makes progress. The result is that of a round without guesses.
 */
export async function runFetching<Result>(
  source: StateSource,
  run: (view: StateView) => Promise<Result>,
): Promise<Result> {
  for (;;) {
    const guessed = new GuessedState(source.reads)
    const { missing } = guessed
    let result: Result | undefined
    try {
      result = await run(guessed)
    } catch (thrown) {
      // A run with guesses may fail although the true one does not
      const isGuess = thrown instanceof LockstepError && thrown.code === 'TRACE_DIFFERS'
      if (missing.size === 0 || !isGuess) throw thrown
    }
    if (missing.size === 0) return result as Result
    await source.fetch([...missing.values()])
  }
}
