import { LockstepError } from '../../base/error.ts'
import type { Transaction } from '../chain-types/transaction.ts'
import { REJECTIONS } from './generated/rejection.ts'
import type { EngineMemory } from './memory.ts'
import { requireMessageRoom } from './message-writer.ts'
import type { EngineExports } from './module.ts'
import type { RejectionCode } from './outcome.ts'
import { enginePart, engineRecord, recordMessageBytes } from './transaction-record.ts'

// The layout of assembly/evm/message/batch.ts.

/** Most transactions of a batch. */
export const MOST_BATCHED = 256
const BLOCK_FULL = 255
const EXCLUSIONS = 64 + 256
const HASHES = EXCLUSIONS + 4 * MOST_BATCHED
const RESULTS = HASHES + 32 * MOST_BATCHED
const RECEIPTS = RESULTS + 64 * MOST_BATCHED

/** Why a transaction was excluded from a block: rejected by the protocol, or not enough gas left. */
export type Exclusion = RejectionCode | 'blockFull'

/** What a block keeps of its included transactions, in their order. */
export interface PackedResults {
  /** Hashes, 32 bytes each. */
  readonly hashes: Uint8Array
  /** `ExecTxResult` of CometBFT, as fields of `ResponseFinalizeBlock`. */
  readonly results: Uint8Array
  /** Receipts as they are stored (`storage/store/codec/receipt-codec.ts`), without their number. */
  readonly receipts: Uint8Array
}

/** Results of a batch. */
export interface BatchOutcome extends PackedResults {
  /** Why each transaction was excluded; undefined if it is included. Ends before the first that was not executed. */
  readonly exclusions: readonly (Exclusion | undefined)[]
  /** Number of included transactions. */
  readonly included: number
  /** Gas used by the block so far. */
  readonly gasUsed: bigint
  /** The error that ended the batch. The transaction after the last of `exclusions` has no effect. */
  readonly fault: LockstepError | undefined
}

/** The transactions of a batch and their results in an engine's memory. */
export class BatchArea {
  readonly #memory: EngineMemory
  readonly #at: number
  readonly #size: number
  readonly #messageSize: number
  readonly #resultsAt: number

  constructor(memory: EngineMemory, exports: EngineExports) {
    this.#memory = memory
    this.#at = exports.batchAt.value
    this.#size = exports.batchSize.value
    this.#messageSize = exports.messageSize.value
    this.#resultsAt = exports.batchResultsAt.value
  }

  /**
   * Writes the first transactions, as many as fit.
   * @returns their number
   * @throws INVALID_ARGUMENT if the first does not fit into a message
   */
  write(transactions: readonly Transaction[]): number {
    const memory = this.#memory
    let at = this.#at
    let count = 0
    for (const transaction of transactions) {
      const record = engineRecord(transaction)
      requireMessageRoom(recordMessageBytes(record), this.#messageSize)
      const part = enginePart(record)
      const isFull = count === MOST_BATCHED || at + part.length > this.#at + this.#size
      if (count > 0 && isFull) break
      memory.bytes.set(part, at)
      at += part.length
      count++
    }
    return count
  }

  /** Returns the results of the batch that has ended. */
  read(fault: LockstepError | undefined): BatchOutcome {
    const memory = this.#memory
    const at = this.#resultsAt
    const exclusions: (Exclusion | undefined)[] = []
    for (let i = 0; i < memory.u32(at); i++) {
      exclusions.push(exclusionOf(memory.u32(at + EXCLUSIONS + 4 * i)))
    }
    const included = memory.u32(at + 4)
    return {
      exclusions,
      included,
      gasUsed: memory.u64(at + 16),
      hashes: memory.copy(at + HASHES, 32 * included),
      results: memory.copy(at + RESULTS, memory.u32(at + 8)),
      receipts: memory.copy(at + RECEIPTS, memory.u32(at + 12)),
      fault,
    }
  }

  /** Returns the bloom of the block's logs so far, 256 bytes. */
  bloom(): Uint8Array {
    return this.#memory.copy(this.#resultsAt + 64, 256)
  }
}

function exclusionOf(code: number): Exclusion | undefined {
  if (code === 0) return undefined
  const rejection = code === BLOCK_FULL ? 'blockFull' : REJECTIONS[code - 1]
  if (rejection !== undefined) return rejection
  throw new LockstepError('ENGINE_FAULT', `the engine returned the unknown rejection ${code}`)
}
