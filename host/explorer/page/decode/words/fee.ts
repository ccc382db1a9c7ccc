import { effectiveGasPrice } from '../../../../evm/chain-types/transaction.ts'
import type { BlockFacts, TransactionFacts } from '../../../browser/facts.ts'
import type { CallNode, RunSummary } from '../../../browser/step/stepper.ts'

/** The gas of a transaction by parts; their sum is what it used. */
export interface GasParts {
  /** Before the first step: for the transaction itself, its data and its access list. */
  readonly intrinsic: bigint
  readonly execution: bigint
  /** For storage that was cleared, at most a fifth of the gas. */
  readonly refund: bigint
  /** Added if the minimum for calldata is more (EIP-7623). */
  readonly added: bigint
}

export function gasParts({ gasUsed, gasLimit }: RunSummary, root: CallNode): GasParts {
  const intrinsic = gasLimit > root.gas ? gasLimit - root.gas : 0n
  const difference = gasUsed - intrinsic - root.gasUsed
  return {
    intrinsic,
    execution: root.gasUsed,
    refund: difference < 0n ? -difference : 0n,
    added: difference > 0n ? difference : 0n,
  }
}

/** What the sender paid for gas, in wei. */
export interface Fee {
  /** For each unit of gas. */
  readonly price: bigint
  readonly total: bigint
  /** The parts of the total: the base fee of the block, and the rest. */
  readonly base: bigint
  readonly priority: bigint
}

/** Returns the fee by the rules of EIP-1559; types 0 and 1 pay their gas price. */
export function feeOf(
  transaction: TransactionFacts,
  { baseFee }: BlockFacts,
  gasUsed: bigint,
): Fee {
  const price = effectiveGasPrice(transaction, baseFee)
  const perGas = price < baseFee ? price : baseFee
  return {
    price,
    total: gasUsed * price,
    base: gasUsed * perGas,
    priority: gasUsed * (price - perGas),
  }
}
