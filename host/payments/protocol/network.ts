/** Names of x402 v1 by chain id, as its published packages know them (x402 1.2.0). */
const NETWORK_NAMES: ReadonlyMap<bigint, string> = new Map([
  [1328n, 'sei-testnet'],
  [1329n, 'sei'],
  [137n, 'polygon'],
  [2741n, 'abstract'],
  [3338n, 'peaq'],
  [1514n, 'story'],
  [4689n, 'iotex'],
  [8453n, 'base'],
  [11124n, 'abstract-testnet'],
  [41923n, 'educhain'],
  [43113n, 'avalanche-fuji'],
  [43114n, 'avalanche'],
  [80002n, 'polygon-amoy'],
  [84532n, 'base-sepolia'],
  [1482601649n, 'skale-base-sepolia'],
])

/** Network of a chain in x402 v2 (CAIP-2). */
export function caip2(chainId: bigint): string {
  return `eip155:${chainId}`
}

/**
 * Network of a chain in x402 v1 and in the contract's bodies: its published name, and for a chain without one that of
 * CAIP-2, since clients that know no other names refuse any name that is made up.
 */
export function networkName(chainId: bigint): string {
  return NETWORK_NAMES.get(chainId) ?? caip2(chainId)
}
