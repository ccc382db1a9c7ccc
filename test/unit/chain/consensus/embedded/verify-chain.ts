import { createPublicKey, verify } from 'node:crypto'
import { expect } from 'vitest'
import { blockIdOf, hashTransactions } from '../../../../../host/chain/consensus/comet/block.ts'
import { NO_BLOCK_ID } from '../../../../../host/chain/consensus/comet/block-id.ts'
import { hashResults } from '../../../../../host/chain/consensus/comet/block-results.ts'
import { hashCommit, NO_COMMIT } from '../../../../../host/chain/consensus/comet/commit.ts'
import { hashCometHeader } from '../../../../../host/chain/consensus/comet/header.ts'
import {
  hashValidators,
  validatorSet,
} from '../../../../../host/chain/consensus/comet/validator-set.ts'
import { VOTE_TYPE, voteSignBytes } from '../../../../../host/chain/consensus/comet/vote.ts'
import type { ConsensusBlockStore } from '../../../../../host/chain/consensus/embedded/block-store.ts'
import { GENESIS, KEY, TOY_GENESIS_HASH, toyAppHash } from '../toy-chain.ts'

const PUBLIC_KEY = createPublicKey({
  key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(KEY.publicKey).toString('base64url') },
  format: 'jwk',
})

/** Checks every block as a light client and a replaying node do. */
export function verifyChain(store: ConsensusBlockStore, from: number, to: number): void {
  let parent = from === GENESIS.initialHeight ? undefined : store.decided(from - 1)
  for (let height = from; height <= to; height++) {
    const decided = store.decided(height)
    if (decided === undefined) throw new Error(`no block ${height}`)
    const { header, transactions, lastCommit } = decided.block
    expect(header.height).toBe(height)
    expect(blockIdOf(header, decided.encoded)).toEqual(decided.blockId)
    expect(header.lastBlockId).toEqual(parent?.blockId ?? NO_BLOCK_ID)
    expect(lastCommit).toEqual(parent?.commit ?? NO_COMMIT)
    expect(header.lastCommitHash).toEqual(hashCommit(lastCommit))
    expect(header.dataHash).toEqual(hashTransactions(transactions))
    expect(header.validatorsHash).toEqual(hashValidators(validatorSet(GENESIS.validators)))
    const results = store.results(height - 1)
    expect(header.lastResultsHash).toEqual(hashResults(results ?? []))
    expect(header.appHash).toEqual(
      parent === undefined
        ? TOY_GENESIS_HASH
        : toyAppHash(parent.block.header.appHash, parent.block.transactions),
    )
    if (parent !== undefined) expect(header.time).toBeGreaterThan(parent.block.header.time)
    const [vote] = decided.commit.signatures
    if (vote === undefined) throw new Error(`no signature at ${height}`)
    const signBytes = voteSignBytes(header.chainId, {
      type: VOTE_TYPE.PRECOMMIT,
      height,
      round: 0,
      blockId: decided.blockId,
      timestamp: vote.timestamp,
    })
    expect(verify(null, signBytes, PUBLIC_KEY, vote.signature)).toBe(true)
    expect(store.heightOf(hashCometHeader(header))).toBe(height)
    parent = decided
  }
}
