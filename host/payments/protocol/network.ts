/** Network names of x402 v1 by chain id, from its published packages (x402 1.2.0 and @x402/evm 2.27.0). */
const NETWORK_NAMES: ReadonlyMap<bigint, string> = new Map([
  [1n, 'ethereum'],
  [14n, 'flare'],
  [137n, 'polygon'],
  [143n, 'monad'],
  [988n, 'stable'],
  [1328n, 'sei-testnet'],
  [1329n, 'sei'],
  [1514n, 'story'],
  [2201n, 'stable-testnet'],
  [2741n, 'abstract'],
  [3338n, 'peaq'],
  [4326n, 'megaeth'],
  [4689n, 'iotex'],
  [8453n, 'base'],
  [11_124n, 'abstract-testnet'],
  [41_923n, 'educhain'],
  [42_220n, 'celo'],
  [43_113n, 'avalanche-fuji'],
  [43_114n, 'avalanche'],
  [80_002n, 'polygon-amoy'],
  [84_532n, 'base-sepolia'],
  [11_155_111n, 'sepolia'],
  [324_705_682n, 'skale-base-sepolia'],
])

/** Returns whether clients know another chain by this name; they would pay there. */
export function isNameOfOther(name: string, chainId: bigint): boolean {
  if (name.startsWith('eip155:')) return name !== caip2(chainId)
  return [...NETWORK_NAMES].some(([id, known]) => known === name && id !== chainId)
}

/** Returns the x402 v2 network of a chain (CAIP-2). */
export function caip2(chainId: bigint): string {
  return `eip155:${chainId}`
}

/**
 * Returns the network name of a chain in x402 v1 and in contract bodies: its published name, else CAIP-2, since
 * clients refuse names they do not know.
 */
export function networkName(chainId: bigint): string {
  return NETWORK_NAMES.get(chainId) ?? caip2(chainId)
}
