import type { Hex } from '../../../host/base/hex.ts'
import { until } from '../until.ts'
import {
  type DynamicFeeFields,
  devAccount,
  type LocalSigner,
  signDynamicFee,
} from './dev-wallet.ts'
import { call } from './json-rpc.ts'

/** Waits until a transaction is in a block and returns its receipt. */
export async function minedReceipt<Receipt = object>(rpc: string, hash: Hex): Promise<Receipt> {
  let receipt: Receipt | null = null
  await until(async () => {
    receipt = await call<Receipt | null>(rpc, 'eth_getTransactionReceipt', [hash])
    return receipt !== null
  })
  return receipt as Receipt
}

/**
 * Signs a transaction with `signDynamicFee`, sends it, and returns its receipt after it is in a block. Without a
 * nonce in `fields` it uses the next one after the sender's pending transactions.
 */
export async function mineDynamicFee<Receipt = object>(
  rpc: string,
  from: number | LocalSigner,
  fields: Partial<DynamicFeeFields>,
): Promise<Receipt> {
  const signer = typeof from === 'number' ? devAccount(from) : from
  const pending = [signer.address, 'pending']
  const nonce = fields.nonce ?? Number(await call<Hex>(rpc, 'eth_getTransactionCount', pending))
  const raw = await signDynamicFee(signer, { ...fields, nonce })
  return minedReceipt(rpc, await call<Hex>(rpc, 'eth_sendRawTransaction', [raw]))
}

/** Resolves when a node's chain has reached a height. */
export async function reachHeight(rpc: string, height: number): Promise<void> {
  await until(async () => Number(await call<Hex>(rpc, 'eth_blockNumber')) >= height)
}
