import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { LockstepError } from '../../base/error.ts'
import { BlockStore } from '../../consensus/embedded/block-store.ts'
import { startEmbeddedEngine } from '../../consensus/embedded/engine.ts'
import { openFullNode } from '../../consensus/embedded/full-node.ts'
import { RpcServer, serverUrl } from '../../consensus/follow/rpc-server.ts'
import { refuseSignedElsewhere } from '../../consensus/follow/signed-elsewhere.ts'
import { closedPool } from '../../consensus/mempool/closed-pool.ts'
import type { Validator } from '../../consensus/validator/validator.ts'
import type { ConsensusOptions, EmbeddedConsensus } from './consensus.ts'
import { followChain, followedServers } from './follow-chain.ts'
import { refuseHalted } from './refuse-halted.ts'
import { startDriven } from './start-dev.ts'
import { verifyGenesis } from './verify-genesis.ts'

const FULL_NODE = {
  message: 'this node makes no blocks and takes no transactions',
  hint: 'send it to the node that has the key of the validator, or name that node in [follow] rpc-servers',
}

/** Takes the blocks of other nodes; without any to ask, serves what it has. */
async function startFull(
  options: ConsensusOptions,
  blockStore: BlockStore,
): Promise<EmbeddedConsensus> {
  const { config, genesis, logger, chain, stores, closers, onError, onHalted } = options
  const servers = followedServers(config)
  if (servers.length > 0) {
    const { haltHeight } = config
    const ends = { haltHeight, onError, onHalted }
    const followed = { servers, genesis, chain, blockStore, logger, ...ends }
    const { engine, pool } = await followChain(followed, closers)
    return { kind: 'embedded', engine, pool, blockStore, validator: undefined }
  }
  const { application } = chain
  const engine = await openFullNode({ application, genesis, blockStore })
  closers.add(() => engine.stop())
  logger.warn('serving read-only: this full node has no servers to take blocks from', {
    height: engine.height,
  })
  const pool = closedPool(stores.storage, FULL_NODE)
  return { kind: 'embedded', engine, blockStore, validator: undefined, pool }
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
): Promise<EmbeddedConsensus> {
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
  return { kind: 'embedded', engine, blockStore, validator, pool: mempool }
}

/** @throws CONFIG_INVALID where CometBFT has decided the blocks of this home */
function refuseCometChain({ home }: ConsensusOptions): void {
  const store = join(home.data.comet, 'data', 'blockstore.db')
  if (!existsSync(store)) return
  throw new LockstepError(
    'CONFIG_INVALID',
    `engine is "embedded", but the blocks of this chain are CometBFT's: ${store}`,
    { hint: `write engine = "cometbft" into [consensus] of ${home.config.consensus}` },
  )
}

/** Begins to make the blocks of a chain of one validator, or to take them from others. */
export async function startEmbedded(options: ConsensusOptions): Promise<EmbeddedConsensus> {
  const { home, config, validator, closers } = options
  refuseCometChain(options)
  const isLate = options.dev && options.stores.journal !== undefined
  const blockStore = new BlockStore(join(home.data.directory, 'blockstore.db'), { isLate })
  closers.add(() => blockStore.close())
  await verifyGenesis(home.config.genesis, blockStore)
  refuseHalted(config.haltHeight, blockStore.height)
  if (validator === undefined) return startFull(options, blockStore)
  const start = options.dev ? startDriven : startMaking
  return start(options, validator, blockStore)
}
