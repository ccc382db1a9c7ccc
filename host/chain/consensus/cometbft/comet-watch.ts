import { pause, timeoutSignal } from '../../../base/timer.ts'
import type { SyncStatus } from '../application.ts'
import type { CometRpc } from './comet-rpc.ts'

/** Milliseconds between two queries. */
export interface WatchPace {
  /** For the node's own status. */
  readonly statusMs: number
  /** For the state of its peers. */
  readonly peersMs: number
}

const PACE: WatchPace = { statusMs: 500, peersMs: 2_000 }

/**
 * Least pause in response times, and longest pause in intervals. The response about peers holds the proposed block
 * and may be slow.
 */
const PEERS_SHARE = 20

/** Response timeout in milliseconds. */
const TIMEOUT_MS = 5_000

/** Responses without a peer before a node counts as alone: CometBFT needs a few seconds for its first peers. */
const ASKS_ALONE = 5

/** Receives the first connection of a peer, and a lasting lack of peers. */
export interface PeerReport {
  connected(peers: number): void
  alone(): void
}

const SILENT: PeerReport = { connected: () => {}, alone: () => {} }

/** What a node waits for before CometBFT has reported its status. */
const BEGINNING = 'the first answer of CometBFT'

interface Status {
  readonly sync_info: { readonly catching_up: boolean; readonly earliest_block_height: string }
}

interface ConsensusState {
  readonly peers: readonly {
    /** Null for a peer that has just connected. */
    readonly peer_state: { readonly round_state: { readonly height: string } } | null
  }[]
}

/** Sync status of a node relative to its peers, as its CometBFT reports it. */
export class CometWatch {
  readonly #rpc: Pick<CometRpc, 'call'>
  readonly #height: () => number
  readonly #pace: WatchPace
  readonly #report: PeerReport
  readonly #stopping = new AbortController()
  #sync: SyncStatus
  #peers = 0
  /** Consecutive responses without a peer. */
  #asksAlone = 0
  #isAlone = true
  #base = 0
  #ended: Promise<unknown> = Promise.resolve()

  /** @param height returns the latest height of the application */
  constructor(
    rpc: Pick<CometRpc, 'call'>,
    height: () => number,
    report: PeerReport = SILENT,
    pace: WatchPace = PACE,
  ) {
    this.#report = report
    this.#pace = pace
    this.#rpc = rpc
    this.#height = height
    this.#sync = {
      maxPeerHeight: 0,
      isCatchingUp: true,
      startingHeight: height(),
      waitingFor: BEGINNING,
    }
  }

  get sync(): SyncStatus {
    return this.#peers === 0 ? { ...this.#sync, isAlone: true } : this.#sync
  }

  /** First block that CometBFT retains; 0 before its first response. */
  get base(): number {
    return this.#base
  }

  /** Number of connected peers. */
  get peers(): number {
    return this.#peers
  }

  start(): void {
    this.#ended = Promise.all([
      this.#repeat(this.#pace.statusMs, () => this.#askStatus()),
      this.#repeat(this.#pace.peersMs, () => this.#askPeers()),
    ])
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#ended
  }

  async #repeat(everyMs: number, ask: () => Promise<void>): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const began = performance.now()
      await ask()
      const pauseMs = Math.max(everyMs, (performance.now() - began) * PEERS_SHARE)
      await pause(Math.min(pauseMs, everyMs * PEERS_SHARE), signal)
    }
  }

  async #askStatus(): Promise<void> {
    try {
      const { sync_info } = (await this.#ask('status')) as Status
      const isCatchingUp = sync_info.catching_up
      this.#base = Number(sync_info.earliest_block_height)
      const { waitingFor: _, ...sync } = this.#sync
      const begins = isCatchingUp && !sync.isCatchingUp
      const startingHeight = begins ? this.#height() : sync.startingHeight
      this.#sync = { ...sync, isCatchingUp, startingHeight }
    } catch {
      // At startup it does not answer until it has replayed the blocks that the application lacks.
      const waitingFor = this.#sync.waitingFor ?? 'CometBFT, which does not answer'
      this.#sync = { ...this.#sync, waitingFor }
    }
  }

  async #askPeers(): Promise<void> {
    try {
      const { peers } = (await this.#ask('dump_consensus_state')) as ConsensusState
      this.#peers = peers.length
      this.#noteAlone()
      // The height of a peer's round is one above its latest block.
      const heights = peers.map(({ peer_state }) => Number(peer_state?.round_state.height ?? 1) - 1)
      this.#sync = { ...this.#sync, maxPeerHeight: Math.max(0, ...heights) }
    } catch {
      this.#peers = 0
    }
  }

  #noteAlone(): void {
    if (this.#peers > 0) {
      if (this.#isAlone) this.#report.connected(this.#peers)
      this.#isAlone = false
      this.#asksAlone = 0
      return
    }
    this.#asksAlone++
    if (this.#asksAlone !== ASKS_ALONE) return
    this.#isAlone = true
    this.#report.alone()
  }

  #ask(method: string): Promise<unknown> {
    const { signal } = this.#stopping
    return this.#rpc.call(method, {}, AbortSignal.any([signal, timeoutSignal(TIMEOUT_MS)]))
  }
}
