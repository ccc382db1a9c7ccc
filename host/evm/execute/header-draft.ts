import type { BlockHeader, EthereumBody, Withdrawal } from '../chain-types/block.ts'
import { encodeEthereumBlock, finishedHeader } from '../chain-types/ethereum-block.ts'
import { type EthereumHeader, encodeRlpHeader } from '../chain-types/ethereum-header.ts'
import type { Keccak256 } from '../chain-types/signature-recovery.ts'

/** Fields of a block that never enters the chain. Undefined ones follow from the parent. */
export interface DraftRequest {
  readonly number: number
  readonly timestamp: number | bigint
  readonly gasLimit: bigint | undefined
  readonly coinbase: Uint8Array | undefined
  readonly prevRandao: Uint8Array | undefined
  /** Undefined for the market's base fee. */
  readonly baseFee: bigint | undefined
  readonly parentBeaconBlockRoot: Uint8Array | undefined
  /** Root of the block's withdrawals. */
  readonly withdrawalsRoot: Uint8Array
}

/** Header fields that execution determines. */
export interface DraftResults {
  readonly stateRoot: Uint8Array
  readonly transactionsRoot: Uint8Array
  readonly receiptsRoot: Uint8Array
  readonly logsBloom: Uint8Array
  readonly gasUsed: bigint
  readonly blobGasUsed: bigint
  readonly requestsHash: Uint8Array | undefined
  /** Undefined before Amsterdam. */
  readonly blockAccessListHash: Uint8Array | undefined
}

/** Placeholder for the hash, roots and results of a block that has not been executed. */
export const UNKNOWN: Uint8Array = new Uint8Array(32)

/** Returns the body for a header; undefined if blocks of its chain have none. */
export function bodyOf(
  { ethereum }: BlockHeader,
  withdrawals: readonly Withdrawal[],
): EthereumBody | undefined {
  if (ethereum === undefined) return undefined
  const hasWithdrawals = ethereum.header.withdrawalsRoot !== undefined
  return { ommers: [], withdrawals: hasWithdrawals ? withdrawals : undefined }
}

/**
 * Returns the header of an executed block that is not in the chain. The hash is the Keccak-256 of its Ethereum
 * encoding. On this node's own chain that encoding has the fields returned by the RPC, as there is no consensus
 * header.
 */
export function sealDraft(
  draft: BlockHeader,
  results: DraftResults,
  transactions: readonly Uint8Array[],
  body: EthereumBody | undefined,
  toEthereum: (header: BlockHeader) => EthereumHeader,
  keccak256: Keccak256,
): BlockHeader {
  const { requestsHash, blockAccessListHash, blobGasUsed, ...shared } = results
  if (draft.ethereum === undefined || body === undefined) {
    const size = transactions.reduce((sum, raw) => sum + raw.length, 0)
    const header = { ...draft, ...shared, size }
    return { ...header, hash: keccak256(encodeRlpHeader(toEthereum(header))) }
  }
  const { header: own, totalDifficulty } = draft.ethereum
  const header: EthereumHeader = {
    ...own,
    ...shared,
    blobGasUsed: own.blobGasUsed === undefined ? undefined : blobGasUsed,
    requestsHash,
    blockAccessListHash,
  }
  const size = encodeEthereumBlock(header, transactions, body).length
  return finishedHeader(header, keccak256(encodeRlpHeader(header)), size, totalDifficulty)
}
