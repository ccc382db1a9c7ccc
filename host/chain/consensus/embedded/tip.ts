import { EMPTY_BYTES, equalBytes } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { hexDigits } from '../../../base/hex.ts'
import type { TxResult } from '../application.ts'
import { type BlockId, NO_BLOCK_ID } from '../comet/block-id.ts'
import { hashResults } from '../comet/block-results.ts'
import { type Commit, NO_COMMIT } from '../comet/commit.ts'
import { wrongAppHash } from '../wrong-app-hash.ts'
import type { ConsensusBlockStore, DecidedBlock } from './block-store.ts'
import type { ConsensusChain } from './chain.ts'

/** The tip of the chain: fields of the latest block that the next header repeats. */
export interface Tip {
  /** 0 before the first block. */
  readonly height: number
  readonly time: bigint
  readonly blockId: BlockId
  readonly commit: Commit
  /** App hash after the block; possibly still pending while the next block is assembled. */
  readonly appHash: Promise<Uint8Array>
  /** App hash that the block's own header states. */
  readonly headerAppHash: Uint8Array
  readonly resultsHash: Uint8Array
}

/** Returns the tip before the first block, with the app hash of the genesis state. */
export function genesisTip(chain: ConsensusChain, appHash: Uint8Array): Tip {
  return {
    height: 0,
    time: chain.genesisTime,
    blockId: NO_BLOCK_ID,
    commit: NO_COMMIT,
    appHash: Promise.resolve(appHash),
    headerAppHash: EMPTY_BYTES,
    resultsHash: hashResults([]),
  }
}

/** Returns the tip after `decided` was executed, with its results hash and the app hash after it. */
export function tipAfter(
  decided: DecidedBlock,
  resultsHash: Uint8Array,
  appHash: Promise<Uint8Array>,
): Tip {
  const { header } = decided.block
  return {
    height: header.height,
    time: header.time,
    blockId: decided.blockId,
    commit: decided.commit,
    appHash,
    headerAppHash: header.appHash,
    resultsHash,
  }
}

export function heightAfter(chain: ConsensusChain, tip: Tip): number {
  return tip.height === 0 ? chain.initialHeight : tip.height + 1
}

/** Stores the latest app hash, which no header states yet, so that the next start can verify it. */
export async function keepAppHash(
  store: ConsensusBlockStore,
  { height, appHash: hashing }: Tip,
): Promise<void> {
  // A hashing failure has already been reported.
  const appHash = await hashing.catch(() => undefined)
  if (height > 0 && appHash !== undefined) store.saveAppHash(height, appHash)
}

/**
 * Compares the app hash of the application (`expected`) with the one that a block states (`stated`).
 * @throws APP_HASH_MISMATCH with CometBFT's message, which operators search for
 */
export function verifyAppHash(
  expected: Uint8Array,
  stated: Uint8Array,
  height: number,
  blockHash: Uint8Array,
): void {
  if (equalBytes(expected, stated)) return
  throw wrongAppHash(expected, stated, height, blockHash)
}

/**
 * Compares the results of a block executed again with those of the first execution.
 * @throws CONSENSUS_FAILURE if they differ: execution is not deterministic, or it began from another state
 */
export function verifyResults(
  resultsHash: Uint8Array,
  recorded: readonly TxResult[],
  height: number,
): void {
  const recordedHash = hashResults(recorded)
  if (equalBytes(resultsHash, recordedHash)) return
  const [got, want] = [resultsHash, recordedHash].map((each) => hexDigits(each).toUpperCase())
  throw new LockstepError(
    'CONSENSUS_FAILURE',
    `wrong Block.Header.LastResultsHash. Expected ${want}, got ${got} (height ${height} executed again)`,
    { data: { height } },
  )
}
