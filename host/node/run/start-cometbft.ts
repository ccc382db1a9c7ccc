import { chmodSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { LockstepError, messageOf } from '../../base/error.ts'
import type { AbciApplication } from '../../consensus/abci/abci-application.ts'
import { serveAbci } from '../../consensus/abci/abci-server.ts'
import { ChainApplication } from '../../consensus/abci/chain-application.ts'
import { HaltingApplication } from '../../consensus/abci/halting-application.ts'
import type { TransactionGate } from '../../consensus/abci/transaction-gate.ts'
import { renderCometConfig } from '../../consensus/cometbft/comet-config.ts'
import { CometEngine } from '../../consensus/cometbft/comet-engine.ts'
import {
  type CometFolder,
  makeCometFolder,
  prepareCometFolder,
} from '../../consensus/cometbft/comet-folder.ts'
import { CometProcess } from '../../consensus/cometbft/comet-process.ts'
import { CometRpc } from '../../consensus/cometbft/comet-rpc.ts'
import { CometWatch } from '../../consensus/cometbft/comet-watch.ts'
import { broadcastTo } from '../../consensus/gossip/comet-broadcast.ts'
import { TransactionGossip } from '../../consensus/gossip/transaction-gossip.ts'
import { StateQuery } from '../../consensus/state-machine/state-query.ts'
import { ServedSnapshots } from '../../snapshot/abci/served-snapshots.ts'
import { SnapshotCatalog } from '../../snapshot/abci/snapshot-catalog.ts'
import { snapshotFolder } from '../home/home.ts'
import { cometConfig } from './comet-config.ts'
import type { CometConsensus, ConsensusOptions } from './consensus.ts'
import { GenesisFileKeeper } from './genesis-file-keeper.ts'
import { refuseHalted } from './refuse-halted.ts'
import { verifyGenesis } from './verify-genesis.ts'

/** Calls after whose failure the state machine cannot go on; all others are answered or asked again. */
const OF_CONSENSUS: readonly string[] = [
  'init_chain',
  'prepare_proposal',
  'process_proposal',
  'finalize_block',
  'commit',
]

/** For so long a node that has reached its last height stays: others may still need its votes for that height. */
const HALT_PAUSE_MS = 2_000

/** Ends what CometBFT waits for in vain. */
class Stopping {
  /** Rejects when the node stops. */
  readonly promise: Promise<never>
  #hasBegun = false
  #reject: (reason: LockstepError) => void = () => {}

  constructor() {
    this.promise = new Promise((_, reject) => {
      this.#reject = reject
    })
    // Most often nobody waits.
    this.promise.catch(() => {})
  }

  get hasBegun(): boolean {
    return this.#hasBegun
  }

  begin(): void {
    this.#hasBegun = true
    this.#reject(new LockstepError('INTERRUPTED', 'the node stops'))
  }
}

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

/** The state machine as CometBFT calls it. */
function applicationOf(
  { home, config, stores, chain, onHalted }: ConsensusOptions,
  gate: TransactionGate,
  stopping: Stopping,
): AbciApplication {
  const { application } = chain
  const whole = new ChainApplication({
    application,
    chain: stores.storage.chain,
    query: new StateQuery(stores.committer, () => application.info().lastBlockHeight),
    gate,
    snapshots: new ServedSnapshots(new SnapshotCatalog(snapshotFolder(home, config))),
  })
  const { haltHeight: height } = config
  if (height === 0) return whole
  const halt = (reached: number): void => {
    setTimeout(() => onHalted(reached), HALT_PAUSE_MS).unref()
  }
  return new HaltingApplication(whole, { height, onHalted: halt, stopped: stopping.promise })
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

/** What a CometBFT is started with, beside its folder. */
interface Driven {
  readonly folder: CometFolder
  readonly rpc: CometRpc
  readonly gossip: TransactionGossip
  readonly stopping: Stopping
}

async function startProcess(
  { home, config, chain, logger, closers, signal, onError }: ConsensusOptions,
  { folder, rpc, gossip, stopping }: Driven,
): Promise<CometProcess> {
  const text = renderCometConfig(cometConfig({ home, config, folder, trust: undefined }))
  const options = {
    program: config.consensus.cometbft,
    root: folder.root,
    prepare: () => prepareCometFolder(folder, text),
    isUp: async () => {
      await rpc.call('health')
      chmodSync(folder.rpcSocket, 0o600)
      return true
    },
    onUp: () => gossip.handOver(),
    nextHeight: () => chain.application.info().lastBlockHeight + 1,
    log: logger.child({ component: 'cometbft' }),
    onFailure: onError,
  }
  const comet = await CometProcess.start(options, signal)
  closers.add(async () => {
    const stopped = comet.stop()
    stopping.begin()
    await stopped
  })
  return comet
}

/** Has CometBFT decide the blocks: it asks the state machine over a socket, and is asked over another. */
export async function startCometBft(options: ConsensusOptions): Promise<CometConsensus> {
  const { home, config, chain, logger, closers, onError } = options
  const { application, mempool } = chain
  refuseEmbeddedChain(options)
  refuseHalted(config.haltHeight, application.info().lastBlockHeight)
  const folder = makeCometFolder(home.data.comet)
  closers.add(() => folder.remove())
  const genesisFile = join(folder.root, 'genesis-record.json')
  await verifyGenesis(home.config.genesis, new GenesisFileKeeper(genesisFile))
  const rpc = new CometRpc({ socketPath: folder.rpcSocket })
  closers.add(() => rpc.close())
  recordSignatures(options)
  const gossip = startGossip(options, rpc)
  const stopping = new Stopping()
  const server = await serveAbci({
    path: folder.appSocket,
    application: applicationOf(options, gossip, stopping),
    onFailure: (error, method) => {
      if (stopping.hasBegun) return
      logger.error('ABCI: a call failed', { method, error })
      if (OF_CONSENSUS.includes(method)) onError(error)
    },
  })
  closers.add(() => server.close())
  const comet = await startProcess(options, { folder, rpc, gossip, stopping })
  const watch = new CometWatch(rpc, () => application.info().lastBlockHeight)
  watch.start()
  closers.add(() => watch.stop())
  const engine = new CometEngine(
    application,
    () => watch.sync,
    () => comet.stop(),
  )
  return { kind: 'cometbft', engine, pool: mempool, rpc, rpcSocket: folder.rpcSocket, comet, watch }
}
