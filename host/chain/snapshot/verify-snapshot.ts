import { hexDigits } from '../../base/hex.ts'
import type { Genesis } from '../../evm/chain-types/genesis.ts'
import type { DatabaseName } from '../../storage/commit/flatkv/flatkv.ts'
import { flatRoot, RowHash } from '../../storage/commit/flatkv/row-hash.ts'
import { appHash, EVM_STORE, type StoreRoot } from '../../storage/commit/hash/app-hash.ts'
import type { CommitHasher } from '../../storage/commit/hash/commit-hasher.ts'
import { IavlBuilder, type IavlItem } from '../../storage/commit/iavl/iavl-builder.ts'
import { ChainCheck } from './chain-check.ts'
import { decodeBlockRecord, decodeDecidedRecord } from './chain-record.ts'
import { chunkName, readChunk } from './chunk-file.ts'
import type { SnapshotMetadata } from './metadata.ts'
import { readMetadata } from './snapshot-dir.ts'
import { invalidSnapshot } from './snapshot-format.ts'
import { type SnapshotSink, STREAM_START, StreamReader } from './stream-reader.ts'

export interface VerifyOptions {
  readonly dir: string
  readonly hasher: CommitHasher
  /** Genesis to check blocks against; if undefined, only their form is checked. */
  readonly genesis: Genesis | undefined
  /** True if CometBFT decides the blocks of the home with this genesis. */
  readonly underCometBft?: boolean
  /** Called after each chunk with the number read so far. */
  readonly onChunk?: (read: number, of: number) => void
}

/** Hashes the items of a snapshot without storing them. */
class HashingSink implements SnapshotSink {
  readonly #hasher: CommitHasher
  readonly #metadata: SnapshotMetadata
  readonly #check: ChainCheck | undefined
  readonly #rows: RowHash
  readonly #roots: StoreRoot[] = []
  #module = ''
  #tree: IavlBuilder | undefined

  constructor(
    metadata: SnapshotMetadata,
    { hasher, genesis, underCometBft = false }: VerifyOptions,
  ) {
    this.#hasher = hasher
    this.#metadata = metadata
    this.#rows = new RowHash(hasher)
    const keccak256 = (bytes: Uint8Array): Uint8Array => hasher.keccak256(bytes)
    this.#check = genesis && new ChainCheck(metadata, { genesis, keccak256, underCometBft })
  }

  block(record: Uint8Array): void {
    const { header } = decodeBlockRecord(record)
    this.#check?.block(header)
  }

  decided(record: Uint8Array): void {
    const decided = decodeDecidedRecord(record)
    this.#check?.decided(decided)
  }

  undecided(): void {
    this.#check?.undecided()
  }

  openTree(module: string): void {
    this.#module = module
    this.#tree = new IavlBuilder(module, this.#hasher, () => {})
  }

  node(node: IavlItem): void {
    this.#tree?.add(node)
  }

  closeTree(): void {
    const tree = this.#tree?.finish()
    if (tree !== undefined) this.#roots.push({ name: this.#module, root: tree.rootHash })
  }

  row(database: DatabaseName, key: Uint8Array, row: Uint8Array): void {
    this.#rows.add(database, key, row)
  }

  code(): void {}

  appHash(stated: Uint8Array): void {
    const rows = flatRoot(this.#rows.finish(), this.#hasher)
    const roots = [...this.#roots, { name: EVM_STORE, root: rows }]
    checkAppHash(this.#metadata, stated, appHash(roots, this.#hasher))
  }
}

/**
 * Compares the app hashes at the end of the stream and of the rows with the snapshot's.
 * @throws SNAPSHOT_INVALID
 */
export function checkAppHash(
  { appHash: expected }: SnapshotMetadata,
  stated: Uint8Array | undefined,
  actual: Uint8Array,
): void {
  if (stated !== undefined && hexDigits(stated) !== expected) {
    throw invalidSnapshot(
      `the stream ends with app hash ${hexDigits(stated)}, but metadata.json has ${expected}`,
    )
  }
  if (hexDigits(actual) === expected) return
  throw invalidSnapshot(
    `the rows hash to app hash ${hexDigits(actual)}, but the snapshot states ${expected}`,
  )
}

/**
 * Reads a whole snapshot and checks everything that needs no home: checksums, form, order, and that trees and rows
 * hash to the app hash. Holds one chunk in memory at a time.
 * @throws SNAPSHOT_INVALID
 */
export async function verifySnapshot(options: VerifyOptions): Promise<SnapshotMetadata> {
  const { dir, onChunk = () => {} } = options
  const metadata = readMetadata(dir)
  const reader = new StreamReader(new HashingSink(metadata, options), metadata.height, STREAM_START)
  for (const [index, chunk] of metadata.chunks.entries()) {
    reader.read(await readChunk(dir, index, chunk), chunkName(index))
    onChunk(index + 1, metadata.chunks.length)
  }
  reader.finish()
  return metadata
}
