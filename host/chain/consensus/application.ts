import type { Receipt } from '../../evm/chain-types/receipt.ts'
import type { HeaderOverrides } from '../../evm/execute/header-overrides.ts'

/**
 * The state machine as consensus drives it: the methods of ABCI 2.0 that this node uses, with the same meaning
 * (CometBFT `spec/abci`). Heights are numbers, times nanoseconds since 1970, hashes bytes.
 *
 * App hashes are promises, because the state is hashed while the next block executes. An ABCI response waits for the
 * hash; the embedded engine waits for it only when the next header needs it.
 */
export interface Application {
  info(): ApplicationInfo
  initChain(request: InitChainRequest): Promise<InitChainResponse>
  /** Returns the transactions for a new block, in order, at most `maxTxBytes` in total. */
  prepareProposal(request: ProposalRequest): Promise<readonly Uint8Array[]>
  /** Returns true if the proposed block deserves a vote. */
  processProposal(request: BlockRequest): Promise<boolean>
  /** Executes a decided block. `commit` stores the result. */
  finalizeBlock(request: BlockRequest): Promise<FinalizeBlockResponse>
  /** Makes the finalized block durable, even if its app hash is still pending. The block is then acknowledged. */
  commit(): Promise<CommitResponse>
}

export interface ApplicationInfo {
  /** 0 before the first block. */
  readonly lastBlockHeight: number
  /**
   * App hash after `lastBlockHeight`; empty before `initChain`. Need not be awaited: its rejection counts as handled.
   */
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
  /** App hash of the genesis state, stated in the header of the first block. */
  readonly appHash: Uint8Array
}

export interface ProposalRequest {
  readonly height: number
  readonly time: bigint
  readonly proposerAddress: Uint8Array
  readonly maxTxBytes: number
  /** Header overrides of a development chain; absent under CometBFT. */
  readonly settings?: HeaderOverrides
  /**
   * Transactions may join the block until this resolves. A rejection abandons the block. If absent, the block takes
   * the pending transactions at once, as under CometBFT.
   */
  readonly due?: Promise<void>
}

/** A proven offence of a validator: `Misbehavior` of ABCI. */
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

/** A validator's part in the commit of a block: `VoteInfo` of ABCI. */
export interface CommitVote {
  /** First 20 bytes of the SHA-256 hash of the consensus key. */
  readonly validatorAddress: Uint8Array
  /** True if the commit has no vote of the validator. A vote for nil is a vote. */
  readonly isAbsent: boolean
}

export interface BlockRequest {
  readonly height: number
  readonly time: bigint
  readonly proposerAddress: Uint8Array
  /** Hash of the consensus header. Empty in a proposal whose header does not exist yet. */
  readonly hash: Uint8Array
  readonly parentHash: Uint8Array
  readonly dataHash: Uint8Array
  readonly lastResultsHash: Uint8Array
  /** App hash in the header: the state after the parent block. */
  readonly appHash: Uint8Array
  readonly transactions: readonly Uint8Array[]
  /** Offences that the block has evidence of, in block order; empty under the embedded engine. */
  readonly misbehavior: readonly Misbehavior[]
  /** The commit of the parent block that the block contains; empty in the first block. */
  readonly votes: readonly CommitVote[]
  /** Header overrides of a development chain; absent under CometBFT. */
  readonly settings?: HeaderOverrides
}

/** Result of one transaction as it enters the last results hash. */
export interface TxResult {
  /** 0 if the transaction succeeded. */
  readonly code: number
  readonly data: Uint8Array
  readonly gasWanted: bigint
  readonly gasUsed: bigint
}

export interface FinalizeBlockResponse {
  readonly txResults: readonly TxResult[]
  /** `txResults` as they are stored (`encodeBlockResults`). */
  readonly encodedResults: Uint8Array
  /** Merkle root over `txResults`: the last results hash of the next header. */
  readonly resultsHash: Uint8Array
  /** Receipts of the transactions that ran, which are those whose result has data, in order. */
  readonly receipts: readonly Receipt[]
  /** App hash after this block. Need not be awaited: its rejection counts as handled. */
  readonly appHash: Promise<Uint8Array>
  /**
   * Changes to the validator set last reported to consensus, by public key; power 0 removes a validator. They take
   * effect two heights later. The embedded engine has one validator and ignores them.
   */
  readonly validatorUpdates: readonly ValidatorUpdate[]
}

export interface CommitResponse {
  /** Consensus may drop blocks below this height; 0 retains all. */
  readonly retainHeight: number
}

/** Progress of a node relative to the nodes it syncs from. */
export interface SyncStatus {
  /** Highest height that another node reported; 0 without other nodes. */
  readonly maxPeerHeight: number
  /** True while the node fetches blocks that other nodes already have. */
  readonly isCatchingUp: boolean
  /** Height at which the sync began. */
  readonly startingHeight: number
  /** True while no other node answers, so that `maxPeerHeight` is outdated. */
  readonly isAlone?: boolean
  /** What the engine waits for, in words; absent while it works. */
  readonly waitingFor?: string
}

/** Returns the number of blocks behind the highest other node; undefined while no node reports a height. */
export function lagOf(height: number, { maxPeerHeight, isAlone }: SyncStatus): number | undefined {
  if (isAlone === true || maxPeerHeight === 0) return undefined
  return Math.max(0, maxPeerHeight - height)
}

/** Status of a node that syncs from no other. */
export const IN_SYNC: SyncStatus = { maxPeerHeight: 0, isCatchingUp: false, startingHeight: 0 }

/** The driver of the application: the embedded engine, or CometBFT behind a socket. */
export interface ConsensusEngine {
  readonly sync: SyncStatus
  /** Last height that the application has committed; 0 before the first block. */
  readonly height: number
  /** Above `height` only if the next block is decided, but needs another release. */
  readonly decidedHeight?: number
  /** Announces pending transactions. Only matters if empty blocks are disabled. */
  notifyTransactions(): void
  /** Finishes the current height, then stops calling the application. */
  stop(): Promise<void>
}
