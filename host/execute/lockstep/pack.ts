import { LockstepError } from '../../base/error.ts'
import { TRANSACTION_GAS } from '../../chain-types/generated/gas.ts'
import type { Transaction } from '../../chain-types/transaction.ts'
import type { CandidateSource } from '../candidates.ts'
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

/**
 * Fills a block with at most `maxBytes` of transactions by executing them: a proposed block has run, so
 * the decided block need not run again.
 */
export async function packBlock(
  context: ExecutionContext,
  candidates: CandidateSource,
  maxBytes: number,
): Promise<PackedBlock> {
  const run = startBlock(context)
  const hopeless: Transaction[] = []
  let bytes = 0
  for (;;) {
    const candidate = candidates.peek()
    if (candidate === undefined || run.gasLeft < TRANSACTION_GAS) break
    const size = encodedSize(candidate.raw.length)
    if (bytes + size > maxBytes) {
      candidates.skip()
      continue
    }
    const exclusion = tryAdd(run, candidate)
    if (exclusion === undefined) {
      bytes += size
      candidates.take()
      await run.rest()
      continue
    }
    if (!PASSING.has(exclusion)) hopeless.push(candidate)
    candidates.skip()
    // A candidate that exhausted the engine may exhaust it again: the block ends without it.
    if (exclusion === 'engineFault') break
  }
  return { ...run.finish(), hopeless }
}
