import { compareBytes, equalBytes } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { hexDigits } from '../../../base/hex.ts'
import { formatTime } from '../../../base/time.ts'
import { blockIdOf, encodeCometBlock, hashNoEvidence, hashTransactions } from '../comet/block.ts'
import { hashCommit } from '../comet/commit.ts'
import { faultOfCommit, isSameBlock } from '../comet/commit-verification.ts'
import type { DecidedBlock } from '../embedded/block-store.ts'
import type { ConsensusChain } from '../embedded/chain.ts'
import { heightAfter, type Tip, verifyAppHash } from '../embedded/tip.ts'
import { checkSignedHeader, refuseBlock } from '../light/light-block.ts'
import type { GivenBlock } from './rpc-server.ts'

/**
 * Verifies that the validators decided a block. Their signatures cover every byte of it, so a server cannot have made
 * it up.
 * @throws PEER_INVALID
 */
export function verifyDecided(
  chain: ConsensusChain,
  height: number,
  given: GivenBlock,
): DecidedBlock {
  const { block, commit } = given
  const { header } = block
  if (header.height !== height)
    refuseBlock(height, `the server returned block ${header.height} instead`)
  checkSignedHeader(chain.id, { header, commit })
  const encoded = encodeCometBlock(block)
  const blockId = blockIdOf(header, encoded)
  if (!isSameBlock(blockId, commit.blockId)) {
    refuseBlock(height, 'its transactions or last commit differ from those that were signed')
  }
  const fault = faultOfCommit(chain.id, chain.validators, commit)
  if (fault !== undefined) refuseBlock(height, `invalid commit: ${fault}`)
  return { block, encoded, blockId, commit }
}

/**
 * Checks a decided block against this node's chain, as a validator does before it votes (CometBFT `validateBlock`).
 * The block is signed, so a failure means that either this node or the validators are at fault.
 * @throws APP_HASH_MISMATCH, CONSENSUS_FAILURE
 */
export async function verifyFollows(
  chain: ConsensusChain,
  tip: Tip,
  decided: DecidedBlock,
  appVersion: number,
): Promise<void> {
  const { block, blockId } = decided
  const { header } = block
  const height = heightAfter(chain, tip)
  const compare = (field: string, stated: Uint8Array, expected: Uint8Array): void => {
    if (equalBytes(stated, expected)) return
    const [want, got] = [expected, stated].map((hash) => hexDigits(hash).toUpperCase())
    throw wrong(height, `wrong Block.Header.${field}. Expected ${want}, got ${got}`)
  }
  if (header.version.app !== appVersion) {
    throw wrong(
      height,
      `wrong Block.Header.Version.App. Expected ${appVersion}, got ${header.version.app}`,
    )
  }
  compare('LastBlockID', header.lastBlockId.hash, tip.blockId.hash)
  compare('LastCommitHash', header.lastCommitHash, hashCommit(block.lastCommit))
  compare('DataHash', header.dataHash, hashTransactions(block.transactions))
  compare('ValidatorsHash', header.validatorsHash, chain.validatorsHash)
  compare('NextValidatorsHash', header.nextValidatorsHash, chain.validatorsHash)
  compare('ConsensusHash', header.consensusHash, chain.consensusHash)
  compare('EvidenceHash', header.evidenceHash, hashNoEvidence())
  verifyAppHash(await tip.appHash, header.appHash, height, blockId.hash)
  compare('LastResultsHash', header.lastResultsHash, tip.resultsHash)
  if (header.time <= tip.time && tip.height > 0) {
    throw wrong(height, `block time ${formatTime(header.time)} not after ${formatTime(tip.time)}`)
  }
  const { proposerAddress } = header
  if (!chain.validators.some(({ address }) => compareBytes(address, proposerAddress) === 0)) {
    throw wrong(height, `proposer ${hexDigits(proposerAddress)} is not a validator`)
  }
  verifyLastCommit(chain, tip, decided)
}

function verifyLastCommit(chain: ConsensusChain, tip: Tip, { block }: DecidedBlock): void {
  const { header, lastCommit } = block
  if (tip.height === 0) {
    if (lastCommit.signatures.length > 0) throw wrong(header.height, 'initial block has a commit')
    return
  }
  if (lastCommit.height !== tip.height || !isSameBlock(lastCommit.blockId, tip.blockId)) {
    throw wrong(header.height, `its last commit is not for block ${tip.height}`)
  }
  const fault = faultOfCommit(chain.id, chain.validators, lastCommit)
  if (fault !== undefined) throw wrong(header.height, `invalid last commit: ${fault}`)
}

function wrong(height: number, what: string): LockstepError {
  return new LockstepError('CONSENSUS_FAILURE', `${what} (height ${height})`, {
    data: { height },
    hint: 'the validators have signed another chain than the one of this home: ask them, and keep the data',
  })
}
