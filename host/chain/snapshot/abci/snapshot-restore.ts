import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { LockstepError, messageOf } from '../../../base/error.ts'
import { hexDigits } from '../../../base/hex.ts'
import { Mutex } from '../../../base/mutex.ts'
import type {
  AbciSnapshot,
  ApplyResult,
  OfferResult,
  SnapshotChunk,
  SnapshotOffer,
  SnapshotPort,
} from '../../consensus/abci/snapshot-port.ts'
import { writeFileAtomic } from '../../consensus/validator/atomic-file.ts'
import { decodeMetadata, encodeMetadata, FORMAT, type SnapshotMetadata } from '../metadata.ts'
import { holdsChunk, isChunk, storeChunk } from '../received-chunk.ts'
import { METADATA } from '../snapshot-dir.ts'
import type { SnapshotCatalog } from './snapshot-catalog.ts'

/** Restores a chain from a complete snapshot into a home that no process has open. */
export interface SnapshotHome {
  /** Hash of the snapshot that the home was restored from; undefined if it has no chain. */
  readonly restored: string | undefined
  /** Removes a chain restored from another snapshot, which CometBFT never used. */
  forget(): Promise<void>
  /** @throws SNAPSHOT_INVALID if its content is invalid despite its checksums; STORE_FULL */
  importFrom(dir: string, metadata: SnapshotMetadata): Promise<void>
  /** Opens the chain and resolves when it is served. Called at most once. */
  open(): Promise<void>
}

export interface RestoreReport {
  /** Called when a snapshot with the app hash proven by the light client was accepted. */
  chosen(snapshot: SnapshotMetadata): void
  arrived(chunks: number, of: number): void
  /** Called if a peer sent data that differs from its offer. */
  punished(sender: string, reason: string): void
  refused(height: number, reason: string): void
}

export interface RestoreOptions {
  readonly catalog: SnapshotCatalog
  readonly chainId: string
  /** Folder for incoming chunks. Remains of other snapshots are removed. */
  readonly folder: string
  readonly home: SnapshotHome
  readonly report: RestoreReport
}

/** A snapshot being downloaded. */
interface Arrival {
  readonly metadata: SnapshotMetadata
  readonly dir: string
  /** Chunks received since CometBFT offered the snapshot. */
  readonly given: Set<number>
}

const ACCEPT: ApplyResult = { result: 'accept', refetchChunks: [], rejectSenders: [] }

/**
 * Restores a home from a snapshot that CometBFT finds and whose app hash it proves. Each chunk is verified against
 * the metadata on arrival, and the metadata against the hash of the snapshot; the import proves the rows by the app
 * hash. If either process is killed, the restore resumes with the received chunks when CometBFT offers the snapshot
 * again.
 */
export class SnapshotRestore implements SnapshotPort {
  readonly #options: RestoreOptions
  /** Hashes of snapshots found to be invalid. */
  readonly #refused = new Set<string>()
  #arrival: Arrival | undefined
  #opened: Promise<void> | undefined
  /** Serialises calls: those of a killed CometBFT may still run when the next one starts. */
  readonly #mutex = new Mutex()

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
    return this.#mutex.runExclusive(() => this.#offer(offer))
  }

  apply(chunk: SnapshotChunk): Promise<ApplyResult> {
    return this.#mutex.runExclusive(() => this.#apply(chunk))
  }

  /** Opens the home's chain once: CometBFT continues from it, or starts without a snapshot. */
  open(): Promise<void> {
    this.#opened ??= this.#options.home.open()
    return this.#opened
  }

  async #offer({ snapshot, appHash }: SnapshotOffer): Promise<OfferResult> {
    const { chainId, folder, home, report } = this.#options
    const refuse = (result: OfferResult, reason: string): OfferResult => {
      report.refused(snapshot.height, reason)
      return result
    }
    this.#arrival = undefined
    if (snapshot.format !== FORMAT) {
      return refuse(
        'reject-format',
        `format ${snapshot.format} is unknown, only ${FORMAT} is supported`,
      )
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
      const reason = `its app hash is ${metadata.appHash}, but that of the chain is ${proven}`
      return refuse('reject-sender', reason)
    }
    if (this.#refused.has(metadata.hash)) return refuse('reject', 'its content was invalid before')
    if (home.restored !== metadata.hash) {
      await this.#forgetRestored(metadata.height)
      removeOthers(folder, dirOf(folder, metadata))
    }
    this.#arrival = { metadata, dir: dirOf(folder, metadata), given: new Set() }
    report.chosen(metadata)
    return 'accept'
  }

  /** @throws CONSENSUS_FAILURE if the chain to remove is already served */
  async #forgetRestored(height: number): Promise<void> {
    const { home } = this.#options
    if (this.#opened !== undefined) {
      throw new LockstepError(
        'CONSENSUS_FAILURE',
        `CometBFT offers a snapshot of height ${height}, but this node already has a chain`,
        {
          hint: 'start the node again; if that does not help, run `lockstep consensus unsafe-reset-all`',
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
      report.punished(
        sender,
        `chunk ${index} of height ${metadata.height} differs from the one offered`,
      )
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
    await storeChunk(dir, index, chunk)
  }

  /** Returns false if the snapshot is invalid. */
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

/** @throws SNAPSHOT_INVALID if the parts of a snapshot contradict each other */
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

/** Removes the received chunks of other snapshots. */
function removeOthers(folder: string, dir: string): void {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    const other = join(folder, name)
    if (other !== dir) rmSync(other, { recursive: true, force: true })
  }
}
