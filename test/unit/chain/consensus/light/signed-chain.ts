import { sign } from 'node:crypto'
import {
  blockIdOf,
  type CometBlock,
  encodeCometBlock,
  hashNoEvidence,
  hashTransactions,
} from '../../../../../host/chain/consensus/comet/block.ts'
import { NO_BLOCK_ID } from '../../../../../host/chain/consensus/comet/block-id.ts'
import {
  BLOCK_ID_FLAG,
  type Commit,
  hashCommit,
  NO_COMMIT,
} from '../../../../../host/chain/consensus/comet/commit.ts'
import { type Ed25519Key, keyFromSeed } from '../../../../../host/chain/consensus/comet/ed25519.ts'
import {
  BLOCK_PROTOCOL,
  type CometHeader,
} from '../../../../../host/chain/consensus/comet/header.ts'
import { sha256 } from '../../../../../host/chain/consensus/comet/sha256.ts'
import {
  type CometValidator,
  cometAddress,
  hashValidators,
  validatorSet,
} from '../../../../../host/chain/consensus/comet/validator-set.ts'
import { VOTE_TYPE, voteSignBytes } from '../../../../../host/chain/consensus/comet/vote.ts'
import type { LightBlock } from '../../../../../host/chain/consensus/light/light-block.ts'

export const CHAIN_ID = 'signed-1'
const START = 1_790_000_000_000_000_000n
const SECOND = 1_000_000_000n

/** A validator and its key. */
export interface Member {
  readonly key: Ed25519Key
  readonly power: number
}

/** Returns the n-th validator. */
export function member(n: number, power = 10): Member {
  return { key: keyFromSeed(new Uint8Array(32).fill(n)), power }
}

export function setOf(members: readonly Member[]): readonly CometValidator[] {
  return validatorSet(members.map(({ key, power }) => ({ publicKey: key.publicKey, power })))
}

export const timeAt = (height: number): bigint => START + BigInt(height) * SECOND

/** Differences from an honest block. */
export interface Forgery {
  readonly header?: Partial<CometHeader>
  /** Validators that sign; all by default. */
  readonly signers?: readonly Member[]
  readonly chainId?: string
}

/** Returns the commit of a block by some of its validators. The others are absent. */
export function commitOf(
  header: CometHeader,
  members: readonly Member[],
  signers: readonly Member[] = members,
  chainId = CHAIN_ID,
): Commit {
  const block: CometBlock = { header, transactions: [], lastCommit: NO_COMMIT }
  const blockId = blockIdOf(header, encodeCometBlock(block))
  const { height } = header
  const timestamp = header.time + SECOND
  const signatures = setOf(members).map(({ address }) => {
    const signer = signers.find(
      ({ key }) => Buffer.compare(cometAddress(key.publicKey), address) === 0,
    )
    if (signer === undefined) {
      const none = new Uint8Array()
      return {
        blockIdFlag: BLOCK_ID_FLAG.ABSENT,
        validatorAddress: none,
        timestamp: 0n,
        signature: none,
      }
    }
    const vote = { type: VOTE_TYPE.PRECOMMIT, height, round: 0, blockId, timestamp }
    const signature = Uint8Array.from(sign(null, voteSignBytes(chainId, vote), signer.key.signer))
    return { blockIdFlag: BLOCK_ID_FLAG.COMMIT, validatorAddress: address, timestamp, signature }
  })
  return { height, round: 0, blockId, signatures }
}

/** A chain of headers whose validators may change at each height. */
export class SignedChain {
  readonly blocks: LightBlock[] = []
  readonly #membersAt: (height: number) => readonly Member[]

  constructor(heights: number, membersAt: (height: number) => readonly Member[]) {
    this.#membersAt = membersAt
    for (let height = 1; height <= heights; height++) this.blocks.push(this.forge(height))
  }

  at(height: number): LightBlock {
    const block = this.blocks[height - 1]
    if (block === undefined) throw new RangeError(`no block ${height}`)
    return block
  }

  /** Returns the block of a height with some fields changed and validly signed. */
  forge(height: number, { header: fields = {}, signers, chainId }: Forgery = {}): LightBlock {
    const members = this.#membersAt(height)
    const validators = setOf(members)
    const before = this.blocks[height - 2]
    const header: CometHeader = {
      version: { block: BLOCK_PROTOCOL, app: 0 },
      chainId: CHAIN_ID,
      height,
      time: timeAt(height),
      lastBlockId: before?.commit.blockId ?? NO_BLOCK_ID,
      lastCommitHash: hashCommit(before?.commit ?? NO_COMMIT),
      dataHash: hashTransactions([]),
      validatorsHash: hashValidators(validators),
      nextValidatorsHash: hashValidators(setOf(this.#membersAt(height + 1))),
      consensusHash: sha256(new Uint8Array()),
      appHash: sha256(Uint8Array.of(height & 255)),
      lastResultsHash: sha256(new Uint8Array()),
      evidenceHash: hashNoEvidence(),
      proposerAddress: (validators[0] as CometValidator).address,
      ...fields,
    }
    return { header, commit: commitOf(header, members, signers, chainId), validators }
  }
}
