import { LockstepError, messageOf } from '../../../base/error.ts'
import type { RpcServer } from './rpc-server.ts'

/** A server that has lied is not asked for this long: CometBFT's blacklist of state sync. */
const DROPPED_MS = 5 * 60_000

/** Waits after failures in a row: they double from the first to the last. */
const FIRST_WAIT_MS = 250
const LAST_WAIT_MS = 15_000

/** How often servers that are well are asked where they stand. */
const STATUS_MS = 1_000

export interface ServersOptions {
  readonly servers: readonly RpcServer[]
  readonly chainId: string
  /** Milliseconds that never go back. */
  readonly clock: () => number
  readonly wait: (milliseconds: number) => Promise<void>
  readonly report: ServerReport
}

/** Told of each change in what is thought of a server. */
export interface ServerReport {
  /** It lies, or is of another chain. */
  dropped(server: RpcServer, reason: string): void
  failed(server: RpcServer, reason: string): void
  recovered(server: RpcServer): void
  /** None of them answers any more, or is asked. */
  alone(): void
}

interface Entry {
  readonly server: RpcServer
  earliest: number
  latest: number
  failures: number
  /** True where the newest failure was one to give a block: an answer to /status does not make up for it. */
  gaveNone: boolean
  /** Not asked before this moment. */
  notBefore: number
  asking: boolean
}

/** The nodes that blocks are taken from: which of them answer, where they stand, and which have lied. */
export class Servers {
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

  /** Newest height that a server has told of and not taken back; 0 before one has answered. */
  get maxHeight(): number {
    const claims = this.#entries
      .filter(({ failures }) => failures === 0)
      .map(({ latest }) => latest)
    // While nobody answers, the chain is where it was.
    return Math.max(...claims, claims.some((height) => height > 0) ? 0 : this.#highest)
  }

  /** True while none of them answers. */
  get isAlone(): boolean {
    return this.#isAlone
  }

  /** Newest height of one server, as far as is known. */
  latestOf(server: RpcServer): number {
    return this.#entryOf(server).latest
  }

  /** Notes that a server has, or has not, a height. */
  noteHeight(server: RpcServer, height: number): void {
    const entry = this.#entryOf(server)
    entry.latest = height
    this.#highest = Math.max(this.#highest, height)
  }

  /** A server that has the block of a height or is about to have it; undefined while none is. */
  choose(height: number): RpcServer | undefined {
    const now = this.#options.clock()
    const usable = this.#entries.filter(
      ({ notBefore, latest, earliest }) =>
        notBefore <= now && latest > 0 && earliest <= height && latest >= height - 1,
    )
    const ahead = usable.find(({ latest }) => latest >= height)
    return (ahead ?? usable[0])?.server
  }

  /** All that answer or may again, those that do first. */
  get usable(): readonly RpcServer[] {
    const now = this.#options.clock()
    return this.#entries
      .filter(({ notBefore, failures }) => notBefore <= now || failures > 0)
      .sort((a, b) => a.failures - b.failures)
      .map(({ server }) => server)
  }

  /** The lowest height that any server keeps, where all of them have dropped the one that is needed; else undefined. */
  prunedTo(height: number): number | undefined {
    const known = this.#entries.filter(({ latest }) => latest > 0)
    if (known.length === 0 || known.some(({ earliest }) => earliest <= height)) return undefined
    return Math.min(...known.map(({ earliest }) => earliest))
  }

  /** Asks the servers where they stand, those that are due, until the signal ends it. */
  async watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      for (const entry of this.#entries) void this.#ask(entry, signal)
      await this.#options.wait(STATUS_MS)
    }
  }

  /** Asks every server that is due where it stands. */
  async refresh(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#entries.map((entry) => this.#ask(entry, signal)))
  }

  /** Notes that a server has given blocks. */
  noteBlocks(server: RpcServer): void {
    this.#noteRecovered(this.#entryOf(server))
  }

  /** Judges a server by what it threw instead of giving blocks. */
  judge(server: RpcServer, thrown: unknown): void {
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
        throw server.invalid(`it is of chain ${status.chainId}, this home is of ${chainId}`)
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
    if (entry === undefined) throw new RangeError(`${server.name} is none of the servers`)
    return entry
  }
}
