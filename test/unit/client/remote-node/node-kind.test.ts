import { expect, test } from 'vitest'
import type { NodeClient } from '../../../../host/client/remote-node/node-client.ts'
import { nodeKind } from '../../../../host/client/remote-node/node-kind.ts'

test.each([
  ['lockstep/v0.18.0/linux-x64/node24.0.0', 'lockstep'],
  // Of a development chain: tools look for other nodes' names in this text.
  ['anvil-compatible/lockstep/v0.18.0/linux-x64/node24.0.0', 'lockstep'],
  ['anvil/v1.7.1', 'anvil'],
  ['HardhatNetwork/3.0.0/edr', 'hardhat'],
  ['Geth/v1.17.10-stable/linux-amd64/go1.25', 'other'],
  [undefined, 'other'],
])('a node with the client version %s is of the kind %s', async (version, kind) => {
  const client = { askOptional: async () => version } as unknown as NodeClient
  expect(await nodeKind(client)).toBe(kind)
})
