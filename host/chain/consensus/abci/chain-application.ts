import { LockstepError, messageOf } from '../../../base/error.ts'
import type { BlockHeader } from '../../../evm/chain-types/block.ts'
import type { ChainStore } from '../../../storage/store/chain/chain-store.ts'
import type { Application, BlockRequest, CommitResponse, InitChainRequest } from '../application.ts'
import { hashTransactions } from '../comet/block.ts'
import { hashResults } from '../comet/block-results.ts'
import { codespaceOf, eventsOf, logOf, pairResults } from '../events/executed-transaction.ts'
import type { QueryRequest, QueryResponse, StateQuery } from '../state-machine/state-query.ts'
import type { AbciApplication, InitChainResult } from './abci-application.ts'
import type {
  CheckTxRequest,
  CheckTxResponse,
  ExecBlockResult,
  ExecTxResult,
  HashedBlock,
  InfoResponse,
  PrepareProposalRequest,
} from './messages.ts'
import type { ProposalPacer } from './proposal-pacer.ts'
import type { SnapshotPort } from './snapshot-port.ts'
import type { TransactionGate } from './transaction-gate.ts'

export interface ChainApplicationOptions {
  readonly application: Application
  /** Height of the first block that CometBFT decides; above 1 if it continues the chain of another engine. */
  readonly initialHeight: number
  /** The blocks that the application has committed. */
  readonly chain: Pick<ChainStore, 'header'>
  readonly query: Pick<StateQuery, 'query'>
  readonly gate: TransactionGate
  readonly snapshots: SnapshotPort
  /** Undefined if only CometBFT's timeouts set the block time. */
  readonly pace?: ProposalPacer | undefined
  /** Maps the application's retain height to the one reported to CometBFT. Identity if absent. */
  readonly retain?: (earliest: number) => number
}

/** `ErrPanic` of the Cosmos SDK: the query cannot be answered now. */
const QUERY_FAILED = { codespace: 'sdk', code: 111222 }

/**
 * The chain's state machine behind ABCI. Block fields that ABCI omits are taken from the stored parent, so headers
 * are the same under every engine.
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
      // CometBFT stores its initial state in `InitChain`, which it only calls if the application reports height 0.
      lastBlockHeight: lastBlockHeight < this.#options.initialHeight ? 0 : lastBlockHeight,
      lastBlockAppHash: await lastBlockAppHash,
    }
  }

  /** Never rejects: a failed query must not make CometBFT exit. */
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
    // A chain of another engine continues from its existing state.
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

  /** Returns the block for the state machine, with the header fields that ABCI omits. */
  async #blockRequest(block: HashedBlock): Promise<BlockRequest> {
    const { application, chain } = this.#options
    const parent = block.height - 1
    const { lastBlockHeight, lastBlockAppHash } = application.info()
    const header = chain.header(parent)
    if (parent !== lastBlockHeight || header === undefined) {
      throw new LockstepError(
        'CONSENSUS_FAILURE',
        `block ${block.height} cannot follow height ${lastBlockHeight}, the last one that the application has committed`,
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
      votes: block.votes,
    }
  }

  /** Returns the hash of a block's results as the next header states it. */
  #resultsHashOf({ number, resultsHash }: BlockHeader): Uint8Array {
    // CometBFT's first header states the hash of no results, even if another engine made the block before.
    if (number === this.#options.initialHeight - 1) return hashResults([])
    if (resultsHash !== undefined) return resultsHash
    throw new LockstepError(
      'CONSENSUS_FAILURE',
      `the stored header of block ${number} has no results hash, which the next header must state`,
      {
        hint: 'the block was stored by version 0.1.0: import a snapshot, or execute the chain again',
      },
    )
  }
}
