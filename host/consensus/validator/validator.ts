import { sign } from 'node:crypto'
import { equalBytes } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import type { BlockId } from '../comet/block-id.ts'
import type { Ed25519Key } from '../comet/ed25519.ts'
import { addressOf } from '../comet/validator-set.ts'
import { timestampOfSignBytes, VOTE_TYPE, type Vote, voteSignBytes } from '../comet/vote.ts'
import { readValidatorKey } from './key-file.ts'
import { readSignState, type SignState, STEP, writeSignState } from './sign-state.ts'

/** A decision to sign: the block that the validator votes for, and the time. */
export interface Precommit {
  readonly height: number
  readonly round: number
  readonly blockId: BlockId
  readonly timestamp: bigint
}

export interface SignedPrecommit {
  /** ed25519, 64 bytes. */
  readonly signature: Uint8Array
  /** The precommit's own, or that of an earlier signature of the same vote. */
  readonly timestamp: bigint
}

function refuse(what: string): never {
  throw new LockstepError('DOUBLE_SIGN', `Duplicate signature refused: ${what}`)
}

/** Signs precommits with the node's key, each height, round and step once. */
export class Validator {
  readonly publicKey: Uint8Array
  readonly address: Uint8Array
  readonly #key: Ed25519Key
  readonly #statePath: string
  #state: SignState

  constructor(key: Ed25519Key, statePath: string, state: SignState) {
    this.publicKey = key.publicKey
    this.address = addressOf(key.publicKey)
    this.#key = key
    this.#statePath = statePath
    this.#state = state
  }

  /**
   * Signs a precommit; the record of it is on disk before the signature is returned. The same vote
   * again, if only its timestamp differs, gets the earlier signature and timestamp back: that is how
   * a node continues that crashed between signing and using the signature.
   * @throws DOUBLE_SIGN when another vote was signed at this height, round and step, or a later one.
   */
  async signPrecommit(chainId: string, precommit: Precommit): Promise<SignedPrecommit> {
    const vote: Vote = { type: VOTE_TYPE.PRECOMMIT, ...precommit }
    const signBytes = voteSignBytes(chainId, vote)
    if (this.#isSignedStep(precommit.height, precommit.round)) {
      const timestamp = timestampOfSignBytes(this.#state.signBytes)
      const earlier = voteSignBytes(chainId, { ...vote, timestamp })
      if (!equalBytes(earlier, this.#state.signBytes)) {
        refuse(`conflicting data at height ${precommit.height} round ${precommit.round}`)
      }
      return { signature: this.#state.signature, timestamp }
    }
    const signature = Uint8Array.from(sign(null, signBytes, this.#key.signer))
    const state: SignState = {
      height: precommit.height,
      round: precommit.round,
      step: STEP.PRECOMMIT,
      signature,
      signBytes,
    }
    await writeSignState(this.#statePath, state)
    this.#state = state
    return { signature, timestamp: precommit.timestamp }
  }

  /** True when the last signature was for the precommit of this height and round; refuses to go back. */
  #isSignedStep(height: number, round: number): boolean {
    const last = this.#state
    if (height !== last.height) {
      if (height < last.height) {
        refuse(`height regression. Got ${height}, last height ${last.height}`)
      }
      return false
    }
    if (round !== last.round) {
      if (round < last.round) {
        refuse(`round regression at height ${height}. Got ${round}, last round ${last.round}`)
      }
      return false
    }
    if (last.step > STEP.PRECOMMIT) {
      refuse(
        `step regression at height ${height} round ${round}. ` +
          `Got ${STEP.PRECOMMIT}, last step ${last.step}`,
      )
    }
    if (last.step < STEP.PRECOMMIT) return false
    if (last.signBytes.length === 0 || last.signature.length === 0) {
      refuse(`the signing state has no signature for height ${height} round ${round}`)
    }
    return true
  }
}

/** @throws VALIDATOR_KEY when either file is missing or damaged. */
export async function loadValidator(keyPath: string, statePath: string): Promise<Validator> {
  return new Validator(await readValidatorKey(keyPath), statePath, await readSignState(statePath))
}
