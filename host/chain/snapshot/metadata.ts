import { createHash } from 'node:crypto'
import { messageOf } from '../../base/error.ts'
import { invalidSnapshot } from './snapshot-format.ts'

/** The only format written and read. */
export const FORMAT = 1

/** Size limit of a chunk before compression, in bytes. */
export const MAX_CHUNK = 8 * 1024 * 1024
/** Size limit of a chunk's file in bytes. */
export const MAX_CHUNK_FILE = 10_000_000

/** A file of the stream, compressed independently. */
export interface ChunkMetadata {
  /** SHA-256 of the file, 64 hex digits. */
  readonly sha256: string
  /** Size of the file in bytes. */
  readonly size: number
  /** Decompressed size in bytes. */
  readonly contentSize: number
}

/** `metadata.json`: describes a snapshot and identifies its chunks. */
export interface SnapshotMetadata {
  readonly format: number
  readonly height: number
  /** The consensus chain id. */
  readonly chainId: string
  /** App hash after `height`, 64 hex digits. */
  readonly appHash: string
  readonly chunks: readonly ChunkMetadata[]
  /** SHA-256 of the fields above, 64 hex digits. It identifies the snapshot. */
  readonly hash: string
}

const DIGEST = /^[0-9a-f]{64}$/

/** Returns the document without its last field, the hash of the others. */
function describe(metadata: Omit<SnapshotMetadata, 'hash'>): Record<string, unknown> {
  const { format, height, chainId, appHash, chunks } = metadata
  const listed = chunks.map(({ sha256, size, contentSize }) => ({ sha256, size, contentSize }))
  return { format, height, chainId, appHash, chunks: listed }
}

function hashOf(metadata: Omit<SnapshotMetadata, 'hash'>): string {
  return createHash('sha256')
    .update(JSON.stringify(describe(metadata)))
    .digest('hex')
}

/** Returns metadata with its hash. */
export function sealMetadata(metadata: Omit<SnapshotMetadata, 'hash'>): SnapshotMetadata {
  return { ...metadata, hash: hashOf(metadata) }
}

/** @throws SNAPSHOT_INVALID if `decodeMetadata` would reject it */
export function encodeMetadata(metadata: SnapshotMetadata): string {
  const document = { ...describe(metadata), hash: metadata.hash }
  const text = `${JSON.stringify(document, null, 2)}\n`
  decodeMetadata(text, 'metadata')
  return text
}

/**
 * @param path of the file with `text`, for messages
 * @throws SNAPSHOT_INVALID
 */
export function decodeMetadata(text: string, path: string): SnapshotMetadata {
  let document: Record<string, unknown>
  try {
    document = JSON.parse(text)
  } catch (cause) {
    throw invalidSnapshot(`${path} cannot be read: ${messageOf(cause)}`, { cause })
  }
  if (document === null || typeof document !== 'object')
    throw invalidSnapshot(`${path} is not an object`)
  const { format, height, chainId, appHash, chunks, hash } = document
  if (format !== FORMAT) {
    throw invalidSnapshot(
      `${path} is of format ${JSON.stringify(format)}; this release reads ${FORMAT}`,
    )
  }
  if (!isCount(height) || height === 0) throw invalidSnapshot(`${path} states no height above 0`)
  if (typeof chainId !== 'string') throw invalidSnapshot(`${path} states no chainId`)
  if (!isDigest(appHash)) throw invalidSnapshot(`${path} states no appHash of 64 hex digits`)
  if (!Array.isArray(chunks) || chunks.length === 0)
    throw invalidSnapshot(`${path} states no chunks`)
  if (!isDigest(hash)) throw invalidSnapshot(`${path} states no hash of 64 hex digits`)
  const listed = chunks.map((chunk, index) => decodeChunk(chunk, index, path))
  const metadata = { format, height, chainId, appHash, chunks: listed, hash }
  const actual = hashOf(metadata)
  if (actual !== hash)
    throw invalidSnapshot(`${path} states the hash ${hash}, but hashes to ${actual}`)
  return metadata
}

function decodeChunk(chunk: unknown, index: number, path: string): ChunkMetadata {
  const { sha256, size, contentSize } = (chunk ?? {}) as Record<string, unknown>
  if (!isDigest(sha256)) throw invalidSnapshot(`${path} states no sha256 of chunk ${index}`)
  if (!isCount(size) || size > MAX_CHUNK_FILE) {
    throw invalidSnapshot(`${path} states no size of chunk ${index} up to ${MAX_CHUNK_FILE}`)
  }
  if (!isCount(contentSize) || contentSize > MAX_CHUNK) {
    throw invalidSnapshot(`${path} states no contentSize of chunk ${index} up to ${MAX_CHUNK}`)
  }
  return { sha256, size, contentSize }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function isDigest(value: unknown): value is string {
  return typeof value === 'string' && DIGEST.test(value)
}
