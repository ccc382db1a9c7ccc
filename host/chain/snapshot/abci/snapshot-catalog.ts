import { statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { EMPTY_BYTES } from '../../../base/bytes.ts'
import type { AbciSnapshot } from '../../consensus/abci/snapshot-port.ts'
import { chunkName } from '../chunk-file.ts'
import { encodeMetadata, FORMAT, type SnapshotMetadata } from '../metadata.ts'
import { completeHeights, METADATA, readMetadata, snapshotDir } from '../snapshot-dir.ts'

/** Latest snapshots listed, as many as CometBFT announces to a peer. */
const MAX_LISTED = 10

/** Size limit of metadata in bytes: CometBFT's message to a peer has at most 4,000,000. */
const MAX_METADATA = 3_900_000

interface Listed {
  /** Time of `metadata.json`: a snapshot that was rewritten is read again. */
  readonly mtimeMs: number
  readonly metadata: SnapshotMetadata
  readonly snapshot: AbciSnapshot
}

/** Cached catalog of the snapshots in a folder: each new peer requests the list. */
export class SnapshotCatalog {
  readonly #folder: string
  readonly #listed = new Map<number, Listed>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Returns the latest snapshots, without unreadable ones and those with too large metadata. */
  list(): readonly AbciSnapshot[] {
    const heights = completeHeights(this.#folder).slice(0, MAX_LISTED)
    for (const height of this.#listed.keys()) {
      if (!heights.includes(height)) this.#listed.delete(height)
    }
    return heights.flatMap((height) => {
      const { snapshot } = this.#read(height) ?? {}
      return snapshot === undefined || snapshot.metadata.length > MAX_METADATA ? [] : [snapshot]
    })
  }

  /** Returns the content of a chunk file; empty if it does not exist. */
  async load(height: number, format: number, index: number): Promise<Uint8Array> {
    if (format !== FORMAT) return EMPTY_BYTES
    const size = this.#read(height)?.metadata.chunks[index]?.size
    if (size === undefined) return EMPTY_BYTES
    try {
      return await readFile(join(snapshotDir(this.#folder, height), chunkName(index)))
    } catch {
      // It was removed meanwhile.
      return EMPTY_BYTES
    }
  }

  #read(height: number): Listed | undefined {
    const dir = snapshotDir(this.#folder, height)
    try {
      const { mtimeMs } = statSync(join(dir, METADATA))
      const known = this.#listed.get(height)
      if (known?.mtimeMs === mtimeMs) return known
      const metadata = readMetadata(dir)
      const listed = { mtimeMs, metadata, snapshot: abciSnapshot(metadata) }
      this.#listed.set(height, listed)
      return listed
    } catch {
      return undefined
    }
  }
}

function abciSnapshot(metadata: SnapshotMetadata): AbciSnapshot {
  const { format, height, chunks, hash } = metadata
  return {
    format,
    height,
    chunks: chunks.length,
    hash: Uint8Array.from(Buffer.from(hash, 'hex')),
    metadata: Uint8Array.from(Buffer.from(encodeMetadata(metadata))),
  }
}
