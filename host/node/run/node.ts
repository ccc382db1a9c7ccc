import { join } from 'node:path'
import { LockstepError } from '../../base/error.ts'
import type { Genesis } from '../../chain-types/genesis.ts'
import type { Config } from '../../config/schema.ts'
import type { ConsensusEngine } from '../../consensus/application.ts'
import { BlockStore } from '../../consensus/embedded/block-store.ts'
import { startEmbeddedEngine } from '../../consensus/embedded/engine.ts'
import { openFullNode } from '../../consensus/embedded/full-node.ts'
import { closedPool } from '../../consensus/mempool/closed-pool.ts'
import type { TransactionPool } from '../../consensus/mempool/transaction-pool.ts'
import type { Validator } from '../../consensus/validator/validator.ts'
import { lockstepRules } from '../../execute/lockstep/lockstep-rules.ts'
import type { Logger } from '../../log/logger.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import { blockResult } from '../../rpc/consensus/routes.ts'
import type { Readiness } from '../../server/readiness.ts'
import { WorkScheduler } from '../../server/work-scheduler.ts'
import { OverlayState } from '../../state/overlay-state.ts'
import type { Storage } from '../../store/storage.ts'
import { Closers } from '../closers.ts'
import { openHasher } from '../commit-hasher.ts'
import type { Home } from '../home/home.ts'
import { type ChainParts, openChain } from '../open/open-chain.ts'
import { openStores } from '../open/open-stores.ts'
import { historyOf, type ServedChain } from '../open/served-chain.ts'
import type { NodeUrls, RunningNode } from '../running-node.ts'
import { chooseListen, keepServer, serveChain, urlOf } from '../serve/node-servers.ts'
import { serveConsensus } from '../serve/serve-consensus.ts'
import { loadSigner } from './node-mode.ts'
import { observeBlocks, observeClients, observeStore, observeSync } from './observe.ts'
import { readinessOf } from './readiness.ts'
import { scheduleSnapshots } from './schedule-snapshots.ts'
import { verifyGenesis } from './verify-genesis.ts'

export interface NodeOptions {
  readonly home: Home
  readonly config: Config
  readonly genesis: Genesis
  readonly logger: Logger
  readonly metrics: Metrics
}

interface Consensus {
  readonly engine: ConsensusEngine
  readonly blockStore: BlockStore
  /** Undefined on a node that takes the blocks of others. */
  readonly validator: Validator | undefined
}

/** @throws CONFIG_INVALID where the chain has reached the height after which the node stops */
function refuseHalted(haltHeight: number, height: number): void {
  if (haltHeight === 0 || height < haltHeight) return
  throw new LockstepError(
    'CONFIG_INVALID',
    `halt-height is ${haltHeight}, and the chain is at height ${height}`,
    { hint: 'write a greater halt-height in app.toml, or 0 to go on' },
  )
}

async function startConsensus(
  { home, config, genesis, logger }: NodeOptions,
  validator: Validator | undefined,
  { application, mempool }: ChainParts,
  closers: Closers,
  onError: (error: unknown) => void,
  onHalted: (height: number) => void,
): Promise<Consensus> {
  const blockStore = new BlockStore(join(home.data.directory, 'blockstore.db'))
  closers.add(() => blockStore.close())
  verifyGenesis(home.config.genesis, blockStore)
  const { haltHeight } = config
  refuseHalted(haltHeight, blockStore.height)
  if (validator === undefined) {
    const engine = await openFullNode({ application, genesis, blockStore })
    closers.add(() => engine.stop())
    logger.warn('serving read-only: this full node has no servers to take blocks from', {
      height: engine.height,
    })
    return { engine, blockStore, validator }
  }
  const { blockTime, createEmptyBlocks, createEmptyBlocksInterval } = config.consensus
  const engine = await startEmbeddedEngine({
    application,
    genesis,
    validator,
    blockStore,
    blockTimeMs: blockTime,
    createEmptyBlocks,
    createEmptyBlocksIntervalMs: createEmptyBlocksInterval,
    haltHeight,
    onHalted,
    onError,
  })
  closers.add(() => engine.stop())
  mempool.onPending(() => engine.notifyTransactions())
  if (mempool.size > 0) engine.notifyTransactions()
  return { engine, blockStore, validator }
}

const FULL_NODE = {
  message: 'this node makes no blocks and takes no transactions',
  hint: 'send it to the node that has the key of the validator',
}

/** This node's own chain as the EVM JSON-RPC serves it. */
async function servedChain(
  genesis: Genesis,
  chain: ChainParts,
  storage: Storage,
  { blockStore }: Consensus,
  pool: TransactionPool,
  readiness: () => Readiness,
): Promise<ServedChain> {
  const view = (height: number) => storage.state.view(height)
  return {
    storage,
    rules: lockstepRules(genesis.params, storage.state),
    history: historyOf(storage, {
      view,
      before: (height) => view(height - 1),
      fork: (height) => new OverlayState(view(height)),
    }),
    pool,
    heads: chain.application,
    keccak256: (bytes) => chain.recovery.keccak256(bytes),
    hasher: await openHasher(),
    engines: chain.engines,
    modules: chain.modules,
    imported: undefined,
    consensusBlock: (height) => blockResult(blockStore.decided(height)),
    readiness,
  }
}

/**
 * Starts a node: stores, state machine, consensus, then the servers; resolves once all answer. What
 * was opened is closed again when a later part fails.
 */
export async function startNode(options: NodeOptions): Promise<RunningNode> {
  const { home, config, genesis, logger, metrics } = options
  const closers = new Closers()
  let fail: (error: unknown) => void = () => {}
  const failed = new Promise<never>((_, reject) => {
    fail = reject
  })
  // The caller may begin to wait later: until then the rejection must not count as unhandled.
  failed.catch(() => {})
  let halt: (height: number) => void = () => {}
  const halted = new Promise<number>((resolve) => {
    halt = resolve
  })
  try {
    const work = new WorkScheduler(config.evm.maxClientBytes)
    const context = { config, logger, metrics, closers, work }
    const listen = await chooseListen(context)
    // Before anything is opened that a refusal would have to close.
    const validator = await loadSigner(home, config, genesis, closers)
    const stores = await openStores(home, config, logger, closers, fail)
    const chain = await openChain({ home, config, genesis, stores, logger, onError: fail }, closers)
    observeBlocks(chain.application, chain.phases, chain.mempool, logger, metrics)
    observeClients(chain.application, work, metrics)
    observeStore(chain.application, stores.storage, metrics)
    const consensus = await startConsensus(options, validator, chain, closers, fail, halt)
    const isFull = consensus.validator === undefined
    const pool = isFull ? closedPool(stores.storage, FULL_NODE) : chain.mempool
    const readiness = () => readinessOf(consensus.engine, config.rpc.lagThreshold)
    observeSync(readiness, metrics)
    const parts = { home, config, genesis, stores, chain, work, pool, readiness }
    const consensusServer = await keepServer(
      serveConsensus({ ...parts, ...consensus }, listen, closers),
      closers,
    )
    const { blockStore } = consensus
    const snapshots = { home, config, genesis, logger, closers }
    scheduleSnapshots(snapshots, chain.application, stores.storage.chain, blockStore)
    const served = await servedChain(genesis, chain, stores.storage, consensus, pool, readiness)
    const urls: NodeUrls = {
      ...(await serveChain(context, served, listen)),
      consensus: urlOf('http', consensusServer),
    }
    return { urls, halted, failed, stop: () => closers.close() }
  } catch (thrown) {
    await closers.close()
    throw thrown
  }
}
