import type { Receipt } from '../../../host/chain-types/receipt.ts'
import type { PlacedReceipt } from '../../../host/store/chain/chain-store.ts'

/** One receipt of a block with the number of its first log, counted. */
export function placeReceipt(
  receipts: readonly Receipt[] | undefined,
  index: number,
): PlacedReceipt | undefined {
  const receipt = receipts?.[index]
  if (receipts === undefined || receipt === undefined) return undefined
  const firstLogIndex = receipts.slice(0, index).reduce((sum, { logs }) => sum + logs.length, 0)
  return { receipt, firstLogIndex }
}
