/** A snapshot as nodes offer it to each other. */
export interface AbciSnapshot {
  readonly height: number
  readonly format: number
  readonly chunks: number
  /** Equal only if the snapshots are byte-identical. */
  readonly hash: Uint8Array
  /** Content of `metadata.json`. */
  readonly metadata: Uint8Array
}

export interface SnapshotOffer {
  readonly snapshot: AbciSnapshot
  /** App hash after the snapshot's height, verified by the light client. */
  readonly appHash: Uint8Array
}

/** `reject` skips this snapshot, `reject-format` all of its format, `reject-sender` all of its sender. */
export type OfferResult = 'accept' | 'abort' | 'reject' | 'reject-format' | 'reject-sender'

export interface SnapshotChunk {
  readonly index: number
  readonly chunk: Uint8Array
  /** Node id of the peer that sent it. */
  readonly sender: string
}

export interface ApplyResult {
  /** `retry` fetches this chunk again, `retry-snapshot` all chunks. */
  readonly result: 'accept' | 'abort' | 'retry' | 'retry-snapshot' | 'reject-snapshot'
  /** Indexes of chunks to fetch again. */
  readonly refetchChunks: readonly number[]
  /** Node ids of peers whose chunks are no longer accepted. */
  readonly rejectSenders: readonly string[]
}

/** Serves the node's snapshots to peers, and restores one from theirs. */
export interface SnapshotPort {
  list(): Promise<readonly AbciSnapshot[]>
  /** Returns the chunk; empty if it does not exist. */
  load(height: number, format: number, index: number): Promise<Uint8Array>
  offer(offer: SnapshotOffer): Promise<OfferResult>
  apply(chunk: SnapshotChunk): Promise<ApplyResult>
}
