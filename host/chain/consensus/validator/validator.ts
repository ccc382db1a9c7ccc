import { sign } from 'node:crypto'
import { equalBytes } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import type { BlockId } from '../comet/block-id.ts'
import type { Ed25519Key } from '../comet/ed25519.ts'
import { addressOf } from '../comet/validator-set.ts'
import { timestampOfSignBytes, VOTE_TYPE, type Vote, voteSignBytes } from '../comet/vote.ts'
import { readValidatorKey } from './key-file.ts'
import type { SignMemory } from './sign-memory.ts'
import { SignRecord } from './sign-record.ts'
import { type SignState, STEP, UNSIGNED } from './sign-state.ts'
import { UnboundRecord } from './unbound-record.ts'

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
  readonly #record: SignMemory

  constructor(key: Ed25519Key, record: SignMemory) {
    this.publicKey = key.publicKey
    this.address = addressOf(key.publicKey)
    this.#key = key
    this.#record = record
  }

  /** False on a development chain: a height is signed as often as it comes. */
  get isBound(): boolean {
    return this.#record.isBound
  }

  /** The newest height, round and step that it has signed, or has been kept from. */
  get lastSigned(): SignState {
    return this.#record.state
  }

  /** Has it sign nothing more up to `height`, which is decided. */
  async closeHeights(height: number): Promise<void> {
    if (this.lastSigned.height >= height) return
    await this.#record.write({ ...UNSIGNED, height, step: STEP.PRECOMMIT })
  }

  /** Records beside the key what CometBFT has signed with it, which writes the one record in data/. */
  async follow(): Promise<void> {
    await this.#record.follow()
  }

  /**
   * Signs a precommit; both records of it are on disk before the signature is returned. The same vote
   * again, if only its timestamp differs, gets the earlier signature and timestamp back: that is how
   * a node continues that crashed between signing and using the signature.
   * @throws DOUBLE_SIGN when another vote was signed at this height, round and step, or a later one.
   */
  async signPrecommit(chainId: string, precommit: Precommit): Promise<SignedPrecommit> {
    const vote: Vote = { type: VOTE_TYPE.PRECOMMIT, ...precommit }
    const signBytes = voteSignBytes(chainId, vote)
    if (this.#isSignedStep(precommit.height, precommit.round)) {
      const last = this.#record.state
      const timestamp = timestampOfSignBytes(last.signBytes)
      const earlier = voteSignBytes(chainId, { ...vote, timestamp })
      if (!equalBytes(earlier, last.signBytes)) {
        refuse(`conflicting data at height ${precommit.height} round ${precommit.round}`)
      }
      await this.#record.complete()
      return { signature: last.signature, timestamp }
    }
    const signature = Uint8Array.from(sign(null, signBytes, this.#key.signer))
    const { height, round } = precommit
    await this.#record.write({ height, round, step: STEP.PRECOMMIT, signature, signBytes })
    return { signature, timestamp: precommit.timestamp }
  }

  /** True when the last signature was for the precommit of this height and round; refuses to go back. */
  #isSignedStep(height: number, round: number): boolean {
    const last = this.#record.state
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

/** The validator of a development chain. @throws VALIDATOR_KEY when the file is missing or damaged */
export async function loadUnboundValidator(keyPath: string): Promise<Validator> {
  return new Validator(await readValidatorKey(keyPath), new UnboundRecord())
}

/**
 * @throws VALIDATOR_KEY when a file is missing or damaged, DOUBLE_SIGN when the signing state is older than
 * what the key has signed
 */
export async function loadValidator(keyPath: string, statePath: string): Promise<Validator> {
  const key = await readValidatorKey(keyPath)
  return new Validator(key, await SignRecord.open(keyPath, addressOf(key.publicKey), statePath))
}
