import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { LockstepError, messageOf } from '../../base/error.ts'
import { FAILURES } from '../../base/failure-table.ts'
import { startTimer } from '../../base/timer.ts'
import type { AbciApplication } from '../../chain/consensus/abci/abci-application.ts'
import { ChainApplication } from '../../chain/consensus/abci/chain-application.ts'
import { HaltingApplication } from '../../chain/consensus/abci/halting-application.ts'
import { ProposalPacer } from '../../chain/consensus/abci/proposal-pacer.ts'
import type { TransactionGate } from '../../chain/consensus/abci/transaction-gate.ts'
import type { ConsensusEngine } from '../../chain/consensus/application.ts'
import type { CometRpc } from '../../chain/consensus/cometbft/comet-rpc.ts'
import { CometWatch, type PeerReport } from '../../chain/consensus/cometbft/comet-watch.ts'
import { retainHeight } from '../../chain/consensus/cometbft/retain-height.ts'
import { broadcastTo } from '../../chain/consensus/gossip/comet-broadcast.ts'
import { TransactionGossip } from '../../chain/consensus/gossip/transaction-gossip.ts'
import { StateQuery } from '../../chain/consensus/state-machine/state-query.ts'
import {
  awaitedUpgrade,
  type UpgradeHalt,
  upgradeNeeded,
} from '../../chain/consensus/upgrade-halt.ts'
import { ServedSnapshots } from '../../chain/snapshot/abci/served-snapshots.ts'
import { SnapshotCatalog } from '../../chain/snapshot/abci/snapshot-catalog.ts'
import { completeHeights } from '../../chain/snapshot/snapshot-dir.ts'
import { snapshotFolder } from '../home/home.ts'
import { forgetRestored, readRestored } from '../home/restored-snapshot.ts'
import { rebuildLog } from '../open/rebuild-log.ts'
import { CometDriver } from './comet-driver.ts'
import type { CometConsensus, ConsensusOptions } from './consensus.ts'
import { GenesisFileKeeper, genesisRecordOf } from './genesis-file-keeper.ts'
import { haltPointOf, refuseHalted } from './halt.ts'
import { decidesAlone, peersNamed } from './peers-needed.ts'
import { verifyGenesis } from './verify-genesis.ts'

/** How long a node stays up after its halt height: others may still need its votes for it. */
const HALT_PAUSE_MS = 2_000

/**
 * Refuses a mismatch that CometBFT's handshake would report as a panic.
 * @throws CONFIG_INVALID if the home has blocks of the embedded engine, and genesis.json does not continue after them
 */
function refuseEmbeddedChain({ home, genesis, chain }: ConsensusOptions): void {
  const height = chain.application.info().lastBlockHeight
  const isCometChain = existsSync(join(home.data.comet, 'data', 'blockstore.db'))
  if (height === 0 || isCometChain || genesis.initialHeight === height + 1) return
  throw new LockstepError(
    'CONFIG_INVALID',
    `engine is "cometbft", but the ${height} blocks of ${home.root} are from the embedded engine`,
    {
      hint:
        'use the genesis.json with which the chain continues under CometBFT, whose initial_height is the next height, ' +
        `or write engine = "embedded" into [consensus] of ${home.config.consensus}`,
    },
  )
}

/** Paces blocks to the configured interval, unless the operator has set CometBFT's timeouts. */
function paceOf({ config }: ConsensusOptions): ProposalPacer | undefined {
  const { blockTime, timeoutCommit, timeoutPropose, skipTimeoutCommit } = config.consensus
  if (timeoutCommit > 0 || skipTimeoutCommit) return undefined
  return new ProposalPacer({ blockTimeMs: blockTime, longestMs: timeoutPropose / 2 })
}

/** Returns the state machine as an ABCI application. */
function applicationOf(
  options: ConsensusOptions,
  gate: TransactionGate,
  driver: CometDriver,
  watch: CometWatch,
  upgrade: UpgradeHalt | undefined,
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
  const halt = haltPointOf(config)
  if (halt.height === 0 && halt.time === 0 && upgrade === undefined) return whole
  const endLater = (reached: number): void => {
    startTimer(() => onHalted(reached), HALT_PAUSE_MS).unref()
  }
  return new HaltingApplication(whole, {
    halt,
    onHalted: endLater,
    upgrade,
    stopped: driver.stopped,
  })
}

/** After the first block above it, the home no longer depends on the snapshot that it was restored from. */
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

/** Keeps a second record, next to the key, of what CometBFT signs with this validator's key. */
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

/** Passes this node's transactions to CometBFT's gossip, and receives those of others. */
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

/** Logs new peers, and warns if there are none although the node needs or lists some. */
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

/** Logs the blocks missing from the stores that CometBFT replays before its RPC responds. */
function logReplay({ chain, logger }: ConsensusOptions): () => void {
  const { application } = chain
  const from = application.info().lastBlockHeight + 1
  const log = rebuildLog(logger, 'Replaying blocks that the stores lack')
  let height = 0
  const stop = application.onBlock(({ block }) => {
    height = block.header.number
    // A single one may be new: CometBFT may decide it before its RPC is known to respond.
    if (height > from) log({ from, height, to: undefined })
  })
  return () => {
    stop()
    if (height > from) log({ from, height, to: height })
  }
}

interface NotedUpgrade {
  readonly upgrade: UpgradeHalt | undefined
  /** Undefined until the upgrade is reached. */
  readonly waitingFor: string | undefined
  /** Rejects when the upgrade is reached: CometBFT cannot start if it has the block already. */
  readonly reached: Promise<never>
}

function noteUpgrade(upgrade: UpgradeHalt | undefined): NotedUpgrade {
  const { promise: reached, reject } = Promise.withResolvers<never>()
  reached.catch(() => {})
  if (upgrade === undefined) return { upgrade, waitingFor: undefined, reached }
  let isReached = false
  const { plan } = upgrade
  const noted = {
    plan,
    onReached: () => {
      if (isReached) return
      isReached = true
      upgrade.onReached()
      reject(new LockstepError('UPGRADE_NEEDED', upgradeNeeded(plan)))
    },
  }
  return {
    upgrade: noted,
    get waitingFor() {
      return isReached ? awaitedUpgrade(upgrade) : undefined
    },
    reached,
  }
}

/**
 * Starts CometBFT consensus: CometBFT calls the state machine over one socket, and the node calls CometBFT over
 * another.
 */
export async function startCometBft(options: ConsensusOptions): Promise<CometConsensus> {
  const { home, chain, closers, signal, syncing } = options
  const { application, mempool } = chain
  refuseEmbeddedChain(options)
  refuseHalted(options)
  const driver = syncing?.driver ?? new CometDriver(options)
  closers.add(() => driver.close())
  await verifyGenesis(home.config.genesis, new GenesisFileKeeper(genesisRecordOf(home.data)))
  recordSignatures(options)
  settleSnapshot(options)
  const gossip = startGossip(options, driver.rpc)
  const { rpc, rpcSocket } = driver
  const height = (): number => application.info().lastBlockHeight
  const watch = new CometWatch(rpc, height, peerLog(options))
  const awaited = noteUpgrade(options.upgrade)
  const abci = applicationOf(options, gossip, driver, watch, awaited.upgrade)
  await driver.drive({
    application: abci,
    nextHeight: () => height() + 1,
    onUp: () => gossip.sendAll(),
  })
  // CometBFT must end before the application that it calls.
  closers.add(() => driver.close())
  syncing?.serve(abci)
  const stopLog = logReplay(options)
  const comet = await Promise.race([driver.start(undefined, signal), awaited.reached])
  stopLog()
  if (syncing !== undefined) gossip.sendAll()
  watch.start()
  closers.add(() => watch.stop())
  const engine: ConsensusEngine = {
    get sync() {
      const { waitingFor } = awaited
      return waitingFor === undefined ? watch.sync : { ...watch.sync, waitingFor }
    },
    get height() {
      return height()
    },
    // CometBFT has its own mempool.
    notifyTransactions: () => {},
    stop: () => driver.close(),
  }
  return { kind: 'cometbft', engine, pool: mempool, rpc, rpcSocket, comet, watch }
}
