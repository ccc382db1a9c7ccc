import { join } from 'node:path'
import { LockstepError } from '../../base/error.ts'
import type { Genesis } from '../../chain-types/genesis.ts'
import type { Config } from '../../config/schema.ts'
import type { ConsensusEngine } from '../../consensus/application.ts'
import { BlockStore } from '../../consensus/embedded/block-store.ts'
import { startEmbeddedEngine } from '../../consensus/embedded/engine.ts'
import { openFullNode } from '../../consensus/embedded/full-node.ts'
import { RpcServer, serverUrl } from '../../consensus/follow/rpc-server.ts'
import { refuseSignedElsewhere } from '../../consensus/follow/signed-elsewhere.ts'
import { closedPool } from '../../consensus/mempool/closed-pool.ts'
import type { TransactionPool } from '../../consensus/mempool/transaction-pool.ts'
import type { Validator } from '../../consensus/validator/validator.ts'
import type { Logger } from '../../log/logger.ts'
import type { Storage } from '../../store/storage.ts'
import type { Closers } from '../closers.ts'
import type { Home } from '../home/home.ts'
import type { ChainParts } from '../open/open-chain.ts'
import { followChain, followedServers } from './follow-chain.ts'
import { verifyGenesis } from './verify-genesis.ts'

/** What brings a node its blocks, and takes its transactions. */
export interface Consensus {
  readonly engine: ConsensusEngine
  readonly blockStore: BlockStore
  /** Undefined on a node that takes the blocks of others. */
  readonly validator: Validator | undefined
  readonly pool: TransactionPool
}

export interface ConsensusOptions {
  readonly home: Home
  readonly config: Config
  readonly genesis: Genesis
  readonly logger: Logger
  readonly validator: Validator | undefined
  readonly chain: ChainParts
  readonly storage: Storage
  readonly closers: Closers
  readonly onError: (error: unknown) => void
  readonly onHalted: (height: number) => void
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

const FULL_NODE = {
  message: 'this node makes no blocks and takes no transactions',
  hint: 'send it to the node that has the key of the validator, or name that node in [follow] rpc-servers',
}

/** Takes the blocks of other nodes; without any to ask, serves what it has. */
async function startFull(options: ConsensusOptions, blockStore: BlockStore): Promise<Consensus> {
  const { config, genesis, logger, chain, storage, closers, onError, onHalted } = options
  const servers = followedServers(config)
  if (servers.length > 0) {
    const { haltHeight } = config
    const ends = { haltHeight, onError, onHalted }
    const followed = { servers, genesis, chain, blockStore, logger, ...ends }
    return { ...(await followChain(followed, closers)), blockStore, validator: undefined }
  }
  const { application } = chain
  const engine = await openFullNode({ application, genesis, blockStore })
  closers.add(() => engine.stop())
  logger.warn('serving read-only: this full node has no servers to take blocks from', {
    height: engine.height,
  })
  return { engine, blockStore, validator: undefined, pool: closedPool(storage, FULL_NODE) }
}

/** @throws what `refuseSignedElsewhere` throws */
async function askFollowers(
  { config, genesis }: ConsensusOptions,
  { address }: Validator,
  blockStore: BlockStore,
): Promise<void> {
  const named = config.consensus.doubleSignCheckServers
  if (named.length === 0) return
  const { signal } = new AbortController()
  const servers = named.map((text) => new RpcServer(serverUrl(text), genesis.maxBlockBytes, signal))
  await refuseSignedElsewhere({ servers, chainId: genesis.consensusChainId, address, blockStore })
}

async function startMaking(
  options: ConsensusOptions,
  validator: Validator,
  blockStore: BlockStore,
): Promise<Consensus> {
  const { config, genesis, chain, closers, onError, onHalted } = options
  const { application, mempool } = chain
  await askFollowers(options, validator, blockStore)
  const { blockTime, createEmptyBlocks, createEmptyBlocksInterval } = config.consensus
  const engine = await startEmbeddedEngine({
    application,
    genesis,
    validator,
    blockStore,
    blockTimeMs: blockTime,
    createEmptyBlocks,
    createEmptyBlocksIntervalMs: createEmptyBlocksInterval,
    haltHeight: config.haltHeight,
    onHalted,
    onError,
  })
  closers.add(() => engine.stop())
  mempool.onPending(() => engine.notifyTransactions())
  if (mempool.size > 0) engine.notifyTransactions()
  return { engine, blockStore, validator, pool: mempool }
}

/** Begins to make the blocks of a chain, or to take them from others. */
export async function startConsensus(options: ConsensusOptions): Promise<Consensus> {
  const { home, config, validator, closers } = options
  const blockStore = new BlockStore(join(home.data.directory, 'blockstore.db'))
  closers.add(() => blockStore.close())
  verifyGenesis(home.config.genesis, blockStore)
  refuseHalted(config.haltHeight, blockStore.height)
  return validator === undefined
    ? startFull(options, blockStore)
    : startMaking(options, validator, blockStore)
}
