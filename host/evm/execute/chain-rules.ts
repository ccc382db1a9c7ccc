import type { BlockHeader, Withdrawal } from '../chain-types/block.ts'
import type { EthereumHeader } from '../chain-types/ethereum-header.ts'
import type { Log } from '../chain-types/log.ts'
import type { BlockEnv } from '../engine/message.ts'
import type { StateFork } from '../state/state-fork.ts'
import type { BlobSchedule } from './blob-gas.ts'
import type { BlockEngine, SystemCall } from './block-engine.ts'
import type { DraftRequest } from './header-draft.ts'

/**
 * What a chain's blocks run under, at each of its headers: the one place where this node's own chain and
 * an imported one differ for whoever runs something on their states.
 */
export interface ChainRules {
  readonly chainId: bigint
  /** The environment that the transactions of a block see. */
  envOf(header: BlockHeader): BlockEnv
  /** The protocol's calls before the block's first transaction, in order. */
  systemCallsOf(header: BlockHeader): readonly SystemCall[]
  /** A header in Ethereum's form, with the fields that its fork has. */
  ethereumHeader(header: BlockHeader): EthereumHeader
  /** How many blobs a block takes; undefined where the chain takes none. */
  blobsOf(header: BlockHeader): BlobSchedule | undefined
  /** Base fee of the block after this one, in wei per unit of gas; 0 before London. */
  nextBaseFee(header: BlockHeader): bigint
  /**
   * The header of a block that could follow `parent`, as far as it is known before the block has run. Its
   * hash and roots are zeros.
   */
  draft(parent: BlockHeader, request: DraftRequest): BlockHeader
  /**
   * Closes a block after its last transaction, on the state that its transactions left: withdrawals,
   * rewards, requests. Returns the hash of the requests; undefined where blocks have none.
   */
  close(
    engine: BlockEngine,
    state: StateFork,
    draft: BlockHeader,
    withdrawals: readonly Withdrawal[],
    logs: Iterable<Log>,
  ): Uint8Array | undefined
  /**
   * Blob base fee of the block after this one, in wei per unit of blob gas; undefined where the chain takes
   * no blobs.
   */
  nextBlobBaseFee(header: BlockHeader): bigint | undefined
}
