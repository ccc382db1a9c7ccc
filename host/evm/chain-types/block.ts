import type { EthereumHeader } from './ethereum-header.ts'

/** The part of a header of Ethereum that `BlockHeader` lacks. */
export interface EthereumSeal {
  /** The header itself; the other fields of `BlockHeader` are taken from it. */
  readonly header: EthereumHeader
  /** Sum of the difficulties up to this block. */
  readonly totalDifficulty: bigint
}

/**
 * The header of a finished block, as the EVM JSON-RPC shows it. Hashes are 32 bytes. On this node's own
 * chain they are those of the consensus header: `hash` its hash, `stateRoot` its app hash (the state
 * after the parent block), `transactionsRoot` its data hash, `receiptsRoot` its last results hash. On an
 * imported chain they are Ethereum's.
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
  /** Seconds since 1970. */
  readonly timestamp: number
  readonly gasLimit: bigint
  readonly gasUsed: bigint
  readonly baseFeePerGas: bigint
  /** Bytes of the block's transactions, network encoding; of the whole block on an imported chain. */
  readonly size: number
  /**
   * Root over the results of this block's transactions, which is the last results hash of the next header. Absent on an
   * imported chain, of block 0, and of blocks that 0.1.0 made.
   */
  readonly resultsHash?: Uint8Array
  /** Present on an imported chain. */
  readonly ethereum?: EthereumSeal
}

/** A finished block: header and the transactions' network encodings, in order. */
export interface Block {
  readonly header: BlockHeader
  readonly transactions: readonly Uint8Array[]
  /** Present on an imported chain. */
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

/** The ommers and withdrawals of a block of Ethereum. */
export interface EthereumBody {
  readonly ommers: readonly EthereumHeader[]
  /** Undefined before Shanghai. */
  readonly withdrawals: readonly Withdrawal[] | undefined
}
