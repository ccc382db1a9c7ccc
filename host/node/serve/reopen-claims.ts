import { formatData, type Hex } from '../../base/hex.ts'
import type { Claims } from '../../payments/claim/claims.ts'
import type { ServedChain } from '../open/served-chain.ts'

const HASH_BYTES = 32

/**
 * Deletes the claims of transactions whose blocks are removed, so that the same transaction may pay again. Only a
 * development chain removes blocks. Returns a function that stops it.
 */
export function reopenClaims(
  { heads, storage, rules }: Pick<ServedChain, 'heads' | 'storage' | 'rules'>,
  claims: Pick<Claims, 'removed'>,
  onFailure: (error: unknown) => void,
): () => void {
  return heads.onRemoval((kept) => {
    const { chain } = storage
    const hashes: Hex[] = []
    for (let height = kept + 1; height <= chain.latest; height++) {
      const packed = chain.transactionHashes(height) ?? new Uint8Array(0)
      for (let at = 0; at < packed.length; at += HASH_BYTES) {
        hashes.push(formatData(packed.subarray(at, at + HASH_BYTES)))
      }
    }
    // Only after the removal: until then each of them is a served payment.
    return () => {
      claims.removed(rules.chainId, hashes).catch(onFailure)
    }
  })
}
