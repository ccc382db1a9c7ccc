import { LockstepError, messageOf } from '../../../base/error.ts'
import type { BlockHeader } from '../../../evm/chain-types/block.ts'
import type { ChainStore } from '../../../storage/store/chain/chain-store.ts'
import type { Application, BlockRequest, CommitResponse, InitChainRequest } from '../application.ts'
import { hashTransactions } from '../comet/block.ts'
import { hashResults } from '../comet/block-results.ts'
import { codespaceOf, eventsOf, logOf, pairResults } from '../events/executed-transaction.ts'
import type { QueryRequest, QueryResponse, StateQuery } from '../state-machine/state-query.ts'
import type { AbciApplication, InitChainResult } from './abci-application.ts'
import type { BlockPace } from './block-pace.ts'
import type {
  CheckTxRequest,
  CheckTxResponse,
  ExecBlockResult,
  ExecTxResult,
  HashedBlock,
  InfoResponse,
  PrepareProposalRequest,
} from './messages.ts'
import type { SnapshotPort } from './snapshot-port.ts'
import type { TransactionGate } from './transaction-gate.ts'

export interface ChainApplicationOptions {
  readonly application: Application
  /** Height of the first block that CometBFT decides: above 1 where it goes on with a chain of another engine. */
  readonly initialHeight: number
  /** The blocks that the application has committed. */
  readonly chain: Pick<ChainStore, 'header'>
  readonly query: Pick<StateQuery, 'query'>
  readonly gate: TransactionGate
  readonly snapshots: SnapshotPort
  /** Undefined where blocks come as CometBFT's timeouts have it. */
  readonly pace?: BlockPace | undefined
  /** The height below which CometBFT may drop blocks, from that of the application; the same where it is absent. */
  readonly retain?: (earliest: number) => number
}

/** A query that cannot be answered now, in the codes of Cosmos SDK: `ErrPanic`. */
const QUERY_FAILED = { codespace: 'sdk', code: 111222 }

/**
 * The chain's state machine as CometBFT calls it. What ABCI leaves out of a block comes from the parent, which the node
 * has stored, and so headers are the same whichever engine made the block.
 */
export class ChainApplication implements AbciApplication {
  readonly snapshots: SnapshotPort
  readonly #options: ChainApplicationOptions

  constructor(options: ChainApplicationOptions) {
    this.#options = options
    this.snapshots = options.snapshots
  }

  async info(): Promise<InfoResponse> {
    const { data, version, appVersion, lastBlockHeight, lastBlockAppHash } =
      this.#options.application.info()
    return {
      data,
      version,
      appVersion,
      // CometBFT keeps its first state where it initialises the chain, and does that at height 0 alone.
      lastBlockHeight: lastBlockHeight < this.#options.initialHeight ? 0 : lastBlockHeight,
      lastBlockAppHash: await lastBlockAppHash,
    }
  }

  /** Answered whatever happens: a query that fails is no reason for CometBFT to end. */
  async query(request: QueryRequest): Promise<QueryResponse> {
    try {
      return await this.#options.query.query(request)
    } catch (error) {
      const none = new Uint8Array()
      const log = messageOf(error)
      return { ...QUERY_FAILED, log, key: none, value: none, proofOps: [], height: 0 }
    }
  }

  checkTx(request: CheckTxRequest): Promise<CheckTxResponse> {
    return this.#options.gate.check(request)
  }

  async initChain(request: InitChainRequest): Promise<InitChainResult> {
    const { application, initialHeight } = this.#options
    const { lastBlockHeight, lastBlockAppHash } = application.info()
    // The chain of another engine goes on from the state that it has.
    const isContinued = lastBlockHeight > 0 && lastBlockHeight < initialHeight
    const { appHash } = isContinued
      ? { appHash: await lastBlockAppHash }
      : await application.initChain(request)
    return { appHash, validators: [] }
  }

  async prepareProposal(request: PrepareProposalRequest): Promise<readonly Uint8Array[]> {
    await this.#options.pace?.untilDue()
    return this.#options.application.prepareProposal(request)
  }

  async processProposal(request: HashedBlock): Promise<boolean> {
    const { application } = this.#options
    if (request.height !== application.info().lastBlockHeight + 1) return false
    return application.processProposal(await this.#blockRequest(request))
  }

  async finalizeBlock(request: HashedBlock): Promise<ExecBlockResult> {
    this.#options.pace?.decided()
    const block = await this.#blockRequest(request)
    const finalized = await this.#options.application.finalizeBlock(block)
    const { txResults, receipts, validatorUpdates } = finalized
    const executed = pairResults(block.transactions, txResults, receipts)
    return {
      events: [],
      txResults: executed.map(
        (each): ExecTxResult => ({
          ...each.result,
          log: logOf(each),
          codespace: codespaceOf(each.result.code),
          events: eventsOf(each),
        }),
      ),
      validatorUpdates,
      appHash: await finalized.appHash,
    }
  }

  async commit(): Promise<CommitResponse> {
    const { application, retain = (earliest) => earliest } = this.#options
    const { retainHeight } = await application.commit()
    return { retainHeight: retain(retainHeight) }
  }

  /** The block as the state machine takes it, with the fields of its header that ABCI does not pass on. */
  async #blockRequest(block: HashedBlock): Promise<BlockRequest> {
    const { application, chain } = this.#options
    const parent = block.height - 1
    const { lastBlockHeight, lastBlockAppHash } = application.info()
    const header = chain.header(parent)
    if (parent !== lastBlockHeight || header === undefined) {
      throw new LockstepError(
        'CONSENSUS_FAILURE',
        `block ${block.height} cannot follow height ${lastBlockHeight}, where the application is`,
      )
    }
    return {
      height: block.height,
      time: block.time,
      proposerAddress: block.proposerAddress,
      hash: block.hash,
      parentHash: header.hash,
      dataHash: hashTransactions(block.transactions),
      lastResultsHash: this.#resultsHashOf(header),
      appHash: await lastBlockAppHash,
      transactions: block.transactions,
      misbehavior: block.misbehavior,
    }
  }

  /** What the header above a block states of its results. */
  #resultsHashOf({ number, resultsHash }: BlockHeader): Uint8Array {
    // CometBFT begins as if nothing had run, also where another engine made the block before.
    if (number === this.#options.initialHeight - 1) return hashResults([])
    if (resultsHash !== undefined) return resultsHash
    throw new LockstepError(
      'CONSENSUS_FAILURE',
      `the stored header of block ${number} has no hash of its results, which the next header states`,
      { hint: 'the block was stored by 0.1.0: import a snapshot, or execute the chain again' },
    )
  }
}
