import { TRANSACTION_GAS } from '../../chain-types/generated/gas.ts'
import type { Transaction } from '../../chain-types/transaction.ts'
import { type Exclusion, MOST_BATCHED } from '../../engine/batch.ts'
import type { CandidateSender, CandidateSource, OpenCandidates } from '../candidates.ts'
import {
  type BlockOutcome,
  type BlockRun,
  type ExecutionContext,
  PAUSE_GAS,
  startBlock,
} from './block.ts'

/** A block filled by execution, and the candidates that no block can include. */
export interface PackedBlock extends BlockOutcome {
  readonly hopeless: readonly Transaction[]
}

/** Temporary rejections, which depend on the sender's account, the base fee or the block's gas. */
const TEMPORARY_REJECTIONS: ReadonlySet<string> = new Set<Exclusion>([
  'blockFull',
  'nonceTooLow',
  'nonceTooHigh',
  'insufficientFunds',
  'feeCapBelowBaseFee',
])

/** Divisor of a block's gas: this part is reserved for the highest bidders when the block is due. */
const RESERVE_DIVISOR = 2n

/** Returns the bytes of a transaction in a block: CometBFT counts its protobuf tag and length. */
function encodedSize(bytes: number): number {
  let length = 1
  for (let rest = bytes; rest >= 0x80; rest >>= 7) length++
  return 1 + length + bytes
}

/** Yields the candidates that a block will most likely include: as many as fit if each uses all its gas. */
export function* expectedTransactions(
  candidates: CandidateSource,
  gasLimit: bigint,
): Generator<Transaction> {
  let gas = 0n
  for (;;) {
    const candidate = candidates.peek()
    if (candidate === undefined) return
    gas += candidate.gas
    if (gas > gasLimit) return
    candidates.take()
    yield candidate
  }
}

/** A candidate that a block executes. */
interface Taken {
  readonly transaction: Transaction
  readonly sender: CandidateSender
}

/** Fills a block with the best candidates, as many as fit. */
class Packing {
  readonly #run: BlockRun
  readonly #maxBytes: number
  readonly #hopeless: Transaction[] = []
  #bytes = 0
  #hasFault = false

  constructor(context: ExecutionContext, maxBytes: number) {
    this.#run = startBlock(context)
    this.#maxBytes = maxBytes
  }

  /**
   * Executes candidates, leaving `reserve` gas. Returns true if it ran out of candidates; false if the best one does
   * not fit beside the reserve, or no transaction fits.
   */
  async fill(candidates: CandidateSource, reserve = 0n): Promise<boolean> {
    while (!this.#hasFault && this.#run.gasLeft >= TRANSACTION_GAS + reserve) {
      const candidate = candidates.peek()
      if (candidate === undefined) return true
      if (reserve > 0n && candidate.gas > this.#run.gasLeft - reserve) return false
      if (this.#bytes + encodedSize(candidate.raw.length) > this.#maxBytes) {
        candidates.skip()
        continue
      }
      this.#execute(this.#takeBatch(candidates, reserve), candidates)
      await this.#run.rest()
    }
    return false
  }

  finish(): PackedBlock {
    return { ...this.#run.finish(), hopeless: this.#hopeless }
  }

  /**
   * Takes the best candidate, and those after it that fit into the block whatever gas the ones before them use. So
   * the block is the same as if each was taken after the one before it was executed.
   */
  #takeBatch(candidates: CandidateSource, reserve: bigint): readonly Taken[] {
    const batch: Taken[] = []
    let most = this.#run.gasLeft - reserve
    if (most > PAUSE_GAS) most = PAUSE_GAS
    let gas = 0n
    let bytes = this.#bytes
    for (;;) {
      const candidate = candidates.peek()
      if (candidate === undefined || batch.length === MOST_BATCHED) return batch
      const rest = most - gas
      bytes += encodedSize(candidate.raw.length)
      const isFull = candidate.gas > rest || rest < TRANSACTION_GAS || bytes > this.#maxBytes
      if (isFull && batch.length > 0) return batch
      gas += candidate.gas
      batch.push({ transaction: candidate, sender: candidates.take() })
    }
  }

  #execute(batch: readonly Taken[], candidates: CandidateSource): void {
    const transactions = batch.map(({ transaction }) => transaction)
    const { exclusions, fault } = this.#run.add(transactions)
    /** A sender's later transactions were excluded only because of an earlier one. */
    const dropped = new Set<CandidateSender>()
    for (const [i, exclusion] of exclusions.entries()) {
      const { transaction, sender } = batch[i] as Taken
      if (exclusion === undefined) {
        this.#bytes += encodedSize(transaction.raw.length)
      } else if (!dropped.has(sender)) {
        dropped.add(sender)
        candidates.drop(sender)
        if (!TEMPORARY_REJECTIONS.has(exclusion)) this.#hopeless.push(transaction)
      }
    }
    if (fault === undefined) return
    // A candidate that exhausted the engine may do so again, so the block ends without it.
    this.#hasFault = true
    const { transaction } = batch[exclusions.length] as Taken
    this.#hopeless.push(transaction)
  }
}

/**
 * Fills a block with at most `maxBytes` of transactions by executing them. If the block is decided, it need not be
 * executed again.
 */
export async function packBlock(
  context: ExecutionContext,
  candidates: CandidateSource,
  maxBytes: number,
): Promise<PackedBlock> {
  const packing = new Packing(context, maxBytes)
  await packing.fill(candidates)
  return packing.finish()
}

/**
 * Fills a block with arriving transactions until it is due, so that little is left to execute then. Half of its gas
 * is reserved for the best candidates at that time.
 * @param due rejects if the block is abandoned
 */
export async function packUntil(
  due: Promise<void>,
  context: ExecutionContext,
  candidates: OpenCandidates,
  maxBytes: number,
): Promise<PackedBlock> {
  const packing = new Packing(context, maxBytes)
  const reserve = context.env.gasLimit / RESERVE_DIVISOR
  let isDue = false
  const closed = due
    .then(() => {
      isDue = true
    })
    .finally(() => candidates.close())
  closed.catch(() => undefined)
  while (!isDue) {
    const wantsMore = await packing.fill(candidates, reserve)
    const wakes = wantsMore ? [closed, candidates.arrival()] : [closed]
    if (!isDue) await context.pause(Promise.race(wakes))
  }
  await packing.fill(candidates)
  return packing.finish()
}
