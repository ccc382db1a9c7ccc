import type { Config } from '../../base/config/schema.ts'
import { hasYear } from '../../base/time.ts'
import { type ConsensusEngine, IN_SYNC } from '../../chain/consensus/application.ts'
import type { ConsensusBlockStore } from '../../chain/consensus/embedded/block-store.ts'
import { systemClock } from '../../chain/consensus/embedded/clock.ts'
import { haltError } from '../../chain/consensus/embedded/engine.ts'
import { openProducer } from '../../chain/consensus/embedded/producer.ts'
import type { BlockSigner } from '../../chain/consensus/validator/validator.ts'
import { AutominingPool } from '../../chain/dev/automining-pool.ts'
import { DrivenChain } from '../../chain/dev/driven-chain.ts'
import { EmbeddedMaker } from '../../chain/dev/embedded-maker.ts'
import { PoolRemover } from '../../chain/dev/pool-remover.ts'
import { refuseUpgrade } from './awaited-upgrade.ts'
import type { ConsensusOptions, EmbeddedConsensus } from './consensus.ts'
import { beginningOf, nextBlockOverrides, stateFilesOf, unlockedAccounts } from './dev-settings.ts'
import { haltPointOf } from './halt.ts'
import { keepStateFile, loadStateFile } from './state-file-keeper.ts'

/** Starts a development chain whose time and blocks are driven over RPC. */
export async function startDriven(
  options: ConsensusOptions,
  validator: BlockSigner,
  blockStore: ConsensusBlockStore,
): Promise<EmbeddedConsensus> {
  const { config, genesis, chain, stores, closers, onError, onHalted } = options
  const { application, mempool, settings = nextBlockOverrides(config) } = chain
  refuseUpgrade(options.upgrade)
  const producer = await openProducer({
    application,
    genesis,
    validator,
    blockStore,
    halt: haltPointOf(config),
    onHalted,
  })
  closers.add(() => producer.close())
  if (!hasYear(producer.time)) {
    options.logger.warn(
      `block ${producer.height} has a time after the year 9999, which 0.1.0 allowed: no block can follow it`,
      { hint: 'remove it with anvil_rollback or evm_revert, or with `lockstep rollback --hard`' },
    )
  }
  const { feeMarket } = genesis.params
  const dev = new DrivenChain({
    maker: new EmbeddedMaker({ producer, application, blockStore, feeMarket, ...stores }),
    memory: stores.journal ?? { record: undefined, save: () => {} },
    pool: new PoolRemover(mempool),
    accounts: unlockedAccounts(config, options.developers?.keys ?? []),
    settings,
    clock: systemClock,
    beginsAt: beginningOf(config, genesis.time),
    isStrictTime: config.dev.strictTime,
    throwsOnRevert: config.dev.throwOnRevert,
    slotsInAnEpoch: config.dev.slotsInAnEpoch,
    order: config.dev.order,
    automine: config.dev.automine && !config.dev.noMining,
    intervalMs: intervalOf(config),
    waitsAtStart: config.dev.blockTime > 0,
    createEmptyBlocks: config.consensus.createEmptyBlocks,
    createEmptyBlocksIntervalMs: config.consensus.createEmptyBlocksInterval,
    hasWork: async () => mempool.counts.pending > 0 || producer.owesAppHash(),
    waiting: () => mempool.counts.pending,
    onError: (cause) => onError(haltError(producer.nextHeight, cause)),
  })
  const stateFile = {
    ...stateFilesOf(config),
    dev,
    storage: stores.amended,
    isNew: producer.height === 0,
    keccak256: (bytes: Uint8Array) => chain.recovery.keccak256(bytes),
    logger: options.logger,
  }
  // Before it is kept: a file that cannot be loaded must not be replaced.
  await loadStateFile(stateFile)
  // Closed in reverse: the file is written after the last block.
  closers.add(keepStateFile(stateFile, config.dev.stateInterval))
  closers.add(() => dev.stop())
  mempool.onPending(() => dev.notifyTransactions())
  dev.start()
  const engine: ConsensusEngine = {
    get height() {
      return producer.height
    },
    sync: IN_SYNC,
    notifyTransactions: () => dev.notifyTransactions(),
    stop: () => dev.stop(),
  }
  const pool = new AutominingPool(mempool, () => dev)
  return { kind: 'embedded', engine, blockStore, validator, pool, dev }
}

function intervalOf({ dev, consensus }: Config): number {
  if (dev.noMining) return 0
  return dev.automine ? dev.blockTime : dev.blockTime || consensus.blockTime
}
