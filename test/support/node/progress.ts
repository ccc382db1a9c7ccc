import type { Hex } from '../../../host/base/hex.ts'
import { until } from '../until.ts'
import { call } from './json-rpc.ts'

/** The receipt of a transaction, once it is in a block. */
export async function minedReceipt<Receipt = object>(rpc: string, hash: Hex): Promise<Receipt> {
  let receipt: Receipt | null = null
  await until(async () => {
    receipt = await call<Receipt | null>(rpc, 'eth_getTransactionReceipt', [hash])
    return receipt !== null
  })
  return receipt as Receipt
}

/** Resolves once a node's chain has come to a height. */
export async function reachHeight(rpc: string, height: number): Promise<void> {
  await until(async () => Number(await call<Hex>(rpc, 'eth_blockNumber')) >= height)
}
