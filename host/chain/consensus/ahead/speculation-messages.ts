import type { Keccak256 } from '../../../evm/chain-types/signature-recovery.ts'
import type { Transaction } from '../../../evm/chain-types/transaction.ts'
import { decodeSigned } from '../../../evm/chain-types/transaction-codec.ts'
import type { EngineModules } from '../../../evm/engine/engine-modules.ts'
import type { BlockEnv } from '../../../evm/engine/message.ts'
import type { Job, JobPlan } from '../../../evm/execute/lockstep/speculative-results.ts'
import type { StateDelta } from '../../../storage/store/reader/storage-delta.ts'

/** Start data of a thread. */
export interface SpeculationWorkerData {
  /** Number of the thread, from 1. */
  readonly runner: number
  readonly modules: EngineModules
  /** Shared memory for its read/write sets (`ReadWriteSetArea`). */
  readonly footprints: SharedArrayBuffer
}

/** A block for speculative execution. */
export interface SpeculationBlock {
  /** Sequence number among the blocks given to the threads. */
  readonly number: number
  readonly env: BlockEnv
  readonly plan: JobPlan
  /** Words of the board (`JobBoard`). */
  readonly board: SharedArrayBuffer
  /** Concatenated transactions of the jobs: sender (20 bytes), length (4, big-endian), encoding. */
  readonly transactions: SharedArrayBuffer
}

/** Message to a thread. The delta with the state before a block is sent before the block. */
export type ToSpeculationWorker =
  | { readonly kind: 'state'; readonly edition: StateDelta }
  | { readonly kind: 'block'; readonly block: SpeculationBlock }

const ROW_HEAD = 24

/** Encodes the transactions of jobs for `AheadBlock.transactions`. */
export function packJobTransactions(jobs: readonly Job[]): SharedArrayBuffer {
  const transactions = jobs.flat()
  const size = transactions.reduce((sum, { raw }) => sum + ROW_HEAD + raw.length, 0)
  const buffer = new SharedArrayBuffer(size)
  const bytes = new Uint8Array(buffer)
  const fields = new DataView(buffer)
  let at = 0
  for (const { from, raw } of transactions) {
    bytes.set(from, at)
    fields.setUint32(at + 20, raw.length)
    bytes.set(raw, at + ROW_HEAD)
    at += ROW_HEAD + raw.length
  }
  return buffer
}

/** The transactions of a block's jobs, decoded on access. */
export class PackedJobTransactions {
  readonly #bytes: Uint8Array
  readonly #keccak256: Keccak256
  /** Offset of each transaction. */
  readonly #starts: number[] = []

  constructor(packed: SharedArrayBuffer, keccak256: Keccak256) {
    this.#bytes = new Uint8Array(packed)
    this.#keccak256 = keccak256
    const fields = new DataView(packed)
    for (let at = 0; at < packed.byteLength; at += ROW_HEAD + fields.getUint32(at + 20)) {
      this.#starts.push(at)
    }
  }

  /** Returns the transaction at `index`, counted across all jobs. */
  at(index: number): Transaction {
    const start = this.#starts[index] as number
    const from = this.#bytes.slice(start, start + 20)
    const raw = this.#bytes.slice(start + ROW_HEAD, this.#starts[index + 1])
    return { ...decodeSigned(raw, this.#keccak256), from }
  }
}
