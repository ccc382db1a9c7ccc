import { LockstepError } from '../../../base/error.ts'
import { TRANSACTION_GAS } from '../../chain-types/generated/gas.ts'
import type { Transaction } from '../../chain-types/transaction.ts'
import type { CandidateSource, OpenCandidates } from '../candidates.ts'
import {
  type BlockOutcome,
  type BlockRun,
  type Exclusion,
  type ExecutionContext,
  startBlock,
} from './block.ts'

/** A block filled by execution, and the candidates that no block can hold. */
export interface PackedBlock extends BlockOutcome {
  readonly hopeless: readonly Transaction[]
}

/** Runs a candidate. A candidate that exhausts the engine has no effect, and must not stop the chain. */
function tryAdd(run: BlockRun, candidate: Transaction): Exclusion | 'engineFault' | undefined {
  try {
    return run.add(candidate)
  } catch (error) {
    if (error instanceof LockstepError && error.code === 'ENGINE_FAULT') return 'engineFault'
    throw error
  }
}

/** Refusals that a later block may not repeat: the sender's account or the base fee decides them. */
const PASSING: ReadonlySet<string> = new Set<Exclusion>([
  'blockFull',
  'nonceTooLow',
  'nonceTooHigh',
  'insufficientFunds',
  'feeCapBelowBaseFee',
])

/** The part of a block's gas that goes to what arrives first; the rest goes to who pays most once the block is due. */
const EARLY_PART = 2n

/** Bytes of a transaction in a block: CometBFT counts its protobuf tag and length. */
function encodedSize(bytes: number): number {
  let length = 1
  for (let rest = bytes; rest >= 0x80; rest >>= 7) length++
  return 1 + length + bytes
}

/** The candidates that a block will most likely hold: as many as have room where each uses all of its gas. */
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

/** Fills a block with the best candidates, as many as have room. */
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

  /** Runs candidates, but for the reserve of gas. Returns false where it holds the best one back, or none has room. */
  async fill(candidates: CandidateSource, reserve = 0n): Promise<boolean> {
    while (!this.#hasFault && this.#run.gasLeft >= TRANSACTION_GAS + reserve) {
      const candidate = candidates.peek()
      if (candidate === undefined) return true
      if (reserve > 0n && candidate.gas > this.#run.gasLeft - reserve) return false
      await this.#add(candidate, candidates)
    }
    return false
  }

  finish(): PackedBlock {
    return { ...this.#run.finish(), hopeless: this.#hopeless }
  }

  async #add(candidate: Transaction, candidates: CandidateSource): Promise<void> {
    const size = encodedSize(candidate.raw.length)
    if (this.#bytes + size > this.#maxBytes) {
      candidates.skip()
      return
    }
    const exclusion = tryAdd(this.#run, candidate)
    if (exclusion === undefined) {
      this.#bytes += size
      candidates.take()
      await this.#run.rest()
      return
    }
    if (!PASSING.has(exclusion)) this.#hopeless.push(candidate)
    candidates.skip()
    // A candidate that exhausted the engine may exhaust it again: the block ends without it.
    this.#hasFault = exclusion === 'engineFault'
  }
}

/**
 * Fills a block with at most `maxBytes` of transactions by executing them: a proposed block has run, so
 * the decided block need not run again.
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
 * Fills a block from now on until it is due, with what arrives by then, so that little is left to run at that time. Half
 * of its gas stays for the candidates that are best when it is due.
 * @param due rejects where the block is given up
 */
export async function packUntil(
  due: Promise<void>,
  context: ExecutionContext,
  candidates: OpenCandidates,
  maxBytes: number,
): Promise<PackedBlock> {
  const packing = new Packing(context, maxBytes)
  const reserve = context.env.gasLimit / EARLY_PART
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
