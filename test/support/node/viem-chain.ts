import { type Chain, defineChain } from 'viem'

/** Returns a node's chain definition for viem. */
export function viemChain({
  rpc,
  chainId,
  ws,
}: {
  readonly rpc: string
  readonly chainId: number
  readonly ws?: string
}): Chain {
  return defineChain({
    id: chainId,
    name: 'development',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [rpc], ...(ws !== undefined && { webSocket: [ws] }) } },
  })
}
