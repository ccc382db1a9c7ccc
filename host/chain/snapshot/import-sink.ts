import { hexDigits } from '../../base/hex.ts'
import type { CommitImport } from '../../storage/commit/commit-import.ts'
import type { DatabaseName } from '../../storage/commit/flatkv/flatkv.ts'
import type { CommitHasher } from '../../storage/commit/hash/commit-hasher.ts'
import type { IavlBuilder, IavlItem } from '../../storage/commit/iavl/iavl-builder.ts'
import { LmdbChainStore } from '../../storage/store/chain/lmdb-chain-store.ts'
import { MarkedEnv } from '../../storage/store/lmdb/marked-env.ts'
import { encodeBlockResults } from '../consensus/comet/block-results.ts'
import { ConsensusBlockStore } from '../consensus/embedded/block-store.ts'
import type { ChainCheck } from './chain-check.ts'
import { type DecidedRecord, decodeBlockRecord, decodeDecidedRecord } from './chain-record.ts'
import type { ImportTarget } from './import-target.ts'
import type { SnapshotMetadata } from './metadata.ts'
import { firstBlock, invalidSnapshot } from './snapshot-format.ts'
import type { SnapshotSink } from './stream-reader.ts'

export interface ImportSinkOptions {
  readonly target: ImportTarget
  readonly metadata: SnapshotMetadata
  readonly check: ChainCheck
  readonly commit: CommitImport
  readonly hasher: CommitHasher
  /** True if CometBFT stores the consensus blocks. */
  readonly underCometBft: boolean
}

/** Writes the items of a snapshot into the databases of the chain, of consensus and of the state commit. */
export class ImportSink implements SnapshotSink {
  readonly #options: ImportSinkOptions
  readonly #envs: readonly MarkedEnv[]
  readonly #chain: LmdbChainStore
  readonly #decided: ConsensusBlockStore | undefined
  #pending: DecidedRecord | undefined
  /** True if all blocks of the stream were read but not all are written. */
  #hasBlocks = false
  #module = ''
  #tree: IavlBuilder | undefined

  constructor(options: ImportSinkOptions) {
    const { target } = options
    this.#options = options
    const blocks = new MarkedEnv(target.blocks)
    const transactions = new MarkedEnv(target.transactions)
    const logs = new MarkedEnv(target.logs)
    this.#envs = [blocks, transactions, logs]
    this.#chain = new LmdbChainStore(blocks, transactions, logs)
    this.#decided = options.underCometBft ? undefined : new ConsensusBlockStore(target.decided)
  }

  block(record: Uint8Array): void {
    const { parts, header } = decodeBlockRecord(record)
    this.#options.check.block(header)
    this.#chain.apply(parts)
  }

  decided(record: Uint8Array): void {
    this.#pending = decodeDecidedRecord(record)
    this.#options.check.decided(this.#pending)
    this.#hasBlocks = true
  }

  undecided(): void {
    this.#options.check.undecided()
    this.#hasBlocks = true
  }

  openTree(module: string): void {
    this.#module = module
    this.#tree = this.#options.commit.openTree(module)
  }

  node(node: IavlItem): void {
    this.#tree?.add(node)
  }

  closeTree(): void {
    const tree = this.#tree?.finish()
    if (tree !== undefined) this.#options.commit.putTree(this.#module, tree)
    this.#tree = undefined
  }

  row(database: DatabaseName, key: Uint8Array, row: Uint8Array): void {
    this.#options.commit.putRow(database, key, row)
  }

  code(code: Uint8Array): void {
    this.#options.commit.putCode(this.#options.hasher.keccak256(code), code)
  }

  appHash(appHash: Uint8Array): void {
    const { metadata } = this.#options
    if (hexDigits(appHash) === metadata.appHash) return
    throw invalidSnapshot(
      `the stream ends with app hash ${hexDigits(appHash)}, but metadata.json has ${metadata.appHash}`,
    )
  }

  /** Writes the blocks read so far, and the commit if it is needed. */
  async flush(): Promise<void> {
    const { height, appHash } = this.#options.metadata
    const { latest } = this.#chain
    if (latest >= 0) await this.#chain.flush(0, latest)
    if (!this.#hasBlocks) return
    this.#hasBlocks = false
    // A snapshot lacks the blocks between block 0 and the first of the others.
    this.#chain.raise(firstBlock(height))
    const store = this.#decided
    if (this.#pending === undefined || store === undefined) return
    const { decided, results } = this.#pending
    this.#pending = undefined
    store.propose(height, decided.encoded)
    store.decide(decided.commit)
    store.saveResults(height, encodeBlockResults(results))
    store.saveAppHash(height, Buffer.from(appHash, 'hex'))
  }

  async close(): Promise<void> {
    for (const env of this.#envs) await env.close()
    await this.#decided?.close()
  }
}
