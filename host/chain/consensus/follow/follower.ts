import { LockstepError } from '../../../base/error.ts'
import type { Application, ConsensusEngine, SyncStatus } from '../application.ts'
import type { ConsensusBlockStore, DecidedBlock } from '../embedded/block-store.ts'
import type { ConsensusChain } from '../embedded/chain.ts'
import { type Clock, systemClock } from '../embedded/clock.ts'
import { applyBlock } from '../embedded/decide.ts'
import { haltError } from '../embedded/engine.ts'
import { handshake } from '../embedded/handshake.ts'
import { heightAfter, keepAppHash, type Tip } from '../embedded/tip.ts'
import { type HaltPoint, isHaltReached, NO_HALT } from '../halt-point.ts'
import { awaitedUpgrade, lastHeightOf, type UpgradeHalt } from '../upgrade-halt.ts'
import { PollSchedule } from './poll-schedule.ts'
import type { GivenBlock, RpcServer } from './rpc-server.ts'
import { type ServerReport, ServerSet } from './servers.ts'
import { verifyDecided, verifyFollows } from './verify-block.ts'

export interface FollowerOptions {
  readonly application: Application
  readonly chain: ConsensusChain
  readonly blockStore: ConsensusBlockStore
  /** Creates the servers. The signal aborts their requests. */
  readonly connect: (signal: AbortSignal) => readonly RpcServer[]
  readonly report: FollowReport
  readonly clock?: Clock
  readonly halt?: HaltPoint
  /** Called once, when the last block before the halt is committed. */
  readonly onHalted?: (height: number) => void
  readonly upgrade?: UpgradeHalt | undefined
  /** Called once if a block fails; the node is then halted. */
  readonly onError: (error: LockstepError) => void
}

export interface FollowReport extends ServerReport {
  following(server: RpcServer, height: number): void
  /** No server retains the next block. */
  pruned(height: number, earliest: number): void
  /** The node has the latest block of all servers; it fetched `blocks` of them in `milliseconds`. */
  caughtUp(height: number, blocks: number, milliseconds: number): void
}

/** Most blocks per request: each takes two calls, and a batch has ten. */
const MAX_BATCH = 5

/** Requests in flight while catching up. */
const MAX_REQUESTS = 4

/** Block bytes in flight, estimated from previous blocks. */
const MAX_BYTES = 32 * 1024 * 1024

/** Pause while no server is usable. */
const IDLE_MS = 200

/** Lag behind another server, and its duration, at which the node switches servers. */
const STALE_BLOCKS = 2
const STALE_MS = 3_000

/** Least time between two reports of the same kind. */
const NOTICE_MS = 60_000

/**
 * Follows a chain that other nodes produce: fetches each block from a server, verifies that the validators decided
 * it, executes and stores it. It never signs. No server is trusted: one that returns a false block is dropped, and
 * the next one is asked.
 *
 * A block is on disk before it is executed, and executed before its height counts. After a crash at any point the
 * handshake continues from the stored data.
 */
export class Follower implements ConsensusEngine {
  readonly #options: FollowerOptions
  readonly #clock: Clock
  readonly #servers: ServerSet
  readonly #stopping = new AbortController()
  readonly #pace = new PollSchedule()
  #tip: Tip
  #isCatchingUp = true
  #start: { readonly height: number; readonly at: number }
  #current: RpcServer | undefined
  #prunedAt = Number.NEGATIVE_INFINITY
  #blockBytes = 0
  #finished: Promise<unknown> = Promise.resolve()

  constructor(options: FollowerOptions, tip: Tip) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#tip = tip
    this.#start = { height: tip.height, at: this.#clock.monotonic() }
    this.#servers = new ServerSet({
      servers: options.connect(this.#stopping.signal),
      chainId: options.chain.id,
      clock: () => this.#clock.monotonic(),
      wait: (milliseconds) => this.#wait(milliseconds),
      report: options.report,
    })
  }

  get height(): number {
    return this.#tip.height
  }

  get decidedHeight(): number {
    return this.#awaited === undefined ? this.#tip.height : this.#next
  }

  get sync(): SyncStatus {
    const awaited = this.#awaited
    return {
      ...(awaited !== undefined && { waitingFor: awaitedUpgrade(awaited) }),
      maxPeerHeight: this.#servers.maxHeight,
      isCatchingUp: this.#isCatchingUp,
      startingHeight: this.#start.height,
      isAlone: this.#servers.isAlone,
    }
  }

  notifyTransactions(): void {}

  /**
   * Sends a transaction to the first server that answers, which forwards it if it is a follower too.
   * @returns why it is rejected; undefined if it is accepted
   * @throws NODE_UNREACHABLE if no server answers
   */
  async broadcast(raw: Uint8Array): Promise<string | undefined> {
    let failure: unknown = new LockstepError('NODE_UNREACHABLE', 'no server is available')
    for (const server of this.#servers.usable) {
      try {
        return await server.broadcast(raw)
      } catch (thrown) {
        failure = thrown
      }
    }
    throw failure
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#finished
    await keepAppHash(this.#options.blockStore, this.#tip)
  }

  start(): void {
    const watching = this.#servers.watch(this.#stopping.signal)
    this.#finished = Promise.all([watching, this.#run()])
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted
  }

  get #isHalted(): boolean {
    const { halt = NO_HALT } = this.#options
    return this.#awaited !== undefined || isHaltReached(halt, this.#tip)
  }

  /** The upgrade without which this release cannot execute the next block, which it has. */
  get #awaited(): UpgradeHalt | undefined {
    const { upgrade, blockStore } = this.#options
    return upgrade !== undefined && blockStore.height >= upgrade.plan.height ? upgrade : undefined
  }

  get #next(): number {
    return heightAfter(this.#options.chain, this.#tip)
  }

  async #run(): Promise<void> {
    await this.#servers.refresh(this.#stopping.signal)
    while (!this.#isStopping && !this.#isHalted) {
      const server = this.#choose()
      if (server === undefined) {
        await this.#wait(IDLE_MS)
        continue
      }
      try {
        await this.#follow(server)
      } catch (thrown) {
        if (this.#isStopping) return
        const isOfServer =
          thrown instanceof LockstepError &&
          (thrown.code === 'PEER_INVALID' || thrown.code === 'NODE_UNREACHABLE')
        if (!isOfServer) {
          this.#options.onError(haltError(this.#next, thrown))
          return
        }
        this.#servers.noteFailure(server, thrown)
      }
    }
    if (this.#awaited !== undefined) this.#awaited.onReached()
    else if (this.#isHalted) this.#options.onHalted?.(this.#tip.height)
  }

  #choose(): RpcServer | undefined {
    const { report } = this.#options
    const server = this.#servers.choose(this.#next)
    if (server !== undefined && server !== this.#current) {
      this.#current = server
      report.following(server, this.#tip.height)
    }
    if (server === undefined) this.#notePruned()
    return server
  }

  #notePruned(): void {
    const earliest = this.#servers.prunedTo(this.#next)
    const now = this.#clock.monotonic()
    if (earliest === undefined || now - this.#prunedAt < NOTICE_MS) return
    this.#prunedAt = now
    this.#options.report.pruned(this.#next, earliest)
  }

  /** Fetches blocks from a server until another one should be chosen. */
  async #follow(server: RpcServer): Promise<void> {
    /** Requests in flight, by height. */
    const asked: Promise<readonly GivenBlock[]>[] = []
    let next = this.#next
    let staleSince = this.#clock.monotonic()
    while (!this.#isStopping && !this.#isHalted) {
      const known = this.#servers.latestOf(server)
      while (next <= known && asked.length < this.#requests()) {
        const count = Math.min(this.#batch(), known - next + 1)
        asked.push(quiet(server.blocks(next, count)))
        next += count
      }
      const oldest = asked.shift()
      if (oldest !== undefined) {
        const before = this.#next
        await this.#take(await oldest)
        this.#servers.noteBlocks(server)
        // The server returned fewer blocks than it promised: the requests in flight leave a gap.
        if (this.#next === before) return this.#servers.noteHeight(server, before - 1)
        if (asked.length === 0) next = this.#next
        continue
      }
      this.#noteCaughtUp()
      const given = await server.blocks(this.#next, 1)
      if (given.length > 0) {
        this.#servers.noteHeight(server, Math.max(known, this.#next))
        await this.#take(given)
        this.#servers.noteBlocks(server)
        this.#pace.arrived(this.#clock.monotonic())
        next = this.#next
        staleSince = this.#clock.monotonic()
        continue
      }
      const now = this.#clock.monotonic()
      const isBehind = this.#servers.maxHeight >= this.#next + STALE_BLOCKS
      if (!isBehind) staleSince = now
      else if (now - staleSince > STALE_MS)
        return this.#servers.noteHeight(server, this.#tip.height)
      await this.#wait(this.#pace.wait(now))
    }
  }

  /** Returns the number of blocks per request: 1 if blocks are large. */
  #batch(): number {
    const fitting = Math.floor(MAX_BYTES / MAX_REQUESTS / Math.max(this.#blockBytes, 1))
    return Math.min(Math.max(fitting, 1), MAX_BATCH)
  }

  #requests(): number {
    const fitting = Math.floor(MAX_BYTES / (this.#batch() * Math.max(this.#blockBytes, 1)))
    return Math.min(Math.max(fitting, 1), MAX_REQUESTS)
  }

  async #take(given: readonly GivenBlock[]): Promise<void> {
    const { chain, application } = this.#options
    const { appVersion } = application.info()
    for (const each of given) {
      if (this.#isStopping || this.#isHalted) return
      const decided = verifyDecided(chain, this.#next, each)
      await verifyFollows(chain, this.#tip, decided, appVersion)
      await this.#apply(decided)
    }
  }

  async #apply(decided: DecidedBlock): Promise<void> {
    const { application, blockStore } = this.#options
    const { length } = decided.encoded
    // Rises at once and falls slowly, since the next blocks may be as large.
    this.#blockBytes = Math.max(length, this.#blockBytes * 0.9)
    blockStore.add(decided)
    if (this.#awaited !== undefined) return
    this.#tip = await applyBlock(application, blockStore, decided)
    if (this.#isCatchingUp || this.#servers.maxHeight <= this.#tip.height + STALE_BLOCKS) return
    this.#isCatchingUp = true
    this.#start = { height: this.#tip.height, at: this.#clock.monotonic() }
  }

  #noteCaughtUp(): void {
    if (!this.#isCatchingUp) return
    if (this.#tip.height + 1 < this.#servers.maxHeight) return
    this.#isCatchingUp = false
    const now = this.#clock.monotonic()
    this.#pace.caughtUp(now)
    const { height, at } = this.#start
    this.#options.report.caughtUp(this.#tip.height, this.#tip.height - height, now - at)
  }

  #wait(milliseconds: number): Promise<void> {
    return this.#clock.wait(milliseconds, this.#stopping.signal)
  }
}

/** Marks a promise as handled: it is not awaited if an earlier request fails. */
function quiet<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => undefined)
  return promise
}

/**
 * Starts a follower: replays the blocks that the application lacks, and then fetches blocks from the servers until it
 * is stopped.
 * @throws what the replay throws (APP_HASH_MISMATCH, CONSENSUS_FAILURE)
 */
export async function startFollower(options: FollowerOptions): Promise<Follower> {
  const { application, chain, blockStore, upgrade } = options
  const tip = await handshake(application, chain, blockStore, lastHeightOf(upgrade))
  const follower = new Follower(options, tip)
  follower.start()
  return follower
}
