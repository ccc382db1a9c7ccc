import { statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { EMPTY_BYTES } from '../../../base/bytes.ts'
import type { AbciSnapshot } from '../../consensus/abci/snapshot-port.ts'
import { chunkName } from '../chunk-file.ts'
import { encodeMetadata, FORMAT, type SnapshotMetadata } from '../metadata.ts'
import { completeHeights, METADATA, readMetadata, snapshotDir } from '../snapshot-dir.ts'

/** Snapshots that CometBFT tells a peer of, the newest. */
const MAX_LISTED = 10

/** Bytes of the metadata that CometBFT carries to a peer, whose message has at most 4,000,000. */
const MAX_METADATA = 3_900_000

interface Listed {
  /** Of `metadata.json`: a snapshot that was written again is read again. */
  readonly mtimeMs: number
  readonly metadata: SnapshotMetadata
  readonly snapshot: AbciSnapshot
}

/** The snapshots of a folder, for whoever begins with one: each peer that connects asks for the list. */
export class SnapshotCatalog {
  readonly #folder: string
  readonly #listed = new Map<number, Listed>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** The newest; what cannot be read, or is too large to be told, is left out. */
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

  /** A chunk as its file has it; empty where there is none. */
  async load(height: number, format: number, index: number): Promise<Uint8Array> {
    if (format !== FORMAT) return EMPTY_BYTES
    const size = this.#read(height)?.metadata.chunks[index]?.size
    if (size === undefined) return EMPTY_BYTES
    try {
      return await readFile(join(snapshotDir(this.#folder, height), chunkName(index)))
    } catch {
      // A snapshot that is removed while it is read is none any more.
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
