import type { BlockHeader, Withdrawal } from '../chain-types/block.ts'
import type { EthereumHeader } from '../chain-types/ethereum-header.ts'
import type { Log } from '../chain-types/log.ts'
import type { BlockEnv } from '../engine/message.ts'
import type { StateFork } from '../state/state-fork.ts'
import type { BlockListing } from './access-list-builder.ts'
import type { BlobSchedule } from './blob-gas.ts'
import type { BlockEngine, SystemCall } from './block-engine.ts'
import type { DraftRequest } from './header-draft.ts'

/**
 * The rules of a chain's blocks. They hold every difference in execution between this node's own chain and an
 * imported one.
 */
export interface ChainRules {
  readonly chainId: bigint
  /** Returns the environment of the block's transactions. */
  envOf(header: BlockHeader): BlockEnv
  /** Returns the system calls before the block's first transaction, in order. */
  systemCallsOf(header: BlockHeader): readonly SystemCall[]
  /** Returns the header in Ethereum's form, with the fields of its fork. */
  ethereumHeader(header: BlockHeader): EthereumHeader
  /** Returns the block's blob schedule; undefined if it has no blobs. */
  blobsOf(header: BlockHeader): BlobSchedule | undefined
  /** Returns the base fee of the next block, in wei per gas; 0 before London. */
  nextBaseFee(header: BlockHeader): bigint
  /**
   * Returns the header of a block that could follow `parent`, as far as it is known before execution. Its hash and
   * roots are zeros.
   */
  draft(parent: BlockHeader, request: DraftRequest): BlockHeader
  /**
   * Closes a block on the state after its last transaction: withdrawals, rewards, requests.
   * @param listing receives what closing accesses, from Amsterdam on
   * @returns the hash of the requests; undefined if blocks have none
   */
  close(
    engine: BlockEngine,
    state: StateFork,
    draft: BlockHeader,
    withdrawals: readonly Withdrawal[],
    logs: Iterable<Log>,
    listing?: BlockListing,
  ): Uint8Array | undefined
  /** Returns the blob base fee of the next block, in wei per blob gas; undefined if the chain has no blobs. */
  nextBlobBaseFee(header: BlockHeader): bigint | undefined
}
