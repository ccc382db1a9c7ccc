import { equalBytes } from '../../base/bytes.ts'
import type { Config } from '../../base/config/schema.ts'
import type { Genesis } from '../../evm/chain-types/genesis.ts'

/** Returns whether the configuration lists peers to dial. */
export function peersNamed({ persistentPeers, seeds, bootstrapPeers }: Config['p2p']): boolean {
  return [...persistentPeers, ...seeds, ...bootstrapPeers].length > 0
}

/**
 * Returns whether a key has more than two thirds of the genesis voting power, and thus needs no peers to make blocks.
 */
export function decidesAlone({ validators }: Genesis, key: Uint8Array | undefined): boolean {
  if (key === undefined) return false
  const power = (of: typeof validators) => of.reduce((sum, { power: each }) => sum + each, 0)
  const own = power(validators.filter(({ publicKey }) => equalBytes(publicKey, key)))
  return own * 3 > power(validators) * 2
}
