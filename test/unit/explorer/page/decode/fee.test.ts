import { expect, test } from 'vitest'
import type { BlockFacts, TransactionFacts } from '../../../../../host/explorer/browser/facts.ts'
import type { CallNode, RunSummary } from '../../../../../host/explorer/browser/step/stepper.ts'
import { feeOf, gasParts } from '../../../../../host/explorer/page/decode/words/fee.ts'
import { callNodes } from './call-nodes.ts'

const parts = (gasUsed: bigint, execution: bigint) => {
  const [root] = callNodes({ gas: 78_000n, gasUsed: execution })
  return gasParts({ gasUsed, gasLimit: 100_000n } as RunSummary, root as CallNode)
}

test('the parts of gas are intrinsic, execution, and a refund or what the calldata minimum adds', () => {
  expect(parts(54_000n, 32_000n)).toEqual({
    ...{ intrinsic: 22_000n, execution: 32_000n, refund: 0n, added: 0n },
  })
  expect(parts(50_000n, 32_000n)).toMatchObject({ refund: 4_000n, added: 0n })
  expect(parts(60_000n, 32_000n)).toMatchObject({ refund: 0n, added: 6_000n })
})

const fee = (maxFeePerGas: bigint, maxPriorityFeePerGas: bigint) =>
  feeOf(
    { maxFeePerGas, maxPriorityFeePerGas } as TransactionFacts,
    { baseFee: 10n } as BlockFacts,
    1_000n,
  )

test('the fee is the base fee and the priority fee, below the maximum of the transaction', () => {
  expect(fee(100n, 2n)).toEqual({ price: 12n, total: 12_000n, base: 10_000n, priority: 2_000n })
  expect(fee(11n, 2n)).toEqual({ price: 11n, total: 11_000n, base: 10_000n, priority: 1_000n })
})

test('the fee of a legacy transaction is its gas price', () => {
  expect(fee(15n, 15n)).toEqual({ price: 15n, total: 15_000n, base: 10_000n, priority: 5_000n })
})

test('a changed run that pays no fee has none', () => {
  expect(fee(0n, 0n)).toEqual({ price: 0n, total: 0n, base: 0n, priority: 0n })
})
