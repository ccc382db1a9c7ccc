import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { SpeculationPool } from '../../../host/chain/consensus/ahead/speculation-pool.ts'
import type {
  BlockRequest,
  CommitVote,
  Misbehavior,
  ValidatorUpdate,
} from '../../../host/chain/consensus/application.ts'
import { Mempool } from '../../../host/chain/consensus/mempool/mempool.ts'
import { noPhases, type Phases } from '../../../host/chain/consensus/phases.ts'
import { catchUp } from '../../../host/chain/consensus/state-machine/catch-up.ts'
import { EvmApplication } from '../../../host/chain/consensus/state-machine/evm-application.ts'
import type { Genesis } from '../../../host/evm/chain-types/genesis.ts'
import { presetGenesis } from '../../../host/evm/chain-types/genesis-presets.ts'
import type { BlockEngine } from '../../../host/evm/execute/block-engine.ts'
import type { History } from '../../../host/evm/execute/history.ts'
import { OverlayState } from '../../../host/evm/state/overlay-state.ts'
import type { Committer } from '../../../host/storage/commit/committer.ts'
import type { BlockRecord, ExecutedBlock } from '../../../host/storage/store/codec/block-record.ts'
import type { Storage } from '../../../host/storage/store/storage.ts'
import { type CommitDisk, emptyCommitDisk, MemoryCommitter } from './memory-committer.ts'
import { MemoryStorage } from './memory-storage.ts'
import { wasmRecovery } from './wasm-recovery.ts'

export const GENESIS_TIME = 1_700_000_000_000_000_000n
const BLOCK_TIME = 400_000_000n

const hashOf = (text: string) => new Uint8Array(createHash('sha256').update(text).digest())

/** The disks of a node, which outlive its process. */
export interface Disks {
  readonly records: BlockRecord[]
  readonly commit: CommitDisk
}

export function emptyDisks(): Disks {
  return { records: [], commit: emptyCommitDisk() }
}

export interface ChainOptions {
  readonly genesis?: Genesis
  readonly disks?: Disks
  /** Number of heights between two writes of the state commit. */
  readonly commitInterval?: number
  /** A consistent storage and state commit, in place of those in memory. */
  readonly stores?: { readonly storage: Storage; readonly committer: Committer }
  /** Wraps the state commit that the application uses. */
  readonly wrapCommitter?: (committer: Committer) => Committer
  /** True by default. */
  readonly verifyProposals?: boolean
  readonly aheadThreads?: SpeculationPool
}

export function devGenesis(): Genesis {
  return presetGenesis('dev', { time: GENESIS_TIME, validators: [] })
}

/** A chain in memory, driven block by block in place of consensus. */
export class MemoryChain {
  readonly genesis: Genesis
  readonly storage: MemoryStorage
  readonly mempool: Mempool
  readonly application: EvmApplication
  readonly phases: Phases = noPhases()
  readonly listenerErrors: unknown[] = []
  /** The validator updates of the latest block. */
  validatorUpdates: readonly ValidatorUpdate[] = []

  static async open(engine: BlockEngine, options: ChainOptions = {}): Promise<MemoryChain> {
    const { disks = emptyDisks(), genesis = devGenesis(), commitInterval, stores } = options
    if (stores !== undefined) {
      const { storage, committer } = stores
      return new MemoryChain(engine, genesis, storage as MemoryStorage, committer, options)
    }
    const storage = new MemoryStorage(disks.records)
    const committer = new MemoryCommitter(disks.commit, commitInterval)
    await catchUp(storage, committer)
    const wrapped = options.wrapCommitter?.(committer) ?? committer
    return new MemoryChain(engine, genesis, storage, wrapped, options)
  }

  private constructor(
    engine: BlockEngine,
    genesis: Genesis,
    storage: MemoryStorage,
    committer: Committer,
    { verifyProposals = true, aheadThreads }: ChainOptions,
  ) {
    this.genesis = genesis
    this.storage = storage
    const { chainId, revision, maxGas, feeMarket, isDevelopment = false } = genesis.params
    this.mempool = new Mempool({
      rules: {
        chainId,
        revision,
        maxGas,
        minBaseFee: feeMarket.minBaseFee,
        minTip: 0n,
        maxTransactionBytes: 131_072,
        allowUnprotected: false,
        isDevelopment,
      },
      limits: {
        maxTransactions: 10_000,
        maxBytes: 100_000_000,
        accountSlots: 16,
        accountQueue: 64,
        globalQueue: 1024,
        priceBump: 10,
        lifetime: 0,
        ttlDuration: 0,
        ttlBlocks: 0,
      },
      recovery: wasmRecovery,
      journal: undefined,
      clock: () => 0,
    })
    this.application = new EvmApplication({
      genesis,
      storage,
      committer,
      engine,
      recovery: wasmRecovery,
      mempool: this.mempool,
      phases: this.phases,
      verifyProposals,
      aheadThreads,
      version: 'test',
      pause: () => setImmediate(),
      onListenerError: (error) => this.listenerErrors.push(error),
    })
  }

  get height(): number {
    return this.storage.chain.latest
  }

  /** The blocks, and the state after each. */
  get history(): History {
    const { chain, state } = this.storage
    return {
      header: (height) => chain.header(height),
      block: (height) => chain.block(height),
      receipts: (height) => chain.receipts(height),
      view: (height) => state.view(height),
      before: (height) => state.view(height - 1),
      fork: (height) => new OverlayState(state.view(height)),
    }
  }

  async initialise(): Promise<Uint8Array> {
    const { appHash } = await this.application.initChain({
      chainId: this.genesis.consensusChainId,
      time: this.genesis.time,
      initialHeight: 1,
      validators: this.genesis.validators,
    })
    return appHash
  }

  /** Returns the request for the next block with these transactions. */
  async request(transactions: readonly Uint8Array[]): Promise<BlockRequest> {
    const height = this.height + 1
    return {
      height,
      time: GENESIS_TIME + BigInt(height) * BLOCK_TIME,
      proposerAddress: new Uint8Array(20),
      hash: hashOf(`block ${height}`),
      parentHash: height === 1 ? new Uint8Array() : hashOf(`block ${height - 1}`),
      dataHash: hashOf(`data ${height}`),
      lastResultsHash: hashOf(`results ${height - 1}`),
      appHash: await this.application.info().lastBlockAppHash,
      transactions,
      misbehavior: [],
      votes: [],
    }
  }

  /** Adds the transactions to the pool, and makes a block from the pool. */
  async produce(...raws: readonly Uint8Array[]): Promise<ExecutedBlock> {
    for (const raw of raws) await this.mempool.add(raw)
    const { height, time, proposerAddress } = await this.request([])
    const transactions = await this.application.prepareProposal({
      height,
      time,
      proposerAddress,
      maxTxBytes: this.genesis.maxBlockBytes,
    })
    return this.decide(transactions)
  }

  /** Executes and commits a block of exactly these transactions. */
  async decide(
    transactions: readonly Uint8Array[],
    misbehavior: readonly Misbehavior[] = [],
    votes: readonly CommitVote[] = [],
  ): Promise<ExecutedBlock> {
    const request = { ...(await this.request(transactions)), misbehavior, votes }
    const { validatorUpdates } = await this.application.finalizeBlock(request)
    this.validatorUpdates = validatorUpdates
    await this.application.commit()
    const { chain } = this.storage
    const height = chain.latest
    const block = chain.block(height)
    const receipts = chain.receipts(height)
    if (block === undefined || receipts === undefined) throw new Error('no block was stored')
    const transactionHashes = receipts.map(({ transactionHash }) => transactionHash)
    return { block, receipts, transactionHashes }
  }
}
