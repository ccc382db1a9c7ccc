import type { Transaction } from './transaction.ts'

type FeeCaps = Pick<Transaction, 'maxFeePerGas' | 'maxPriorityFeePerGas'>

/** Wei for a unit of gas on top of the base fee; below zero when the fee cap is below the base fee. */
export function effectiveTip(transaction: FeeCaps, baseFee: bigint): bigint {
  const headroom = transaction.maxFeePerGas - baseFee
  if (headroom < transaction.maxPriorityFeePerGas) return headroom
  return transaction.maxPriorityFeePerGas
}

/** Wei that the sender pays for a unit of gas in a block with `baseFee` (EIP-1559). */
export function effectiveGasPrice(transaction: FeeCaps, baseFee: bigint): bigint {
  return baseFee + effectiveTip(transaction, baseFee)
}

/** The most that a transaction can take from its sender: gas at the fee cap, and the value. */
export function maximumCost(transaction: FeeCaps & Pick<Transaction, 'gas' | 'value'>): bigint {
  return transaction.gas * transaction.maxFeePerGas + transaction.value
}
