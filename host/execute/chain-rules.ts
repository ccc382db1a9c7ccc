import type { BlockHeader } from '../chain-types/block.ts'
import type { BlockEnv } from '../engine/message.ts'
import type { BlobSchedule } from './ethereum/blob-gas.ts'

/** A call by the protocol itself (EIP-4788, EIP-2935). */
export interface SystemCall {
  readonly to: Uint8Array
  readonly data: Uint8Array
}

/**
 * What a chain's blocks run under, at each of its headers: the one place where this node's own chain and
 * an imported one differ for whoever runs something on their states.
 */
export interface ChainRules {
  readonly chainId: bigint
  /** What the transactions of a block see of it. */
  envOf(header: BlockHeader): BlockEnv
  /** What the protocol calls before the block's first transaction, in order. */
  systemCallsOf(header: BlockHeader): readonly SystemCall[]
  /** How many blobs a block takes; undefined where the chain takes none. */
  blobsOf(header: BlockHeader): BlobSchedule | undefined
  /** Wei a gas that the block after this one charges at least; 0 before London. */
  nextBaseFee(header: BlockHeader): bigint
  /** Wei a blob gas in the block after this one; undefined where the chain takes no blobs. */
  nextBlobBaseFee(header: BlockHeader): bigint | undefined
}
