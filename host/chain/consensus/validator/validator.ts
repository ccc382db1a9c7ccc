import { sign } from 'node:crypto'
import type { BlockId } from '../comet/block-id.ts'
import type { Ed25519Key } from '../comet/ed25519.ts'
import { cometAddress } from '../comet/validator-set.ts'
import { timestampOfSignBytes, VOTE_TYPE, type Vote, voteSignBytes } from '../comet/vote.ts'
import { readValidatorKey } from './key-file.ts'
import { type SignMemory, UnboundRecord } from './sign-memory.ts'
import { signOnce, type TimedSignature } from './sign-once.ts'
import { SignRecord } from './sign-record.ts'
import { type SignState, STEP, UNSIGNED } from './sign-state.ts'

/** A precommit to sign: the block to vote for, and the time. */
export interface Precommit {
  readonly height: number
  readonly round: number
  readonly blockId: BlockId
  readonly timestamp: bigint
}

/** What signs: the key of this process, or a signer elsewhere. */
export interface Signatory {
  /** ed25519, 32 bytes. */
  readonly publicKey: Uint8Array
  /**
   * Signs a vote. One that this signatory has signed before, apart from the timestamp, gets the earlier signature and
   * timestamp.
   */
  sign(chainId: string, vote: Vote): TimedSignature | Promise<TimedSignature>
  /** Rejects signatures that wait for another process. */
  interrupt?(): void
}

/** Returns a signatory that has the key. */
export function signatoryOf({ publicKey, signer }: Ed25519Key): Signatory {
  return {
    publicKey,
    sign: (chainId, vote) => ({
      signature: Uint8Array.from(sign(null, voteSignBytes(chainId, vote), signer)),
      timestamp: vote.timestamp,
    }),
  }
}

/** Signs precommits of the node, at most once per height, round and step. */
export class BlockSigner {
  readonly publicKey: Uint8Array
  readonly address: Uint8Array
  readonly #signatory: Signatory
  readonly #record: SignMemory

  constructor(signatory: Signatory, record: SignMemory) {
    this.publicKey = signatory.publicKey
    this.address = cometAddress(signatory.publicKey)
    this.#signatory = signatory
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

  /** Rejects a signature that waits for a signer elsewhere, so that the node can stop. */
  interrupt(): void {
    this.#signatory.interrupt?.()
  }

  /** Records beside the key what CometBFT has signed with it, since CometBFT only writes the record in data/. */
  async follow(): Promise<void> {
    await this.#record.follow()
  }

  /**
   * Signs a precommit. Both records of it are on disk before the signature is returned.
   * @throws DOUBLE_SIGN if another vote was signed at this height, round and step, or a later one
   */
  signPrecommit(chainId: string, precommit: Precommit): Promise<TimedSignature> {
    const vote: Vote = { type: VOTE_TYPE.PRECOMMIT, ...precommit }
    return signOnce(
      this.#record,
      {
        ...precommit,
        step: STEP.PRECOMMIT,
        signBytes: (timestamp) => voteSignBytes(chainId, { ...vote, timestamp }),
        timestampOf: timestampOfSignBytes,
      },
      () => this.#signatory.sign(chainId, vote),
    )
  }
}

/**
 * Loads the validator of a development chain.
 * @throws VALIDATOR_KEY if the file is missing or damaged
 */
export async function loadUnboundValidator(keyPath: string): Promise<BlockSigner> {
  return new BlockSigner(signatoryOf(await readValidatorKey(keyPath)), new UnboundRecord())
}

/**
 * Loads a validator.
 * @throws VALIDATOR_KEY if a file is missing or damaged, DOUBLE_SIGN if the signing state is older than the key's
 * last signature
 */
export async function loadValidator(keyPath: string, statePath: string): Promise<BlockSigner> {
  const key = await readValidatorKey(keyPath)
  return new BlockSigner(
    signatoryOf(key),
    await SignRecord.open(keyPath, cometAddress(key.publicKey), statePath),
  )
}
