/** A snapshot, as nodes offer it to one another. */
export interface AbciSnapshot {
  readonly height: number
  readonly format: number
  readonly chunks: number
  /** Equal only where the snapshots are the same bytes. */
  readonly hash: Uint8Array
  /** The text of `metadata.json`. */
  readonly metadata: Uint8Array
}

export interface SnapshotOffer {
  readonly snapshot: AbciSnapshot
  /** App hash after the snapshot's height, which the light client has verified. */
  readonly appHash: Uint8Array
}

/** `reject` passes over the snapshot, the two others over all of its format or of who sent it. */
export type OfferResult = 'accept' | 'abort' | 'reject' | 'reject-format' | 'reject-sender'

export interface SnapshotChunk {
  readonly index: number
  readonly chunk: Uint8Array
  /** The peer that sent it: its node id. */
  readonly sender: string
}

export interface ApplyResult {
  /** `retry` takes the chunk again, `retry-snapshot` all chunks. */
  readonly result: 'accept' | 'abort' | 'retry' | 'retry-snapshot' | 'reject-snapshot'
  /** Chunks to fetch anew. */
  readonly refetchChunks: readonly number[]
  /** Peers to take no chunk from any more. */
  readonly rejectSenders: readonly string[]
}

/** The snapshots of a node, as those read them that CometBFT connects, and the restoring of one of theirs. */
export interface SnapshotPort {
  list(): Promise<readonly AbciSnapshot[]>
  /** The chunk; empty where there is none. */
  load(height: number, format: number, index: number): Promise<Uint8Array>
  offer(offer: SnapshotOffer): Promise<OfferResult>
  apply(chunk: SnapshotChunk): Promise<ApplyResult>
}
