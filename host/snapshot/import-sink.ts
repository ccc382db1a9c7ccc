import { hexDigits } from '../base/hex.ts'
import type { CommitImport } from '../commit/commit-import.ts'
import type { DatabaseName } from '../commit/flatkv/flatkv.ts'
import type { CommitHasher } from '../commit/hash/commit-hasher.ts'
import type { IavlBuilder, IavlItem } from '../commit/iavl/iavl-builder.ts'
import { BlockStore } from '../consensus/embedded/block-store.ts'
import { LmdbChainStore } from '../store/chain/lmdb-chain-store.ts'
import { MarkedEnv } from '../store/lmdb/marked-env.ts'
import type { ChainCheck } from './chain-check.ts'
import { type DecidedRecord, decodeBlockRecord, decodeDecidedRecord } from './chain-record.ts'
import type { ImportTarget } from './import-target.ts'
import type { SnapshotMetadata } from './metadata.ts'
import { firstBlock, invalid } from './snapshot-format.ts'
import type { SnapshotSink } from './stream-reader.ts'

export interface ImportSinkOptions {
  readonly target: ImportTarget
  readonly metadata: SnapshotMetadata
  readonly check: ChainCheck
  readonly commit: CommitImport
  readonly hasher: CommitHasher
}

/** Writes what a snapshot holds into the databases of the chain, of consensus, and of the state commit. */
export class ImportSink implements SnapshotSink {
  readonly #options: ImportSinkOptions
  readonly #envs: readonly MarkedEnv[]
  readonly #chain: LmdbChainStore
  readonly #decided: BlockStore
  #pending: DecidedRecord | undefined
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
    this.#decided = new BlockStore(target.decided)
  }

  block(record: Uint8Array): void {
    const { parts, header } = decodeBlockRecord(record)
    this.#options.check.block(header)
    this.#chain.apply(parts)
  }

  decided(record: Uint8Array): void {
    this.#pending = decodeDecidedRecord(record)
    this.#options.check.decided(this.#pending)
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
    throw invalid(
      `the stream ends with app hash ${hexDigits(appHash)}, metadata.json has ${metadata.appHash}`,
    )
  }

  /** Writes the blocks that were taken, and the decision. */
  async flush(): Promise<void> {
    const { height, appHash } = this.#options.metadata
    const { latest } = this.#chain
    if (latest >= 0) await this.#chain.flush(0, latest)
    if (this.#pending === undefined) return
    // The blocks between block 0 and the first of the others were never here.
    this.#chain.raise(firstBlock(height))
    const { decided, results } = this.#pending
    this.#decided.propose(height, decided.encoded)
    this.#decided.decide(decided.commit)
    this.#decided.saveResults(height, results)
    this.#decided.saveAppHash(height, Buffer.from(appHash, 'hex'))
    this.#pending = undefined
  }

  async close(): Promise<void> {
    for (const env of this.#envs) await env.close()
    await this.#decided.close()
  }
}
