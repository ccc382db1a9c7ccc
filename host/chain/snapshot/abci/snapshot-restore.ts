import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { LockstepError, messageOf } from '../../../base/error.ts'
import { hexDigits } from '../../../base/hex.ts'
import type {
  AbciSnapshot,
  ApplyResult,
  OfferResult,
  SnapshotChunk,
  SnapshotOffer,
  SnapshotPort,
} from '../../consensus/abci/snapshot-port.ts'
import { writeFileAtomic } from '../../consensus/validator/atomic-file.ts'
import { holdsChunk, isChunk, keepChunk } from '../arriving-chunk.ts'
import { decodeMetadata, encodeMetadata, FORMAT, type SnapshotMetadata } from '../metadata.ts'
import { METADATA } from '../snapshot-dir.ts'
import type { SnapshotCatalog } from './snapshot-catalog.ts'

/** Makes a chain of a complete snapshot, in a home that nobody has open. */
export interface SnapshotHome {
  /** Hash of the snapshot that the chain of the home was made of; undefined where the home has none. */
  readonly restored: string | undefined
  /** Removes the chain that was made of another snapshot, which CometBFT never went on from. */
  forget(): Promise<void>
  /** @throws SNAPSHOT_INVALID where it is none, whatever its checksums say; STORE_FULL */
  importFrom(dir: string, metadata: SnapshotMetadata): Promise<void>
  /** Opens the chain; resolves once it is served, and is not called twice. */
  open(): Promise<void>
}

export interface RestoreReport {
  /** The app hash after a snapshot's height is the one that the light client has proven. */
  chosen(snapshot: SnapshotMetadata): void
  arrived(chunks: number, of: number): void
  /** Peers sent what is not what they offered. */
  punished(sender: string, reason: string): void
  refused(height: number, reason: string): void
}

export interface RestoreOptions {
  readonly catalog: SnapshotCatalog
  readonly chainId: string
  /** Folder for what arrives; what was in it of other snapshots is removed. */
  readonly folder: string
  readonly home: SnapshotHome
  readonly report: RestoreReport
}

/** A snapshot on its way. */
interface Arrival {
  readonly metadata: SnapshotMetadata
  readonly dir: string
  /** Chunks that CometBFT has given since it offered the snapshot. */
  readonly given: Set<number>
}

const ACCEPT: ApplyResult = { result: 'accept', refetchChunks: [], rejectSenders: [] }

/**
 * Begins a home with a snapshot that CometBFT finds, and whose app hash it proves. Each chunk is held to the metadata
 * when it comes, and the metadata to the hash of the snapshot; the import proves the rows by the app hash. Killed on
 * either side at any moment, it goes on with the chunks that have arrived, once CometBFT offers the snapshot again.
 */
export class SnapshotRestore implements SnapshotPort {
  readonly #options: RestoreOptions
  /** Snapshots that have proved to be none. */
  readonly #refused = new Set<string>()
  #arrival: Arrival | undefined
  #opened: Promise<void> | undefined
  /** Calls of CometBFT come one by one, but those of one that was killed go on when the next begins. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: RestoreOptions) {
    this.#options = options
  }

  async list(): Promise<readonly AbciSnapshot[]> {
    return this.#options.catalog.list()
  }

  load(height: number, format: number, index: number): Promise<Uint8Array> {
    return this.#options.catalog.load(height, format, index)
  }

  offer(offer: SnapshotOffer): Promise<OfferResult> {
    return this.#inTurn(() => this.#offer(offer))
  }

  apply(chunk: SnapshotChunk): Promise<ApplyResult> {
    return this.#inTurn(() => this.#apply(chunk))
  }

  /** Opens the chain that the home has, once: CometBFT goes on from it, or begins another way than by a snapshot. */
  open(): Promise<void> {
    this.#opened ??= this.#options.home.open()
    return this.#opened
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => undefined)
    return result
  }

  async #offer({ snapshot, appHash }: SnapshotOffer): Promise<OfferResult> {
    const { chainId, folder, home, report } = this.#options
    const refuse = (result: OfferResult, reason: string): OfferResult => {
      report.refused(snapshot.height, reason)
      return result
    }
    this.#arrival = undefined
    if (snapshot.format !== FORMAT) {
      return refuse('reject-format', `format ${snapshot.format} is not known, ${FORMAT} is`)
    }
    let metadata: SnapshotMetadata
    try {
      metadata = metadataOf(snapshot)
    } catch (thrown) {
      return refuse('reject-sender', messageOf(thrown))
    }
    if (metadata.chainId !== chainId) {
      return refuse('reject', `it is of chain ${metadata.chainId}, not of ${chainId}`)
    }
    const proven = hexDigits(appHash)
    if (metadata.appHash !== proven) {
      const reason = `its app hash is ${metadata.appHash}, that of the chain is ${proven}`
      return refuse('reject-sender', reason)
    }
    if (this.#refused.has(metadata.hash)) return refuse('reject', 'it has proved to be false')
    if (home.restored !== metadata.hash) {
      await this.#forgetRestored(metadata.height)
      removeOthers(folder, dirOf(folder, metadata))
    }
    this.#arrival = { metadata, dir: dirOf(folder, metadata), given: new Set() }
    report.chosen(metadata)
    return 'accept'
  }

  /** @throws CONSENSUS_FAILURE where the chain that would be removed is served already */
  async #forgetRestored(height: number): Promise<void> {
    const { home } = this.#options
    if (this.#opened !== undefined) {
      throw new LockstepError(
        'CONSENSUS_FAILURE',
        `CometBFT begins with a snapshot of height ${height}, and this node has a chain already`,
        {
          hint: 'start the node again; where that does not help, run `lockstep consensus unsafe-reset-all`',
        },
      )
    }
    if (home.restored !== undefined) await home.forget()
  }

  async #apply({ index, chunk, sender }: SnapshotChunk): Promise<ApplyResult> {
    const { home, report } = this.#options
    const arrival = this.#arrival
    if (arrival === undefined) return { ...ACCEPT, result: 'reject-snapshot' }
    const { metadata, dir, given } = arrival
    const { chunks } = metadata
    const expected = chunks[index]
    if (expected === undefined || !isChunk(chunk, expected)) {
      report.punished(sender, `chunk ${index} of height ${metadata.height} is not what was offered`)
      return { result: 'retry', refetchChunks: [index], rejectSenders: [sender] }
    }
    const isRestored = home.restored === metadata.hash
    if (!isRestored && !(await holdsChunk(dir, index, expected)))
      await this.#keep(arrival, index, chunk)
    given.add(index)
    report.arrived(given.size, chunks.length)
    if (given.size < chunks.length) return ACCEPT
    if (!isRestored && !(await this.#import(arrival)))
      return { ...ACCEPT, result: 'reject-snapshot' }
    await this.open()
    return ACCEPT
  }

  async #keep({ metadata, dir }: Arrival, index: number, chunk: Uint8Array): Promise<void> {
    if (!existsSync(join(dir, METADATA))) {
      mkdirSync(dir, { recursive: true, mode: 0o700 })
      await writeFileAtomic(join(dir, METADATA), encodeMetadata(metadata))
    }
    await keepChunk(dir, index, chunk)
  }

  /** False where the snapshot is none. */
  async #import({ metadata, dir }: Arrival): Promise<boolean> {
    const { folder, home, report } = this.#options
    try {
      await home.importFrom(dir, metadata)
    } catch (thrown) {
      if (!(thrown instanceof LockstepError) || thrown.code !== 'SNAPSHOT_INVALID') throw thrown
      rmSync(dir, { recursive: true, force: true })
      this.#refused.add(metadata.hash)
      this.#arrival = undefined
      report.refused(metadata.height, thrown.message)
      return false
    }
    rmSync(folder, { recursive: true, force: true })
    return true
  }
}

/** @throws SNAPSHOT_INVALID where the parts of a snapshot do not fit together */
function metadataOf({ height, chunks, hash, metadata }: AbciSnapshot): SnapshotMetadata {
  const decoded = decodeMetadata(Buffer.from(metadata).toString(), METADATA)
  const isSame =
    decoded.height === height &&
    decoded.chunks.length === chunks &&
    decoded.hash === hexDigits(hash)
  if (isSame) return decoded
  throw new LockstepError(
    'SNAPSHOT_INVALID',
    `${METADATA} is of height ${decoded.height} with ${decoded.chunks.length} chunks and hash ${decoded.hash}, ` +
      `the snapshot of height ${height} with ${chunks} chunks and hash ${hexDigits(hash)}`,
  )
}

function dirOf(folder: string, { height, hash }: SnapshotMetadata): string {
  return join(folder, `${height}-${hash.slice(0, 16)}`)
}

/** Removes what has arrived of other snapshots. */
function removeOthers(folder: string, dir: string): void {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    const other = join(folder, name)
    if (other !== dir) rmSync(other, { recursive: true, force: true })
  }
}
