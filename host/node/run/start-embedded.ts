import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { LockstepError } from '../../base/error.ts'
import { ConsensusBlockStore } from '../../chain/consensus/embedded/block-store.ts'
import { lastHeightOf } from '../../chain/consensus/upgrade-halt.ts'
import type { BlockSigner } from '../../chain/consensus/validator/validator.ts'
import { rebuildLog } from '../open/rebuild-log.ts'
import type { ConsensusOptions, EmbeddedConsensus } from './consensus.ts'
import { haltPointOf, refuseHalted } from './halt.ts'
import { verifyGenesis } from './verify-genesis.ts'

/** @throws errors of `checkDoubleSign` */
async function askFollowers(
  { config, genesis }: ConsensusOptions,
  { address }: BlockSigner,
  blockStore: ConsensusBlockStore,
): Promise<void> {
  const named = config.consensus.doubleSignCheckServers
  if (named.length === 0) return
  const { RpcServer, serverUrl } = await import('../../chain/consensus/follow/rpc-server.ts')
  const { checkDoubleSign } = await import('../../chain/consensus/follow/double-sign-check.ts')
  const { signal } = new AbortController()
  const servers = named.map((text) => new RpcServer(serverUrl(text), genesis.maxBlockBytes, signal))
  await checkDoubleSign({ servers, chainId: genesis.consensusChainId, address, blockStore })
}

async function startMaking(
  options: ConsensusOptions,
  validator: BlockSigner,
  blockStore: ConsensusBlockStore,
): Promise<EmbeddedConsensus> {
  const { startEmbeddedEngine } = await import('../../chain/consensus/embedded/engine.ts')
  const { config, genesis, chain, closers, onError, onHalted, upgrade } = options
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
    halt: haltPointOf(config),
    onHalted,
    upgrade,
    // A node that stops may still wait for its remote signer.
    onError: (error) => {
      if (error.code !== 'INTERRUPTED') onError(error)
    },
  })
  closers.add(() => engine.stop())
  closers.add(() => validator.interrupt())
  mempool.onPending(() => engine.notifyTransactions())
  if (mempool.size > 0) engine.notifyTransactions()
  return { kind: 'embedded', engine, blockStore, validator, pool: mempool }
}

/** @throws CONFIG_INVALID if CometBFT has decided the blocks of this home */
function refuseCometChain({ home }: ConsensusOptions): void {
  const store = join(home.data.comet, 'data', 'blockstore.db')
  if (!existsSync(store)) return
  throw new LockstepError(
    'CONFIG_INVALID',
    `engine is "embedded", but the blocks of this chain are CometBFT's: ${store}`,
    { hint: `write engine = "cometbft" into [consensus] of ${home.config.consensus}` },
  )
}

/** Logs the blocks missing from the stores, as they are executed again. */
function logReplay({ chain, logger }: ConsensusOptions, to: number): void {
  const { application } = chain
  const from = application.info().lastBlockHeight + 1
  if (from > to) return
  const log = rebuildLog(logger, 'Replaying blocks that the stores lack')
  const stop = application.onBlock(({ block }) => {
    const { number: height } = block.header
    log({ from, height, to })
    if (height >= to) stop()
  })
}

/** Starts to make the blocks of a single-validator chain, or to follow others. */
export async function startEmbedded(options: ConsensusOptions): Promise<EmbeddedConsensus> {
  const { home, validator, closers, upgrade } = options
  refuseCometChain(options)
  const isLate = options.dev && options.stores.journal !== undefined
  const blockStore = new ConsensusBlockStore(join(home.data.directory, 'blockstore.db'), { isLate })
  closers.add(() => blockStore.close())
  await verifyGenesis(home.config.genesis, blockStore)
  refuseHalted(options)
  logReplay(options, Math.min(blockStore.height, lastHeightOf(upgrade)))
  if (validator === undefined) {
    const { startFull } = await import('./start-full.ts')
    return startFull(options, blockStore)
  }
  if (!options.dev) return startMaking(options, validator, blockStore)
  const { startDriven } = await import('./start-dev.ts')
  return startDriven(options, validator, blockStore)
}
