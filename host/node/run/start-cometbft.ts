import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { LockstepError, messageOf } from '../../base/error.ts'
import { FAILURES } from '../../base/failure-table.ts'
import { startTimer } from '../../base/timer.ts'
import type { AbciApplication } from '../../chain/consensus/abci/abci-application.ts'
import { BlockPace } from '../../chain/consensus/abci/block-pace.ts'
import { ChainApplication } from '../../chain/consensus/abci/chain-application.ts'
import { HaltingApplication } from '../../chain/consensus/abci/halting-application.ts'
import type { TransactionGate } from '../../chain/consensus/abci/transaction-gate.ts'
import { CometEngine } from '../../chain/consensus/cometbft/comet-engine.ts'
import type { CometRpc } from '../../chain/consensus/cometbft/comet-rpc.ts'
import { CometWatch, type PeerReport } from '../../chain/consensus/cometbft/comet-watch.ts'
import { retainHeight } from '../../chain/consensus/cometbft/retain-height.ts'
import { broadcastTo } from '../../chain/consensus/gossip/comet-broadcast.ts'
import { TransactionGossip } from '../../chain/consensus/gossip/transaction-gossip.ts'
import { StateQuery } from '../../chain/consensus/state-machine/state-query.ts'
import { ServedSnapshots } from '../../chain/snapshot/abci/served-snapshots.ts'
import { SnapshotCatalog } from '../../chain/snapshot/abci/snapshot-catalog.ts'
import { completeHeights } from '../../chain/snapshot/snapshot-dir.ts'
import { snapshotFolder } from '../home/home.ts'
import { forgetRestored, readRestored } from '../home/restored-snapshot.ts'
import { rebuildLog } from '../open/rebuild-log.ts'
import { CometDriver } from './comet-driver.ts'
import type { CometConsensus, ConsensusOptions } from './consensus.ts'
import { GenesisFileKeeper, genesisRecordOf } from './genesis-file-keeper.ts'
import { decidesAlone, peersNamed } from './peers-needed.ts'
import { refuseHalted } from './refuse-halted.ts'
import { verifyGenesis } from './verify-genesis.ts'

/** For so long a node that has reached its last height stays: others may still need its votes for that height. */
const HALT_PAUSE_MS = 2_000

/**
 * CometBFT's handshake says the same in the words of a panic.
 * @throws CONFIG_INVALID where the home has blocks of the embedded engine that genesis.json does not begin after
 */
function refuseEmbeddedChain({ home, genesis, chain }: ConsensusOptions): void {
  const height = chain.application.info().lastBlockHeight
  const isCometChain = existsSync(join(home.data.comet, 'data', 'blockstore.db'))
  if (height === 0 || isCometChain || genesis.initialHeight === height + 1) return
  throw new LockstepError(
    'CONFIG_INVALID',
    `engine is "cometbft", but the ${height} blocks of ${home.root} are those of the embedded engine`,
    {
      hint:
        'bring the genesis.json that the chain goes on with under CometBFT, whose initial_height is the next one, ' +
        `or write engine = "embedded" into [consensus] of ${home.config.consensus}`,
    },
  )
}

/** Blocks come at the time that is aimed at, unless the operator has said what CometBFT waits. */
function paceOf({ config }: ConsensusOptions): BlockPace | undefined {
  const { blockTime, timeoutCommit, timeoutPropose, skipTimeoutCommit } = config.consensus
  if (timeoutCommit > 0 || skipTimeoutCommit) return undefined
  return new BlockPace({ blockTimeMs: blockTime, longestMs: timeoutPropose / 2 })
}

/** The state machine as CometBFT calls it. */
function applicationOf(
  options: ConsensusOptions,
  gate: TransactionGate,
  driver: CometDriver,
  watch: CometWatch,
): AbciApplication {
  const { home, config, genesis, stores, chain, onHalted, syncing } = options
  const { application } = chain
  const folder = snapshotFolder(home, config)
  const catalog = new SnapshotCatalog(folder)
  const whole = new ChainApplication({
    application,
    initialHeight: genesis.initialHeight,
    chain: stores.storage.chain,
    query: new StateQuery(stores.committer, () => application.info().lastBlockHeight),
    gate,
    snapshots: syncing?.snapshots ?? new ServedSnapshots(catalog),
    pace: paceOf(options),
    retain: (earliest) =>
      retainHeight({ earliest, base: watch.base, snapshot: () => completeHeights(folder)[0] }),
  })
  const { haltHeight: height } = config
  if (height === 0) return whole
  const halt = (reached: number): void => {
    startTimer(() => onHalted(reached), HALT_PAUSE_MS).unref()
  }
  return new HaltingApplication(whole, { height, onHalted: halt, stopped: driver.stopped })
}

/** From the first block above it on, CometBFT has gone on from the snapshot that the home was made of. */
function settleSnapshot({ home, chain }: ConsensusOptions): void {
  const { directory } = home.data
  const restored = readRestored(directory)
  if (restored === undefined) return
  if (chain.application.info().lastBlockHeight > restored.height) {
    forgetRestored(directory)
    return
  }
  const stop = chain.application.onBlock(() => {
    stop()
    forgetRestored(directory)
  })
}

/** Keeps the second record of what CometBFT signs with the key of this validator. */
function recordSignatures({ validator, chain, logger, closers }: ConsensusOptions): void {
  if (validator === undefined) return
  const follow = (): Promise<void> =>
    validator.follow().catch((thrown) => {
      logger.error('the record of signatures beside the key cannot be written', {
        error: messageOf(thrown),
      })
    })
  const stop = chain.application.onBlock(() => void follow())
  closers.add(() => {
    stop()
    return follow()
  })
}

/** Hands the transactions of this node to CometBFT's gossip, and takes those of others. */
function startGossip(
  { chain, logger, closers }: ConsensusOptions,
  rpc: CometRpc,
): TransactionGossip {
  const { application, mempool, recovery } = chain
  const gossip = new TransactionGossip({
    pool: mempool,
    keccak256: (bytes) => recovery.keccak256(bytes),
    broadcast: broadcastTo(rpc),
    height: application.info().lastBlockHeight,
    onRefused: (hash, reason) => logger.warn('a transaction was refused', { hash, reason }),
    onUnsent: (waiting, reason) => {
      logger.debug('transactions wait for CometBFT', { waiting, reason })
    },
  })
  const stop = application.onBlock(({ block }) => gossip.onBlock(block.header))
  closers.add(() => {
    stop()
    gossip.close()
  })
  return gossip
}

/** Tells of peers that come, and that there is none where the node needs or names some. */
function peerLog({ config, genesis, logger, validator }: ConsensusOptions): PeerReport {
  const names = peersNamed(config.p2p)
  return {
    connected: (peers) => logger.info('connected to peers', { peers }),
    alone: () => {
      if (!names && decidesAlone(genesis, validator?.publicKey)) return
      const { text, remedy } = FAILURES.NO_PEERS
      logger.warn(text, { remedy })
    },
  }
}

/** Tells of the blocks that CometBFT has executed again before it answers: those that the stores lack. */
function logReplay({ chain, logger }: ConsensusOptions): () => void {
  const { application } = chain
  const from = application.info().lastBlockHeight + 1
  const log = rebuildLog(logger, 'Executing blocks again that the stores lack')
  let height = 0
  const stop = application.onBlock(({ block }) => {
    height = block.header.number
    // A single one may be new: CometBFT may decide it before it is known to answer.
    if (height > from) log({ from, height, to: undefined })
  })
  return () => {
    stop()
    if (height > from) log({ from, height, to: height })
  }
}

/** Has CometBFT decide the blocks: it asks the state machine over a socket, and is asked over another. */
export async function startCometBft(options: ConsensusOptions): Promise<CometConsensus> {
  const { home, config, chain, closers, signal, syncing } = options
  const { application, mempool } = chain
  refuseEmbeddedChain(options)
  refuseHalted(config.haltHeight, application.info().lastBlockHeight)
  const driver = syncing?.driver ?? new CometDriver(options)
  closers.add(() => driver.close())
  await verifyGenesis(home.config.genesis, new GenesisFileKeeper(genesisRecordOf(home.data)))
  recordSignatures(options)
  settleSnapshot(options)
  const gossip = startGossip(options, driver.rpc)
  const { rpc, rpcSocket } = driver
  const height = (): number => application.info().lastBlockHeight
  const watch = new CometWatch(rpc, height, peerLog(options))
  const abci = applicationOf(options, gossip, driver, watch)
  await driver.drive({
    application: abci,
    nextHeight: () => height() + 1,
    onUp: () => gossip.handOver(),
  })
  // It ends before what it asks.
  closers.add(() => driver.close())
  syncing?.serve(abci)
  const stopLog = logReplay(options)
  const comet = await driver.start(undefined, signal)
  stopLog()
  if (syncing !== undefined) gossip.handOver()
  watch.start()
  closers.add(() => watch.stop())
  const engine = new CometEngine(
    application,
    () => watch.sync,
    () => driver.close(),
  )
  return { kind: 'cometbft', engine, pool: mempool, rpc, rpcSocket, comet, watch }
}
