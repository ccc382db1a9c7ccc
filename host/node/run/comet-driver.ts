import { chmodSync } from 'node:fs'
import type { Config } from '../../base/config/schema.ts'
import { LockstepError } from '../../base/error.ts'
import type { Logger } from '../../base/log/logger.ts'
import type { AbciApplication } from '../../chain/consensus/abci/abci-application.ts'
import { type AbciServer, serveAbci } from '../../chain/consensus/abci/abci-server.ts'
import { renderCometConfig } from '../../chain/consensus/cometbft/comet-config.ts'
import {
  type CometFolder,
  makeCometFolder,
  prepareCometFolder,
} from '../../chain/consensus/cometbft/comet-folder.ts'
import { CometProcess } from '../../chain/consensus/cometbft/comet-process.ts'
import { CometRpc } from '../../chain/consensus/cometbft/comet-rpc.ts'
import { nameBlock } from '../../chain/consensus/cometbft/failed-block.ts'
import type { TrustedBlock } from '../../chain/snapshot/sync/trusted-block.ts'
import type { Home } from '../home/home.ts'
import { cometConfig } from './comet-config.ts'

/** Calls whose failure is fatal to the node; others are answered or repeated. */
const FATAL: readonly string[] = [
  'init_chain',
  'prepare_proposal',
  'process_proposal',
  'finalize_block',
  'commit',
  'offer_snapshot',
  'apply_snapshot_chunk',
]

export interface CometDriverOptions {
  readonly home: Home
  readonly config: Config
  readonly logger: Logger
  readonly onError: (error: unknown) => void
}

/** The application that CometBFT currently drives. */
export interface Driven {
  readonly application: AbciApplication
  /** Height of the next block to execute. */
  readonly nextHeight: () => number
  /** Called after each start of CometBFT, when its RPC responds. */
  readonly onUp: () => void
}

/** A node's CometBFT process with two sockets: ABCI, and CometBFT's RPC. */
export class CometDriver {
  readonly rpc: CometRpc
  readonly rpcSocket: string
  readonly #options: CometDriverOptions
  readonly #folder: CometFolder
  readonly #stopping = new AbortController()
  #server: AbciServer | undefined
  #driven: Driven | undefined
  #started: Promise<CometProcess> | undefined
  #comet: CometProcess | undefined
  #closed: Promise<void> | undefined

  /** Creates CometBFT's folder if it does not exist. */
  constructor(options: CometDriverOptions) {
    this.#options = options
    this.#folder = makeCometFolder(options.home.data.comet)
    this.rpcSocket = this.#folder.rpcSocket
    this.rpc = new CometRpc({ socketPath: this.rpcSocket })
  }

  /** Rejects when the node stops: pending ABCI calls will not be answered. */
  get stopped(): Promise<never> {
    const { signal } = this.#stopping
    return new Promise((_, reject) => {
      if (signal.aborted) reject(signal.reason)
      else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
  }

  /** Connects CometBFT to an application, from its next call on. */
  async drive(driven: Driven): Promise<void> {
    const { application } = driven
    this.#driven = driven
    this.#server?.switchTo(application)
    this.#server ??= await serveAbci({
      path: this.#folder.appSocket,
      application,
      onFailure: (error, method) => this.#fail(error, method),
    })
  }

  /**
   * Starts CometBFT if it is not running; call after `drive`. Resolves when its RPC responds.
   * @param trust set if an empty CometBFT starts from a snapshot
   */
  start(trust: TrustedBlock | undefined, signal: AbortSignal): Promise<CometProcess> {
    this.#started ??= this.#start(trust, signal)
    return this.#started
  }

  async #start(trust: TrustedBlock | undefined, signal: AbortSignal): Promise<CometProcess> {
    const { home, config, logger, onError } = this.#options
    const folder = this.#folder
    const text = renderCometConfig(cometConfig({ home, config, folder, trust }))
    const options = {
      program: config.consensus.cometbft,
      root: folder.root,
      prepare: () => prepareCometFolder(folder, text),
      isUp: async () => {
        await this.rpc.call('health')
        chmodSync(folder.rpcSocket, 0o600)
        return true
      },
      onUp: () => this.#driven?.onUp(),
      nextHeight: () => this.#driven?.nextHeight() ?? 0,
      log: logger.child({ component: 'cometbft' }),
      onFailure: (error: LockstepError) => void nameBlock(error, this.rpc).then(onError),
    }
    this.#comet = await CometProcess.start(
      options,
      AbortSignal.any([signal, this.#stopping.signal]),
    )
    return this.#comet
  }

  /** Stops CometBFT, then closes its connections; repeated calls share one result. */
  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    // First, so that CometBFT's failure on unanswered calls is not reported.
    const ended = this.#comet?.stop()
    this.#stopping.abort(new LockstepError('INTERRUPTED', 'the node stops'))
    await ended
    await this.#started?.then((comet) => comet.stop()).catch(() => undefined)
    await this.#server?.close()
    this.rpc.close()
    this.#folder.remove()
  }

  #fail(error: LockstepError, method: string): void {
    if (this.#stopping.signal.aborted) return
    const { logger, onError } = this.#options
    logger.error('ABCI: a call failed', { method, error })
    if (FATAL.includes(method)) onError(error)
  }
}
