import { formatData, type Hex } from '../../base/hex.ts'
import type { SignatureRecovery } from '../../evm/chain-types/signature-recovery.ts'
import { callResult } from '../chain/call-result.ts'
import type { PaymentChain } from '../chain/payment-chain.ts'
import { isMagic, isValidSignature, type KeySignature, keySignature } from './authorization.ts'

/** Returns the parts of a signature that the account's key made over a digest; undefined if it did not. */
export function signedByKey(
  digest: Uint8Array,
  signature: Hex,
  account: Hex,
  recovery: SignatureRecovery,
): KeySignature | undefined {
  const key = keySignature(signature)
  if (key === undefined) return undefined
  const signer = recovery.recoverAddress(digest, key.v === 28 ? 1 : 0, key.r, key.s)
  return signer !== undefined && formatData(signer) === account ? key : undefined
}

/**
 * Returns whether a contract account accepts a signature over a digest (ERC-1271).
 * @throws if the chain cannot be reached
 */
export async function signedByContract(
  digest: Uint8Array,
  signature: Hex,
  account: Hex,
  chain: PaymentChain,
  gas: bigint,
): Promise<boolean> {
  // An account without code returns empty data, which is not a yes.
  const answer = await callResult(chain.call(account, isValidSignature(digest, signature), { gas }))
  return answer !== undefined && isMagic(answer)
}
