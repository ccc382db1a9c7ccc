import type { NodeClient } from './node-client.ts'

/** What answers, as far as it matters how it is asked. */
export type NodeKind = 'lockstep' | 'anvil' | 'hardhat' | 'other'

/** By the client's version, which proxies hide. */
export async function nodeKind(client: NodeClient): Promise<NodeKind> {
  const version = String(await client.askOptional('web3_clientVersion'))
  if (/(^|\/)lockstep\b/i.test(version)) return 'lockstep'
  if (/^anvil\b/i.test(version)) return 'anvil'
  return /^(hardhat|edr)/i.test(version) ? 'hardhat' : 'other'
}
