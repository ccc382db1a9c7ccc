import { EMPTY_BYTES, equalBytes } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import type { Genesis } from '../../../evm/chain-types/genesis.ts'
import type { SignatureRecovery } from '../../../evm/chain-types/signature-recovery.ts'
import type { Transaction } from '../../../evm/chain-types/transaction.ts'
import type { StateDiff } from '../../../evm/engine/state-diff.ts'
import type { BlockEngine } from '../../../evm/execute/block-engine.ts'
import {
  isSameHeaderOverrides,
  NO_HEADER_OVERRIDES,
} from '../../../evm/execute/header-overrides.ts'
import {
  BASE_FEE_KEY,
  decodeBaseFee,
  encodeBaseFee,
  type FixedBaseFee,
  fixedFee,
  marketAt,
  nextBaseFee,
  wholeWei,
} from '../../../evm/execute/lockstep/base-fee.ts'
import {
  type BlockOutcome,
  type ExecutionContext,
  executeBlock,
} from '../../../evm/execute/lockstep/block.ts'
import { blockEnv, type EnvHeader, envHeader } from '../../../evm/execute/lockstep/block-env.ts'
import {
  expectedTransactions,
  type PackedBlock,
  packBlock,
  packUntil,
} from '../../../evm/execute/lockstep/pack.ts'
import type { SetChange } from '../../../evm/modules/validator-set.ts'
import type { Amendments } from '../../../evm/state/amendments.ts'
import type { Changeset } from '../../../evm/state/changeset.ts'
import { mergeDiffs } from '../../../evm/state/merged-diff.ts'
import { routeModuleRows } from '../../../evm/state/module-rows.ts'
import type { StateView } from '../../../evm/state/view.ts'
import type { Committer } from '../../../storage/commit/committer.ts'
import type { BlockRecord, ExecutedBlock } from '../../../storage/store/codec/block-record.ts'
import { packedBlock } from '../../../storage/store/codec/executed-block.ts'
import type { Storage } from '../../../storage/store/storage.ts'
import type { SpeculationPool } from '../ahead/speculation-pool.ts'
import type {
  Application,
  ApplicationInfo,
  BlockRequest,
  CommitResponse,
  FinalizeBlockResponse,
  InitChainRequest,
  InitChainResponse,
  ProposalRequest,
} from '../application.ts'
import { decodeBlockResults, hashEncodedResults } from '../comet/block-results.ts'
import { BlockListeners, type HeadFeed, type RemovalListener } from '../head-feed.ts'
import type { Mempool, PoolHead } from '../mempool/mempool.ts'
import { type Phases, timedAsync } from '../phases.ts'
import { wrongAppHash } from '../wrong-app-hash.ts'
import { hasOwnForm, resolveOwn } from './block-transaction.ts'
import { genesisBlock, genesisChangeset, refuseContinued } from './genesis-block.ts'
import { requireValidators, StakingEnd } from './staking-end.ts'
import { type Resolved, resultsOf } from './transaction-results.ts'

export interface EvmApplicationOptions {
  readonly genesis: Genesis
  readonly storage: Storage
  readonly committer: Committer
  /** Engine reserved for the chain's blocks. */
  readonly engine: BlockEngine
  readonly recovery: SignatureRecovery
  readonly mempool: Mempool
  readonly phases: Phases
  /** True to execute a proposed block before voting for it, false to check only its form. */
  readonly verifyProposals: boolean
  /** State changes outside blocks. Reads of `storage` include them, and the next block applies them. */
  readonly amendments?: Amendments
  /** Wraps the state that blocks execute on, to record what they read. */
  readonly watched?: ((view: StateView) => StateView) | undefined
  /** Threads for speculative execution; none if absent. */
  readonly aheadThreads?: SpeculationPool | undefined
  /** Software version for `info`. */
  readonly version: string
  /** Lets other work of the process run while a block executes. */
  readonly pause: () => Promise<void>
  /** Called if a listener of the head feed threw. */
  readonly onListenerError: (error: unknown) => void
}

/** The part of a block that is known before its transactions. */
type OpenedBlock = Pick<BlockRequest, 'height' | 'time' | 'settings'>

/** An executed block with its results, kept to avoid a second execution. */
interface RunBlock {
  readonly opened: OpenedBlock
  readonly raws: readonly Uint8Array[]
  readonly header: EnvHeader
  readonly baseFee: FixedBaseFee
  readonly outcome: BlockOutcome
  /** As `encodeBlockResults` encodes them. */
  readonly results: Uint8Array
}

/** A decided block ready to be stored, while its state is hashed. */
interface FinalizedBlock {
  readonly record: BlockRecord
  readonly appHash: Promise<Uint8Array>
  readonly validators: SetChange
}

/** The latest block. */
interface Head {
  /** -1 before genesis. */
  readonly height: number
  /** App hash after it. */
  readonly appHash: Promise<Uint8Array>
}

/**
 * The chain's state machine. A proposal is executed while it is built, so the decided block is usually the one that
 * ran last; any other block is executed again. The storage's log is the point of no return: the state commit and the
 * mempool follow it, and catch up from it after a crash.
 *
 * Hashing the changes of a block begins in `finalizeBlock`. The next block executes meanwhile and only then awaits
 * the hash that it states.
 */
export class EvmApplication implements Application, HeadFeed {
  readonly #options: EvmApplicationOptions
  readonly #listeners: BlockListeners
  readonly #staking = new StakingEnd()
  #lastRun: RunBlock | undefined
  #finalized: FinalizedBlock | undefined
  #head: Head

  /** Requires a storage and a state commit at the same height, see `catchUp`. */
  constructor(options: EvmApplicationOptions) {
    this.#options = options
    this.#listeners = new BlockListeners(options.onListenerError)
    const { appHash } = options.committer
    this.#head = { height: options.storage.chain.latest, appHash: Promise.resolve(appHash) }
    if (options.storage.chain.latest >= 0) this.#advanceMempool(EMPTY_BYTES)
  }

  info(): ApplicationInfo {
    const { height, appHash } = this.#head
    return {
      lastBlockHeight: Math.max(height, 0),
      lastBlockAppHash: height < 0 ? Promise.resolve(EMPTY_BYTES) : appHash,
      data: 'lockstep',
      version: this.#options.version,
      appVersion: 0,
    }
  }

  async initChain(request: InitChainRequest): Promise<InitChainResponse> {
    const { genesis, storage, committer, recovery } = this.#options
    if (request.chainId !== genesis.consensusChainId) {
      throw new LockstepError(
        'GENESIS_INVALID',
        `consensus starts chain ${request.chainId}, but genesis.json belongs to ${genesis.consensusChainId}`,
      )
    }
    refuseContinued(genesis)
    requireValidators(genesis, request.validators, 'consensus')
    if (storage.chain.latest > 0) {
      throw new LockstepError('CONSENSUS_FAILURE', 'the chain is already initialised')
    }
    // CometBFT calls it at each start until there is a block.
    if (storage.chain.latest === 0) return { appHash: await this.#head.appHash }
    const changeset = genesisChangeset(genesis, (bytes) => recovery.keccak256(bytes))
    const appHash = await committer.stage(changeset)
    const block = genesisBlock(genesis, appHash, (bytes) => recovery.keccak256(bytes))
    await storage.append({ executed: { block, transactionHashes: [], receipts: [] }, changeset })
    this.#commitState({ height: 0, appHash: Promise.resolve(appHash) })
    this.#advanceMempool(EMPTY_BYTES)
    return { appHash }
  }

  async prepareProposal(request: ProposalRequest): Promise<readonly Uint8Array[]> {
    const { mempool } = this.#options
    const { context, header, baseFee } = this.#openBlock(request)
    const packed = await this.#pack(request, context, header.baseFeePerGas)
    mempool.drop(packed.hopeless)
    const raws = packed.included.map(({ raw }) => raw)
    this.#lastRun = {
      opened: request,
      raws,
      header,
      baseFee,
      outcome: packed,
      results: packed.results,
    }
    return raws
  }

  async #pack(
    { maxTxBytes, due }: ProposalRequest,
    context: ExecutionContext,
    baseFee: bigint,
  ): Promise<PackedBlock> {
    const { mempool, aheadThreads } = this.#options
    if (due !== undefined && aheadThreads === undefined) {
      const candidates = mempool.openCandidates(baseFee)
      return this.#execute(() => packUntil(due, context, candidates, maxTxBytes))
    }
    // Speculative execution divides up the transactions that are pending when the block begins.
    await due
    const candidates = () => mempool.candidates(baseFee)
    return this.#executeAhead(
      context,
      () => expectedTransactions(candidates(), context.env.gasLimit),
      (context) => packBlock(context, candidates(), maxTxBytes),
    )
  }

  async processProposal(request: BlockRequest): Promise<boolean> {
    if (request.height !== this.#options.storage.chain.latest + 1) return false
    if (!equalBytes(request.appHash, await this.#head.appHash)) return false
    const { verifyProposals, genesis, recovery } = this.#options
    const { transactions } = request
    if (!verifyProposals) {
      const { params } = genesis
      const maxGas = request.settings?.gasLimit ?? params.maxGas
      return transactions.every((raw) => hasOwnForm(raw, { ...params, maxGas }, recovery))
    }
    try {
      const { outcome } = await this.#run(request)
      return outcome.included.length === transactions.length
    } catch (error) {
      // All engines have the same limits: no node votes for a block that exhausts one, and the chain continues.
      if (error instanceof LockstepError && error.code === 'ENGINE_FAULT') return false
      throw error
    }
  }

  async finalizeBlock(request: BlockRequest): Promise<FinalizeBlockResponse> {
    const { committer, storage, genesis } = this.#options
    const { latest } = storage.chain
    if (request.height !== latest + 1) {
      throw new LockstepError(
        'CONSENSUS_FAILURE',
        `block ${request.height} cannot follow height ${latest}`,
      )
    }
    const parent = await this.#head.appHash
    if (!equalBytes(request.appHash, parent)) {
      throw wrongAppHash(parent, request.appHash, request.height, request.hash)
    }
    const run = await this.#run(request)
    const { outcome } = run
    const { gasLimit } = run.header
    const market = marketAt(gasLimit, genesis.params)
    const next = nextBaseFee(run.baseFee, outcome.gasUsed, gasLimit, market)
    const { evm, modules: written } = routeModuleRows(this.#withAmendments(latest, outcome.diff))
    const view = storage.state.view(latest)
    if (latest > 0 && request.height === genesis.initialHeight) {
      this.#staking.requireContinued(genesis, view)
    }
    const { modules, validators } = this.#staking.run(request, written, view)
    const changeset: Changeset = {
      height: request.height,
      evm,
      legacy:
        next === this.#baseFeeAfter(latest)
          ? []
          : [{ key: BASE_FEE_KEY, value: encodeBaseFee(next) }],
      modules,
    }
    const appHash = committer.stage(changeset)
    // The callers that await it handle its rejection.
    appHash.catch(() => undefined)
    const resultsHash = hashEncodedResults(run.results)
    const executed = this.#executedBlock(request, run, resultsHash)
    this.#finalized = { record: { executed, changeset }, appHash, validators }
    return {
      get txResults() {
        return decodeBlockResults(run.results)
      },
      encodedResults: run.results,
      resultsHash,
      get receipts() {
        return executed.receipts
      },
      appHash,
      validatorUpdates: validators.updates,
    }
  }

  async commit(): Promise<CommitResponse> {
    const { storage, committer, phases } = this.#options
    if (this.#finalized === undefined) {
      throw new LockstepError('CONSENSUS_FAILURE', 'commit without a finalized block')
    }
    const { record, appHash, validators } = this.#finalized
    const { executed, changeset } = record
    await timedAsync(phases, 'storeNs', () => storage.append(record))
    this.#staking.accept(validators)
    this.#commitState({ height: changeset.height, appHash })
    this.#finalized = undefined
    this.#lastRun = undefined
    phases.commitNs = committer.busyNs
    phases.blocks++
    phases.transactions += executed.block.transactions.length
    phases.gas += executed.block.header.gasUsed
    this.#advanceMempool(changeset.evm.accounts)
    this.#listeners.announce(executed)
    return { retainHeight: storage.chain.earliest }
  }

  /**
   * Continues from the latest block in the storage, after later blocks were removed from it and from the state
   * commit. Must not be called while a block is made.
   * @param appHash app hash after that block
   */
  rewind(appHash: Uint8Array): void {
    const { storage, mempool } = this.#options
    this.#head = { height: storage.chain.latest, appHash: Promise.resolve(appHash) }
    this.#lastRun = undefined
    this.#finalized = undefined
    this.#staking.forget()
    mempool.resetHead(this.#poolHead())
  }

  /** Must be called after the latest state was amended, but not while a block is made. */
  takeAmendment(): void {
    this.#lastRun = undefined
    this.#staking.forget()
    this.#options.mempool.resetHead(this.#poolHead())
  }

  /** Returns the changes of a block merged with the amendments of its parent's state. */
  #withAmendments(parent: number, diff: StateDiff): StateDiff {
    const amended = this.#options.amendments?.diffs(parent) ?? []
    return amended.length === 0 ? diff : mergeDiffs([...amended, diff])
  }

  /** Lets the state commit follow the storage to the new head. */
  #commitState(head: Head): void {
    this.#head = head
    // Not awaited: it may write for longer than a block takes. If it fails, the next hash fails too.
    this.#options.committer.commit().catch(() => undefined)
  }

  onBlock(listener: (executed: ExecutedBlock) => void): () => void {
    return this.#listeners.onBlock(listener)
  }

  onRemoval(listener: RemovalListener): () => void {
    return this.#listeners.onRemoval(listener)
  }

  /**
   * Announces that the blocks above `kept` are about to be removed for good.
   * @returns a function to call after their removal
   */
  announceRemoval(kept: number): () => void {
    this.#options.mempool.rewriteJournal()
    return this.#listeners.announceRemoval(kept)
  }

  /** Executes a block, or returns the last execution if it was of the same block. */
  async #run(request: BlockRequest): Promise<RunBlock> {
    const last = this.#lastRun
    if (
      last !== undefined &&
      isSameOpened(last.opened, request) &&
      sameTransactions(last.raws, request.transactions)
    ) {
      return last
    }
    const { context, header, baseFee } = this.#openBlock(request)
    const resolved = request.transactions.map((raw) => this.#resolve(raw))
    const known = resolved.filter((transaction) => transaction !== undefined)
    const outcome = await this.#executeAhead(
      context,
      () => known,
      (context) => executeBlock(context, known),
    )
    const run: RunBlock = {
      opened: request,
      raws: request.transactions,
      header,
      baseFee,
      outcome,
      results: resultsOf(resolved, outcome),
    }
    this.#lastRun = run
    return run
  }

  /** Executes a block, with speculative execution of its expected transactions if that is worth it. */
  #executeAhead<Result>(
    context: ExecutionContext,
    expected: () => Iterable<Transaction>,
    work: (context: ExecutionContext) => Promise<Result>,
  ): Promise<Result> {
    const { aheadThreads } = this.#options
    return this.#execute(async () => {
      const block = aheadThreads?.begin(context.env, expected)
      if (block === undefined) return work(context)
      try {
        return await work({ ...context, speculative: block })
      } finally {
        block.end()
      }
    })
  }

  #execute<Result>(work: () => Promise<Result>): Promise<Result> {
    // A failed execution leaves the engine in the middle of a block, so earlier results are lost.
    this.#lastRun = undefined
    return timedAsync(this.#options.phases, 'executeNs', work)
  }

  #openBlock({ height, time, settings = NO_HEADER_OVERRIDES }: OpenedBlock): {
    context: ExecutionContext
    header: EnvHeader
    baseFee: FixedBaseFee
  } {
    const { engine, storage, genesis, recovery, watched } = this.#options
    const view = storage.state.view(height - 1)
    const keccak256 = (bytes: Uint8Array) => recovery.keccak256(bytes)
    const baseFee =
      settings.baseFee === undefined ? this.#baseFeeAfter(height - 1) : fixedFee(settings.baseFee)
    const header = envHeader(genesis.params, height, time, wholeWei(baseFee), keccak256, settings)
    const context: ExecutionContext = {
      engine,
      view: watched?.(view) ?? view,
      env: blockEnv(genesis.params, header),
      pause: (until) => this.#pause(until),
    }
    return { context, header, baseFee }
  }

  /** Pauses a block; the time of other work does not count as execution. */
  async #pause(until?: Promise<unknown>): Promise<void> {
    const { pause, phases } = this.#options
    const start = performance.now()
    try {
      await until
      await pause()
    } finally {
      phases.executeNs -= (performance.now() - start) * 1e6
    }
  }

  #baseFeeAfter(height: number): FixedBaseFee {
    const { storage, genesis } = this.#options
    return decodeBaseFee(storage.state.legacy(BASE_FEE_KEY, height), genesis.params.feeMarket)
  }

  /** Takes decoded transactions and their senders from the pool if possible. */
  #resolve(raw: Uint8Array): Resolved {
    const { mempool, recovery, genesis } = this.#options
    const pooled = mempool.get(recovery.keccak256(raw))
    return pooled ?? resolveOwn(raw, genesis.params, recovery)
  }

  #executedBlock(request: BlockRequest, run: RunBlock, resultsHash: Uint8Array): ExecutedBlock {
    const { storage } = this.#options
    const { included, gasUsed, logsBloom } = run.outcome
    const transactions = included.map(({ raw }) => raw)
    const block = {
      header: {
        ...run.header,
        hash: request.hash,
        // Consensus has no parent for the first block; its EVM parent is the genesis block.
        parentHash:
          request.height === 1
            ? (storage.chain.header(0)?.hash ?? request.parentHash)
            : request.parentHash,
        stateRoot: request.appHash,
        transactionsRoot: request.dataHash,
        receiptsRoot: request.lastResultsHash,
        logsBloom,
        gasUsed,
        size: transactions.reduce((sum, raw) => sum + raw.length, 0),
        resultsHash,
      },
      transactions,
    }
    return packedBlock(block, run.outcome)
  }

  #advanceMempool(accountRows: Uint8Array): void {
    this.#options.mempool.advance(this.#poolHead(), accountRows)
  }

  #poolHead(): PoolHead {
    const { state, chain } = this.#options.storage
    const { latest } = chain
    return {
      height: latest,
      baseFee: wholeWei(this.#baseFeeAfter(latest)),
      view: state.view(latest),
    }
  }
}

function isSameOpened(a: OpenedBlock, b: OpenedBlock): boolean {
  return a.height === b.height && a.time === b.time && isSameHeaderOverrides(a.settings, b.settings)
}

function sameTransactions(a: readonly Uint8Array[], b: readonly Uint8Array[]): boolean {
  return (
    a.length === b.length &&
    a.every((raw, i) => {
      const other = b[i] as Uint8Array
      return raw === other || equalBytes(raw, other)
    })
  )
}
