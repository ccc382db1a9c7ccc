import { type Chain, defineChain } from 'viem'

/** A node as viem's clients know it. */
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
