import { delay, timeoutSignal } from '../../../base/timer.ts'
import type { SyncStatus } from '../application.ts'
import type { CometRpc } from './comet-rpc.ts'

/** Milliseconds between two questions. */
export interface WatchPace {
  /** How far the node is. */
  readonly statusMs: number
  /** How far its peers are. */
  readonly peersMs: number
}

const PACE: WatchPace = { statusMs: 500, peersMs: 2_000 }

/** The answer about the peers has the block that is proposed in it: who takes long over it is asked as seldom. */
const PEERS_SHARE = 20

/** Milliseconds in which it is to answer. */
const TIMEOUT_MS = 5_000

/** CometBFT needs some seconds for its first peers; so often it is asked before a node counts as alone. */
const ASKS_ALONE = 5

/** Told when the first peer comes, and when none has been there for some time. */
export interface PeerReport {
  connected(peers: number): void
  alone(): void
}

const SILENT: PeerReport = { connected: () => {}, alone: () => {} }

/** What a node waits for before CometBFT has said how far it is. */
const BEGINNING = 'the first answer of CometBFT'

interface Status {
  readonly sync_info: { readonly catching_up: boolean; readonly earliest_block_height: string }
}

interface ConsensusState {
  readonly peers: readonly {
    /** Of a peer that has just connected there is none. */
    readonly peer_state: { readonly round_state: { readonly height: string } } | null
  }[]
}

/** Where a node stands among its peers, by what its CometBFT says. */
export class CometWatch {
  readonly #rpc: Pick<CometRpc, 'call'>
  readonly #height: () => number
  readonly #pace: WatchPace
  readonly #report: PeerReport
  readonly #stopping = new AbortController()
  #sync: SyncStatus
  #peers = 0
  /** Questions in a row whose answer had no peer in it; none once it was told. */
  #asksAlone = 0
  #isAlone = true
  #base = 0
  #ended: Promise<unknown> = Promise.resolve()

  /** `height` is the newest one of the application. */
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

  /** First block that CometBFT keeps; 0 before it has said. */
  get base(): number {
    return this.#base
  }

  /** Peers that are connected. */
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
      await delay(Math.min(pauseMs, everyMs * PEERS_SHARE), { signal }).catch(() => {})
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
      // At its start it answers nothing until it has gone through the blocks that the application lacks.
      const waitingFor = this.#sync.waitingFor ?? 'CometBFT, which does not answer'
      this.#sync = { ...this.#sync, waitingFor }
    }
  }

  async #askPeers(): Promise<void> {
    try {
      const { peers } = (await this.#ask('dump_consensus_state')) as ConsensusState
      this.#peers = peers.length
      this.#noteAlone()
      // The height that a peer is in: the block of the one before is its newest.
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
