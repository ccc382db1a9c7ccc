import type { Hex } from '../../../host/base/hex.ts'
import { until } from '../until.ts'
import {
  type DynamicFeeFields,
  devAccount,
  type LocalSigner,
  signDynamicFee,
} from './dev-wallet.ts'
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

/**
 * Sends a transaction that `signDynamicFee` signs, and returns its receipt once it is in a block. Without a nonce in
 * `fields` it has the next one after the pending transactions of the sender.
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

/** Resolves once a node's chain has come to a height. */
export async function reachHeight(rpc: string, height: number): Promise<void> {
  await until(async () => Number(await call<Hex>(rpc, 'eth_blockNumber')) >= height)
}
