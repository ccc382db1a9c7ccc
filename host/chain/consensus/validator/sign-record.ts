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

/** The record of a key's last signature that lies beside the key, where symbolic links end. */
export function recordPath(keyPath: string, address: Uint8Array): string {
  const name = `priv_validator_signed.${hexDigits(address).toUpperCase()}.json`
  return join(dirname(existsSync(keyPath) ? realpathSync(keyPath) : keyPath), name)
}

function describe({ height, round }: SignState): string {
  return `height ${height} round ${round}`
}

/**
 * What a validator has signed last, in two places: `data/priv_validator_state.json`, and beside the key. The
 * first is written before the second, both before a signature leaves: a first place that is behind the second
 * was restored from a backup that is older than the signatures.
 */
export class SignRecord implements SignMemory {
  readonly isBound = true
  readonly #statePath: string
  readonly #recordPath: string
  #state: SignState
  #isWhole: boolean
  #following: Promise<void> = Promise.resolve()
  /** The one that begins after it. */
  #next: Promise<void> | undefined

  private constructor(statePath: string, recordPath: string, state: SignState, isWhole: boolean) {
    this.#statePath = statePath
    this.#recordPath = recordPath
    this.#state = state
    this.#isWhole = isWhole
  }

  /**
   * @throws VALIDATOR_KEY when a file is damaged or that in data/ is missing, DOUBLE_SIGN when that in data/
   * is older than what the key has signed, or is another vote for the same place
   */
  static async open(keyPath: string, address: Uint8Array, statePath: string): Promise<SignRecord> {
    const path = recordPath(keyPath, address)
    const recorded = existsSync(path) ? await readSignState(path) : undefined
    const state = await readSignState(statePath, recorded && path)
    if (recorded !== undefined && comparePosition(state, recorded) < 0) {
      throw new LockstepError(
        'DOUBLE_SIGN',
        `Duplicate signature refused: ${statePath} ends at ${describe(state)}, but the key has signed ` +
          `${describe(recorded)}, as ${path} says`,
        {
          hint:
            'data/ is older than the signatures: put the newest data/ back, or run `lockstep snapshot import` ' +
            `with a snapshot of height ${recorded.height} or later of a node that followed`,
        },
      )
    }
    const isSame = recorded !== undefined && comparePosition(state, recorded) === 0
    if (isSame && state.signature.length > 0 && !equalBytes(state.signBytes, recorded.signBytes)) {
      // A crash kept the first from going out, a restored data/ had the second signed, and the first came back.
      throw new LockstepError(
        'DOUBLE_SIGN',
        `Duplicate signature refused: ${statePath} holds another vote for ${describe(state)} than the one that ` +
          `has left, as ${path} says`,
        { hint: `run \`${copyCommand(path, statePath)}\`` },
      )
    }
    return new SignRecord(statePath, path, state, isSame)
  }

  get state(): SignState {
    return this.#state
  }

  /** On disk in both places when it resolves. */
  async write(state: SignState): Promise<void> {
    this.#isWhole = false
    await writeSignState(this.#statePath, state)
    this.#state = state
    await this.complete()
  }

  /**
   * Takes over what another process has signed since, which writes the first place alone. What is asked for while the disk
   * is slow is done once.
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

  /** Writes the second place where a crash has left it behind the first. */
  async complete(): Promise<void> {
    if (this.#isWhole) return
    await writeSignState(this.#recordPath, this.#state)
    this.#isWhole = true
  }
}
