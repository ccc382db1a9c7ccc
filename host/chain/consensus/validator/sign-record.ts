import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { equalBytes } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { hexDigits } from '../../../base/hex.ts'
import type { SignMemory } from './sign-memory.ts'
import {
  comparePosition,
  copyCommand,
  readSignState,
  type SignState,
  writeSignState,
} from './sign-state.ts'

/** Returns the path of the record of a key's last signature: beside the key, after resolving symbolic links. */
export function signRecordPath(keyPath: string, address: Uint8Array): string {
  const name = `priv_validator_signed.${hexDigits(address).toUpperCase()}.json`
  return join(dirname(existsSync(keyPath) ? realpathSync(keyPath) : keyPath), name)
}

function describe({ height, round }: SignState): string {
  return `height ${height} round ${round}`
}

/**
 * A validator's last signature in two places: `data/priv_validator_state.json` and beside the key. Both are written
 * before a signature is released, the one in data/ first. If that one is behind the other, data/ was restored from a
 * backup older than the signatures.
 */
export class SignRecord implements SignMemory {
  readonly isBound = true
  readonly #statePath: string
  readonly #recordPath: string
  #state: SignState
  #isWhole: boolean
  #following: Promise<void> = Promise.resolve()
  /** The call of `#follow` that is queued after it. */
  #next: Promise<void> | undefined

  private constructor(statePath: string, recordPath: string, state: SignState, isWhole: boolean) {
    this.#statePath = statePath
    this.#recordPath = recordPath
    this.#state = state
    this.#isWhole = isWhole
  }

  /**
   * Opens the record.
   * @throws VALIDATOR_KEY if a file is damaged or the one in data/ is missing; DOUBLE_SIGN if the one in data/ is
   * older than the key's last signature, or holds another vote for the same height and round
   */
  static async open(keyPath: string, address: Uint8Array, statePath: string): Promise<SignRecord> {
    const path = signRecordPath(keyPath, address)
    const recorded = existsSync(path) ? await readSignState(path) : undefined
    const state = await readSignState(statePath, recorded && path)
    if (recorded !== undefined && comparePosition(state, recorded) < 0) {
      throw new LockstepError(
        'DOUBLE_SIGN',
        `Duplicate signature refused: ${statePath} ends at ${describe(state)}, but the key has signed ` +
          `${describe(recorded)}, as ${path} says`,
        {
          hint:
            'data/ is older than the signatures: restore the latest data/, or run `lockstep snapshot import` ' +
            `with a snapshot of height ${recorded.height} or later from a node that follows this one`,
        },
      )
    }
    const isSame = recorded !== undefined && comparePosition(state, recorded) === 0
    if (isSame && state.signature.length > 0 && !equalBytes(state.signBytes, recorded.signBytes)) {
      // A crash held back the first vote, a restored data/ then signed the second, and then the first data/ came
      // back.
      throw new LockstepError(
        'DOUBLE_SIGN',
        `Duplicate signature refused: ${statePath} holds another vote for ${describe(state)} than the one that ` +
          `was released, as ${path} says`,
        { hint: `run \`${copyCommand(path, statePath)}\`` },
      )
    }
    return new SignRecord(statePath, path, state, isSame)
  }

  get state(): SignState {
    return this.#state
  }

  /** Resolves when the state is on disk in both places. */
  async write(state: SignState): Promise<void> {
    this.#isWhole = false
    await writeSignState(this.#statePath, state)
    this.#state = state
    await this.complete()
  }

  /**
   * Reads what another process, which only writes the one in data/, has signed since. Calls made while the disk is
   * slow are combined.
   */
  follow(): Promise<void> {
    this.#next ??= this.#following
      .catch(() => {})
      .then(() => {
        this.#next = undefined
        this.#following = this.#follow()
        return this.#following
      })
    return this.#next
  }

  async #follow(): Promise<void> {
    const state = await readSignState(this.#statePath)
    if (comparePosition(state, this.#state) > 0) {
      this.#state = state
      this.#isWhole = false
    }
    await this.complete()
  }

  /** Writes the record beside the key if a crash has left it behind. */
  async complete(): Promise<void> {
    if (this.#isWhole) return
    await writeSignState(this.#recordPath, this.#state)
    this.#isWhole = true
  }
}
