import { formatData, type Hex } from '../../base/hex.ts'
import type { Claims } from '../../payments/claim/claims.ts'
import type { ServedChain } from '../open/served-chain.ts'

const HASH_BYTES = 32

/**
 * Opens what was paid for by transactions whose blocks a developer removes: they have paid nothing any more, and the
 * same transaction may pay again. Only a development chain removes blocks. Returns how to stop.
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
    // Not before they are gone: until then each of them is a payment that was served.
    return () => {
      claims.removed(rules.chainId, hashes).catch(onFailure)
    }
  })
}
