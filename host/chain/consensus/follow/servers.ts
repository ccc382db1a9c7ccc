import { LockstepError, messageOf } from '../../../base/error.ts'
import type { RpcServer } from './rpc-server.ts'

/** Time without requests to a server that returned invalid data, as on CometBFT's blacklist of state sync. */
const DROPPED_MS = 5 * 60_000

/** Bounds of the backoff after consecutive failures, which doubles each time. */
const FIRST_WAIT_MS = 250
const LAST_WAIT_MS = 15_000

/** Milliseconds between status queries of a working server. */
const STATUS_MS = 1_000

export interface ServersOptions {
  readonly servers: readonly RpcServer[]
  readonly chainId: string
  /** Monotonic milliseconds. */
  readonly clock: () => number
  readonly wait: (milliseconds: number) => Promise<void>
  readonly report: ServerReport
}

/** Receives changes in the state of servers. */
export interface ServerReport {
  /** The server returned invalid data or belongs to another chain. */
  dropped(server: RpcServer, reason: string): void
  failed(server: RpcServer, reason: string): void
  recovered(server: RpcServer): void
  /** No server answers, or all are dropped. */
  alone(): void
}

interface Entry {
  readonly server: RpcServer
  earliest: number
  latest: number
  failures: number
  /** True if the last failure was a request for blocks: a response to /status does not clear it. */
  gaveNone: boolean
  /** Monotonic time before which it is not asked. */
  notBefore: number
  asking: boolean
}

/** The servers that a follower fetches blocks from: which ones answer, their heights, and which ones are dropped. */
export class ServerSet {
  readonly #options: ServersOptions
  readonly #entries: readonly Entry[]
  #highest = 0
  #isAlone = false

  constructor(options: ServersOptions) {
    this.#options = options
    this.#entries = options.servers.map((server) => ({
      server,
      earliest: 0,
      latest: 0,
      failures: 0,
      gaveNone: false,
      notBefore: 0,
      asking: false,
    }))
  }

  /** Latest height of the servers that answer; the highest known one while none does; 0 before the first response. */
  get maxHeight(): number {
    const claims = this.#entries
      .filter(({ failures }) => failures === 0)
      .map(({ latest }) => latest)
    return Math.max(...claims, claims.some((height) => height > 0) ? 0 : this.#highest)
  }

  /** True while no server answers. */
  get isAlone(): boolean {
    return this.#isAlone
  }

  /** Returns the latest known height of a server. */
  latestOf(server: RpcServer): number {
    return this.#entryOf(server).latest
  }

  /** Records the latest height of a server. */
  noteHeight(server: RpcServer, height: number): void {
    const entry = this.#entryOf(server)
    entry.latest = height
    this.#highest = Math.max(this.#highest, height)
  }

  /** Returns a server that has the block of `height` or will have it next; undefined if there is none. */
  choose(height: number): RpcServer | undefined {
    const now = this.#options.clock()
    const usable = this.#entries.filter(
      ({ notBefore, latest, earliest }) =>
        notBefore <= now && latest > 0 && earliest <= height && latest >= height - 1,
    )
    const ahead = usable.find(({ latest }) => latest >= height)
    return (ahead ?? usable[0])?.server
  }

  /** Servers that answer, followed by those that failed but are not dropped. */
  get usable(): readonly RpcServer[] {
    const now = this.#options.clock()
    return this.#entries
      .filter(({ notBefore, failures }) => notBefore <= now || failures > 0)
      .sort((a, b) => a.failures - b.failures)
      .map(({ server }) => server)
  }

  /** Returns the lowest height that any server retains if all of them have pruned `height`, else undefined. */
  prunedTo(height: number): number | undefined {
    const known = this.#entries.filter(({ latest }) => latest > 0)
    if (known.length === 0 || known.some(({ earliest }) => earliest <= height)) return undefined
    return Math.min(...known.map(({ earliest }) => earliest))
  }

  /** Queries the status of servers when due, until the signal aborts. */
  async watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      for (const entry of this.#entries) void this.#ask(entry, signal)
      await this.#options.wait(STATUS_MS)
    }
  }

  /** Queries the status of every server that is due. */
  async refresh(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#entries.map((entry) => this.#ask(entry, signal)))
  }

  /** Records that a server has returned blocks. */
  noteBlocks(server: RpcServer): void {
    this.#noteRecovered(this.#entryOf(server))
  }

  /** Records a failed request for blocks: drops the server if its response was invalid, else backs off. */
  noteFailure(server: RpcServer, thrown: unknown): void {
    const entry = this.#entryOf(server)
    entry.gaveNone = true
    this.#judge(entry, thrown)
  }

  #noteRecovered(entry: Entry): void {
    if (entry.failures > 0) this.#options.report.recovered(entry.server)
    entry.failures = 0
    entry.gaveNone = false
    this.#isAlone = false
  }

  #judge(entry: Entry, thrown: unknown): void {
    const { report, clock } = this.#options
    const { server } = entry
    const reason = messageOf(thrown)
    if (thrown instanceof LockstepError && thrown.code === 'PEER_INVALID') {
      entry.notBefore = clock() + DROPPED_MS
      entry.latest = 0
      report.dropped(server, reason)
      this.#noteAlone()
      return
    }
    const wait = Math.min(FIRST_WAIT_MS * 2 ** entry.failures, LAST_WAIT_MS)
    entry.notBefore = clock() + wait
    entry.failures++
    if (entry.failures === 1) report.failed(server, reason)
    this.#noteAlone()
  }

  #noteAlone(): void {
    const now = this.#options.clock()
    const isAlone = this.#entries.every(
      ({ failures, notBefore }) => failures > 0 || notBefore > now,
    )
    if (isAlone && !this.#isAlone) this.#options.report.alone()
    this.#isAlone = isAlone
  }

  async #ask(entry: Entry, signal: AbortSignal): Promise<void> {
    const { clock, chainId } = this.#options
    const { server } = entry
    if (entry.asking || entry.notBefore > clock()) return
    entry.asking = true
    try {
      const status = await server.status()
      if (status.chainId !== chainId) {
        throw server.invalid(
          `it serves chain ${status.chainId}, but this home belongs to ${chainId}`,
        )
      }
      if (!entry.gaveNone) this.#noteRecovered(entry)
      entry.earliest = status.earliestHeight
      entry.latest = status.latestHeight
      this.#highest = Math.max(this.#highest, status.latestHeight)
    } catch (thrown) {
      if (!signal.aborted) this.#judge(entry, thrown)
    } finally {
      entry.asking = false
    }
  }

  #entryOf(server: RpcServer): Entry {
    const entry = this.#entries.find((each) => each.server === server)
    if (entry === undefined) throw new RangeError(`${server.name} is not one of the servers`)
    return entry
  }
}
