import type { Receipt } from '../../evm/chain-types/receipt.ts'
import type { HeaderSettings } from '../../evm/execute/header-settings.ts'

/**
 * The state machine as consensus sees it: the methods of ABCI 2.0 that this node uses, with the same meaning
 * (CometBFT `spec/abci`). Heights are numbers, times nanoseconds since 1970, hashes bytes.
 *
 * An app hash is a promise: the state is hashed while the next block executes. ABCI's answers are whole once
 * the hash is known; the embedded engine waits for it only where the next header states it.
 */
export interface Application {
  info(): ApplicationInfo
  initChain(request: InitChainRequest): Promise<InitChainResponse>
  /** Transactions for a new block, in order, at most `maxTxBytes` in all. */
  prepareProposal(request: ProposalRequest): Promise<readonly Uint8Array[]>
  /** True when a proposed block may be voted for. */
  processProposal(request: BlockRequest): Promise<boolean>
  /** Executes a decided block; nothing is kept until `commit`. */
  finalizeBlock(request: BlockRequest): Promise<FinalizeBlockResponse>
  /** Makes the finalized block durable, its app hash known or not; after it the block is acknowledged. */
  commit(): Promise<CommitResponse>
}

export interface ApplicationInfo {
  /** 0 before the first block. */
  readonly lastBlockHeight: number
  /** App hash after `lastBlockHeight`; empty before `initChain`. May be dropped too. */
  readonly lastBlockAppHash: Promise<Uint8Array>
  readonly data: string
  readonly version: string
  readonly appVersion: number
}

export interface ValidatorUpdate {
  /** ed25519 public key, 32 bytes. */
  readonly publicKey: Uint8Array
  readonly power: number
}

export interface InitChainRequest {
  readonly chainId: string
  readonly time: bigint
  readonly initialHeight: number
  readonly validators: readonly ValidatorUpdate[]
}

export interface InitChainResponse {
  /** App hash of the genesis state: it stands in the header of the first block. */
  readonly appHash: Uint8Array
}

export interface ProposalRequest {
  readonly height: number
  readonly time: bigint
  readonly proposerAddress: Uint8Array
  readonly maxTxBytes: number
  /** Of a development chain's block, set by hand; none from CometBFT. */
  readonly settings?: HeaderSettings
  /**
   * Resolves when nothing more may arrive for the block, which is put together until then; rejects where the block is
   * given up. Where it is left out, the block is of what waits now, as CometBFT's are.
   */
  readonly due?: Promise<void>
}

/** A validator's offence that consensus has proven: `Misbehavior` of ABCI. */
export interface Misbehavior {
  readonly kind: 'duplicate-vote' | 'light-client-attack'
  /** First 20 bytes of the SHA-256 hash of the consensus key. */
  readonly validatorAddress: Uint8Array
  /** Voting power of the validator at `height`. */
  readonly power: number
  /** Height and time of the offence. */
  readonly height: number
  readonly time: bigint
}

export interface BlockRequest {
  readonly height: number
  readonly time: bigint
  readonly proposerAddress: Uint8Array
  /** Hash of the consensus header. Empty in a proposal that has none yet. */
  readonly hash: Uint8Array
  readonly parentHash: Uint8Array
  readonly dataHash: Uint8Array
  readonly lastResultsHash: Uint8Array
  /** App hash in the header: the state after the parent block. */
  readonly appHash: Uint8Array
  readonly transactions: readonly Uint8Array[]
  /** Offences whose evidence the block holds, in its order; none under the embedded engine. */
  readonly misbehavior: readonly Misbehavior[]
  /** Of a development chain's block, set by hand; none from CometBFT. */
  readonly settings?: HeaderSettings
}

/** Result of one transaction, as it enters the last results hash. */
export interface TxResult {
  /** 0 when the transaction succeeded. */
  readonly code: number
  readonly data: Uint8Array
  readonly gasWanted: bigint
  readonly gasUsed: bigint
}

export interface FinalizeBlockResponse {
  readonly txResults: readonly TxResult[]
  /** Root over `txResults`: the last results hash of the next header. */
  readonly resultsHash: Uint8Array
  /** Of the transactions that ran, in order: those whose result has data. */
  readonly receipts: readonly Receipt[]
  /** App hash after this block. Whoever gets it may drop it: a rejection of it counts as handled. */
  readonly appHash: Promise<Uint8Array>
  /**
   * What differs from the validator set that consensus was last told, by public key; power 0 leaves it. It is the
   * set of two heights later. The embedded engine, which has one validator, does not follow it.
   */
  readonly validatorUpdates: readonly ValidatorUpdate[]
}

export interface CommitResponse {
  /** Blocks below this height may be dropped by consensus; 0 keeps all. */
  readonly retainHeight: number
}

/** Where a node stands among those that it takes blocks from. */
export interface SyncStatus {
  /** Newest height that another node has told of; 0 where there is none to ask. */
  readonly maxPeerHeight: number
  /** True while blocks are taken that others have long had. */
  readonly isCatchingUp: boolean
  /** Height at which the catching up began. */
  readonly startingHeight: number
  /** True while no other node answers: `maxPeerHeight` is then of an earlier time. */
  readonly isAlone?: boolean
  /** What the engine itself waits for, in words; absent while it works. */
  readonly waitingFor?: string
}

/** Blocks behind the best of the other nodes; undefined while none of them tells its height. */
export function lagOf(height: number, { maxPeerHeight, isAlone }: SyncStatus): number | undefined {
  if (isAlone === true || maxPeerHeight === 0) return undefined
  return Math.max(0, maxPeerHeight - height)
}

/** Of a node that follows nobody. */
export const IN_SYNC: SyncStatus = { maxPeerHeight: 0, isCatchingUp: false, startingHeight: 0 }

/** The driver of the application: the embedded engine, or CometBFT behind a socket. */
export interface ConsensusEngine {
  readonly sync: SyncStatus
  /** Newest height that the application has committed; 0 before the first block. */
  readonly height: number
  /** Says that transactions wait for a block. Matters only while empty blocks are off. */
  notifyTransactions(): void
  /** Finishes the height in progress; after it the application is no longer called. */
  stop(): Promise<void>
}
