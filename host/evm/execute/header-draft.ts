import type { BlockHeader, EthereumBody, Withdrawal } from '../chain-types/block.ts'
import { encodeBlock, finishedHeader } from '../chain-types/ethereum-block.ts'
import { type EthereumHeader, encodeHeader } from '../chain-types/ethereum-header.ts'
import type { Keccak256 } from '../chain-types/signature-recovery.ts'

/** The fields of a block that never enters the chain. An undefined field follows the parent block. */
export interface DraftRequest {
  readonly number: number
  readonly timestamp: number
  readonly gasLimit: bigint | undefined
  readonly coinbase: Uint8Array | undefined
  readonly prevRandao: Uint8Array | undefined
  /** Undefined for the fee that the market gives. */
  readonly baseFee: bigint | undefined
  readonly parentBeaconBlockRoot: Uint8Array | undefined
  /** Root of the withdrawals that the block credits. */
  readonly withdrawalsRoot: Uint8Array
}

/** The fields of a header that the execution of its block decides. */
export interface DraftResults {
  readonly stateRoot: Uint8Array
  readonly transactionsRoot: Uint8Array
  readonly receiptsRoot: Uint8Array
  readonly logsBloom: Uint8Array
  readonly gasUsed: bigint
  readonly blobGasUsed: bigint
  readonly requestsHash: Uint8Array | undefined
}

/** Hash, roots and results of a block that has not run. */
export const UNKNOWN: Uint8Array = new Uint8Array(32)

/** The body that goes with a header; undefined where its chain's blocks have none. */
export function bodyOf(
  { ethereum }: BlockHeader,
  withdrawals: readonly Withdrawal[],
): EthereumBody | undefined {
  if (ethereum === undefined) return undefined
  const hasWithdrawals = ethereum.header.withdrawalsRoot !== undefined
  return { ommers: [], withdrawals: hasWithdrawals ? withdrawals : undefined }
}

/**
 * The header of a block that ran. Its hash is the Keccak-256 hash of the header in Ethereum's encoding:
 * on this node's own chain of the fields that its record shows, since consensus has not seen it.
 */
export function sealDraft(
  draft: BlockHeader,
  results: DraftResults,
  transactions: readonly Uint8Array[],
  body: EthereumBody | undefined,
  toEthereum: (header: BlockHeader) => EthereumHeader,
  keccak256: Keccak256,
): BlockHeader {
  const { requestsHash, blobGasUsed, ...shared } = results
  if (draft.ethereum === undefined || body === undefined) {
    const size = transactions.reduce((sum, raw) => sum + raw.length, 0)
    const header = { ...draft, ...shared, size }
    return { ...header, hash: keccak256(encodeHeader(toEthereum(header))) }
  }
  const { header: own, totalDifficulty } = draft.ethereum
  const header: EthereumHeader = {
    ...own,
    ...shared,
    blobGasUsed: own.blobGasUsed === undefined ? undefined : blobGasUsed,
    requestsHash,
  }
  const size = encodeBlock(header, transactions, body).length
  return finishedHeader(header, keccak256(encodeHeader(header)), size, totalDifficulty)
}
