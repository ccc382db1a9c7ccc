import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { LockstepError, messageOf } from '../../../base/error.ts'
import { hexDigits } from '../../../base/hex.ts'
import { formatTime } from '../../../base/time.ts'
import type { CometHeader } from '../../consensus/comet/header.ts'
import type { RpcServer } from '../../consensus/follow/rpc-server.ts'
import { LightClient } from '../../consensus/light/light-client.ts'
import type { TrustRules } from '../../consensus/light/verify.ts'
import type { SnapshotMetadata } from '../metadata.ts'
import { readMetadata } from '../snapshot-dir.ts'
import { fetchChunks } from './chunk-fetch.ts'
import { addOffers, fetchSnapshotList, type ServedSnapshot } from './snapshot-offers.ts'

export interface StateSyncOptions {
  readonly servers: readonly RpcServer[]
  readonly rules: TrustRules
  readonly trustHeight: number
  readonly trustHash: Uint8Array
  /** Folder for chunks, removed when the home has its chain. */
  readonly folder: string
  /**
   * Restores a home from a complete snapshot.
   * @throws SNAPSHOT_INVALID if its content is invalid despite its checksums
   */
  readonly importFrom: (dir: string) => Promise<SnapshotMetadata>
  /** Returns nanoseconds since 1970. */
  readonly now: () => bigint
  readonly wait: (milliseconds: number) => Promise<void>
  readonly report: StateSyncReport
  /** Aborts the sync; fetched chunks stay for the next attempt. */
  readonly signal: AbortSignal
}

export interface StateSyncReport {
  /** A server returned invalid data; it is not asked any more. */
  punished(server: RpcServer, reason: string): void
  /** No server has a usable snapshot. */
  waiting(reason: string): void
  /** The header of the next block proved the app hash after a snapshot's height. */
  chosen(snapshot: SnapshotMetadata, headerTime: string): void
  fetched(chunks: number, of: number): void
  rejected(snapshot: SnapshotMetadata, reason: string): void
}

/** Milliseconds between two discovery rounds: a third of CometBFT's discovery time. */
const DISCOVERY_MS = 5_000

/**
 * Restores a home from the servers' latest snapshot. Headers from the trusted block on prove its app hash, which
 * proves its content. An interrupted sync resumes with the fetched chunks.
 */
export class StateSync {
  readonly #options: StateSyncOptions
  readonly #punished = new Set<RpcServer>()
  /** Servers that did not answer in this round. */
  readonly #away = new Set<RpcServer>()
  /** Hashes of snapshots found to be invalid. */
  readonly #rejected = new Set<string>()
  #light: LightClient | undefined

  constructor(options: StateSyncOptions) {
    this.#options = options
  }

  /**
   * Syncs until a snapshot is restored.
   * @throws UNTRUSTED, STORE_FULL, and the signal's reason
   */
  async run(): Promise<SnapshotMetadata> {
    const { servers, folder, report, signal, wait } = this.#options
    for (;;) {
      signal.throwIfAborted()
      this.#away.clear()
      let reason = 'no server has a snapshot'
      for (const offer of await this.#offers()) {
        try {
          const done = await this.#tryOffer(offer)
          if (done === undefined) continue
          rmSync(folder, { recursive: true, force: true })
          return done
        } catch (thrown) {
          signal.throwIfAborted()
          if (!(thrown instanceof LockstepError) || !isOfServers(thrown)) throw thrown
          reason = thrown.message
        }
      }
      if (servers.every((server) => this.#punished.has(server))) {
        throw new LockstepError('PEER_INVALID', `every server of rpc-servers is dropped: ${reason}`)
      }
      report.waiting(reason)
      // Unreachable servers may be back in the next round; those with invalid data stay excluded.
      await wait(DISCOVERY_MS)
    }
  }

  /** Returns the available snapshots: partly fetched ones first, then by descending height. */
  async #offers(): Promise<readonly ServedSnapshot[]> {
    const { servers, folder, signal } = this.#options
    const offers = new Map<string, ServedSnapshot>()
    const begun = begunIn(folder)
    for (const metadata of begun) offers.set(metadata.hash, { metadata, servers: [] })
    for (const server of servers) {
      if (this.#punished.has(server)) continue
      try {
        addOffers(offers, server, await fetchSnapshotList(server))
      } catch (thrown) {
        signal.throwIfAborted()
        this.#judge(server, thrown)
      }
    }
    const isBegun = ({ metadata }: ServedSnapshot) =>
      begun.some(({ hash }) => hash === metadata.hash)
    return [...offers.values()]
      .filter(({ metadata }) => !this.#rejected.has(metadata.hash))
      .sort(
        (a, b) => Number(isBegun(b)) - Number(isBegun(a)) || b.metadata.height - a.metadata.height,
      )
  }

  /** Returns the restored snapshot, or undefined if this one is unusable. */
  async #tryOffer(offer: ServedSnapshot): Promise<SnapshotMetadata | undefined> {
    const { folder, importFrom, report, signal } = this.#options
    const { metadata } = offer
    const header = await this.#headerAfter(metadata.height)
    if (header === undefined) return undefined
    const proven = hexDigits(header.appHash)
    if (proven !== metadata.appHash) {
      this.#reject(offer, `its app hash is ${metadata.appHash}, but that of the chain is ${proven}`)
      return undefined
    }
    const dir = join(folder, `${metadata.height}-${metadata.hash.slice(0, 16)}`)
    removeOthers(folder, dir)
    report.chosen(metadata, formatTime(header.time))
    await fetchChunks({
      offer,
      dir,
      punish: (server, thrown) => {
        this.#judge(server, thrown)
        this.#away.add(server)
      },
      isUsable: (server) => !this.#punished.has(server) && !this.#away.has(server),
      onChunk: (there, of) => report.fetched(there, of),
      signal,
    })
    try {
      return await importFrom(dir)
    } catch (thrown) {
      if (!(thrown instanceof LockstepError) || thrown.code !== 'SNAPSHOT_INVALID') throw thrown
      rmSync(dir, { recursive: true, force: true })
      this.#reject(offer, thrown.message)
      return undefined
    }
  }

  /** Returns the proven header after a height, which states the app hash; undefined if it does not exist yet. */
  async #headerAfter(height: number): Promise<CometHeader | undefined> {
    try {
      const client = await this.#lightClient()
      const { header } = await client.verify(height + 1)
      return header
    } catch (thrown) {
      const { signal } = this.#options
      signal.throwIfAborted()
      if (!(thrown instanceof LockstepError)) throw thrown
      if (thrown.code === 'NOT_FOUND') return undefined
      if (!isOfServers(thrown)) throw thrown
      // The next light client gets another primary.
      this.#light = undefined
      const primary = this.#primary()
      if (primary === undefined) throw thrown
      this.#judge(primary, thrown)
      this.#away.add(primary)
      return this.#headerAfter(height)
    }
  }

  async #lightClient(): Promise<LightClient> {
    if (this.#light !== undefined) return this.#light
    const { servers, rules, trustHeight, trustHash, now, report } = this.#options
    const primary = this.#primary()
    if (primary === undefined) {
      throw new LockstepError('NODE_UNREACHABLE', 'no server is available')
    }
    this.#light = await LightClient.open({
      rules,
      primary,
      witnesses: servers.filter((server) => server !== primary && !this.#punished.has(server)),
      trustHeight,
      trustHash,
      now,
      onSilent: ({ name }, thrown) => {
        const server = servers.find((each) => each.name === name)
        if (server === undefined || !isLie(thrown)) return
        this.#punished.add(server)
        report.punished(server, messageOf(thrown))
      },
    })
    return this.#light
  }

  #primary(): RpcServer | undefined {
    return this.#options.servers.find((each) => !this.#punished.has(each) && !this.#away.has(each))
  }

  #reject(offer: ServedSnapshot, reason: string): void {
    const { report } = this.#options
    this.#rejected.add(offer.metadata.hash)
    report.rejected(offer.metadata, reason)
    for (const server of offer.servers) {
      this.#punished.add(server)
      report.punished(server, `it offers a false snapshot of height ${offer.metadata.height}`)
    }
  }

  /** Excludes a server for good if it returned invalid data. */
  #judge(server: RpcServer, thrown: unknown): void {
    if (!isLie(thrown) || this.#punished.has(server)) return
    this.#punished.add(server)
    this.#options.report.punished(server, messageOf(thrown))
  }
}

function isLie(thrown: unknown): boolean {
  return thrown instanceof LockstepError && thrown.code === 'PEER_INVALID'
}

function isOfServers({ code }: LockstepError): boolean {
  return code === 'PEER_INVALID' || code === 'NODE_UNREACHABLE' || code === 'NOT_FOUND'
}

/** Returns the partly fetched snapshots in a folder. */
function begunIn(folder: string): SnapshotMetadata[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder).flatMap((name) => {
    try {
      return [readMetadata(join(folder, name))]
    } catch {
      return []
    }
  })
}

/** Removes the fetched chunks of other snapshots. */
function removeOthers(folder: string, dir: string): void {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    const other = join(folder, name)
    if (other !== dir) rmSync(other, { recursive: true, force: true })
  }
}
