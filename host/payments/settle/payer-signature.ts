import { formatData, type Hex } from '../../base/hex.ts'
import type { SignatureRecovery } from '../../evm/chain-types/signature-recovery.ts'
import { answerOf } from '../chain/call-answer.ts'
import type { PaymentChain } from '../chain/payment-chain.ts'
import { isMagic, isValidSignature, type KeySignature, keySignature } from './authorization.ts'

/** The parts of a signature that the key of an account made over a digest; undefined where it did not. */
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
 * Whether an account that is a contract takes a signature over a digest for its own (ERC-1271).
 * @throws where the chain cannot be asked
 */
export async function signedByContract(
  digest: Uint8Array,
  signature: Hex,
  account: Hex,
  chain: PaymentChain,
  gas: bigint,
): Promise<boolean> {
  // An account without code returns nothing, which is no yes.
  const answer = await answerOf(chain.call(account, isValidSignature(digest, signature), { gas }))
  return answer !== undefined && isMagic(answer)
}
