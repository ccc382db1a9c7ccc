/**
 * The header of a finished block, as the EVM JSON-RPC shows it. Hashes are 32 bytes. They are those of
 * the consensus header: `hash` its hash, `stateRoot` its app hash (the state after the parent block),
 * `transactionsRoot` its data hash, `receiptsRoot` its last results hash.
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
  /** Bytes of the block's transactions, network encoding. */
  readonly size: number
}

/** A finished block: header and the transactions' network encodings, in order. */
export interface Block {
  readonly header: BlockHeader
  readonly transactions: readonly Uint8Array[]
  /** App hash after this block; it stands in the next block's header. 32 bytes. */
  readonly appHash: Uint8Array
}
