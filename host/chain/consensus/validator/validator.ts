import { sign } from 'node:crypto'
import { equalBytes } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import type { BlockId } from '../comet/block-id.ts'
import type { Ed25519Key } from '../comet/ed25519.ts'
import { cometAddress } from '../comet/validator-set.ts'
import { timestampOfSignBytes, VOTE_TYPE, type Vote, voteSignBytes } from '../comet/vote.ts'
import { readValidatorKey } from './key-file.ts'
import { type SignMemory, UnboundRecord } from './sign-memory.ts'
import { SignRecord } from './sign-record.ts'
import { type SignState, STEP, UNSIGNED } from './sign-state.ts'

/** A precommit to sign: the block to vote for, and the time. */
export interface Precommit {
  readonly height: number
  readonly round: number
  readonly blockId: BlockId
  readonly timestamp: bigint
}

export interface SignedPrecommit {
  /** ed25519, 64 bytes. */
  readonly signature: Uint8Array
  /** Timestamp of the precommit, or of an earlier signature of the same vote. */
  readonly timestamp: bigint
}

function refuse(what: string): never {
  throw new LockstepError('DOUBLE_SIGN', `Duplicate signature refused: ${what}`)
}

/** Signs precommits with the node's key, at most once per height, round and step. */
export class BlockSigner {
  readonly publicKey: Uint8Array
  readonly address: Uint8Array
  readonly #key: Ed25519Key
  readonly #record: SignMemory

  constructor(key: Ed25519Key, record: SignMemory) {
    this.publicKey = key.publicKey
    this.address = cometAddress(key.publicKey)
    this.#key = key
    this.#record = record
  }

  /** False on a development chain, which may sign a height repeatedly. */
  get isBound(): boolean {
    return this.#record.isBound
  }

  /** The last height, round and step that it has signed or is barred from. */
  get lastSigned(): SignState {
    return this.#record.state
  }

  /** Bars it from signing up to `height`, which is decided. */
  async closeHeights(height: number): Promise<void> {
    if (this.lastSigned.height >= height) return
    await this.#record.write({ ...UNSIGNED, height, step: STEP.PRECOMMIT })
  }

  /** Records beside the key what CometBFT has signed with it, since CometBFT only writes the record in data/. */
  async follow(): Promise<void> {
    await this.#record.follow()
  }

  /**
   * Signs a precommit. Both records of it are on disk before the signature is returned. A repeat of the same vote
   * that differs only in its timestamp gets the earlier signature and timestamp, so that a node can continue after a
   * crash between signing and using the signature.
   * @throws DOUBLE_SIGN if another vote was signed at this height, round and step, or a later one
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

  /**
   * Returns true if the last signature was the precommit of this height and round.
   * @throws DOUBLE_SIGN if it was a later one
   */
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

/**
 * Loads the validator of a development chain.
 * @throws VALIDATOR_KEY if the file is missing or damaged
 */
export async function loadUnboundValidator(keyPath: string): Promise<BlockSigner> {
  return new BlockSigner(await readValidatorKey(keyPath), new UnboundRecord())
}

/**
 * Loads a validator.
 * @throws VALIDATOR_KEY if a file is missing or damaged, DOUBLE_SIGN if the signing state is older than the key's
 * last signature
 */
export async function loadValidator(keyPath: string, statePath: string): Promise<BlockSigner> {
  const key = await readValidatorKey(keyPath)
  return new BlockSigner(
    key,
    await SignRecord.open(keyPath, cometAddress(key.publicKey), statePath),
  )
}
