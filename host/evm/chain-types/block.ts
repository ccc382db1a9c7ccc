import type { EthereumHeader } from './ethereum-header.ts'

/** The fields of an Ethereum header that `BlockHeader` lacks. */
export interface EthereumSeal {
  /** The Ethereum header, from which the other fields of `BlockHeader` are taken. */
  readonly header: EthereumHeader
  /** Sum of the difficulties up to and including this block. */
  readonly totalDifficulty: bigint
}

/**
 * Header of a finished block, as the JSON-RPC API returns it. Hashes are 32 bytes. On this node's own chain they come
 * from the consensus header: `hash` is its hash, `stateRoot` its app hash (the state after the parent block),
 * `transactionsRoot` its data hash, `receiptsRoot` its last results hash. On an imported chain they are Ethereum's.
 */
export interface BlockHeader {
  readonly number: number
  readonly hash: Uint8Array
  readonly parentHash: Uint8Array
  readonly stateRoot: Uint8Array
  readonly transactionsRoot: Uint8Array
  readonly receiptsRoot: Uint8Array
  readonly logsBloom: Uint8Array
  /** 20-byte fee recipient. */
  readonly miner: Uint8Array
  readonly prevRandao: Uint8Array
  /** Unix time in seconds. */
  readonly timestamp: number
  readonly gasLimit: bigint
  readonly gasUsed: bigint
  readonly baseFeePerGas: bigint
  /** Total bytes of the block's transactions in network encoding. On an imported chain: bytes of the whole block. */
  readonly size: number
  /**
   * Root over the results of this block's transactions: the next header's last results hash. Absent on an imported
   * chain, for block 0, and for blocks produced by release 0.1.0.
   */
  readonly resultsHash?: Uint8Array
  /** Present on imported chains only. */
  readonly ethereum?: EthereumSeal
}

/** Returns the exact time of a block, which an Ethereum header holds in 64 bits. */
export function timestampOf({
  ethereum,
  timestamp,
}: Pick<BlockHeader, 'timestamp' | 'ethereum'>): number | bigint {
  return ethereum?.header.timestamp ?? timestamp
}

/** A finished block: header and transactions in network encoding, in block order. */
export interface Block {
  readonly header: BlockHeader
  readonly transactions: readonly Uint8Array[]
  /** Present on imported chains only. */
  readonly ethereum?: EthereumBody
}

/** Ether credited by the consensus layer (EIP-4895). */
export interface Withdrawal {
  readonly index: bigint
  readonly validatorIndex: bigint
  readonly address: Uint8Array
  /** In gwei. */
  readonly amount: bigint
}

/** The ommers and withdrawals of an Ethereum block. */
export interface EthereumBody {
  readonly ommers: readonly EthereumHeader[]
  /** Undefined before Shanghai. */
  readonly withdrawals: readonly Withdrawal[] | undefined
}
