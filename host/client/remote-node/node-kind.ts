import type { NodeClient } from './node-client.ts'

/** Kind of node, as far as it affects requests. */
export type NodeKind = 'lockstep' | 'anvil' | 'hardhat' | 'other'

/** Returns the kind by the client's version, which proxies hide. */
export async function nodeKind(client: NodeClient): Promise<NodeKind> {
  const version = String(await client.askOptional('web3_clientVersion'))
  if (/(^|\/)lockstep\b/i.test(version)) return 'lockstep'
  if (/^anvil\b/i.test(version)) return 'anvil'
  return /^(hardhat|edr)/i.test(version) ? 'hardhat' : 'other'
}
