import { expect, test } from 'vitest'
import { decodeEthereumGenesis } from '../../../../../host/evm/execute/ethereum/genesis.ts'
import { openHasher } from '../../../../../host/node/commit-hasher.ts'
import { openImport } from '../../../../../host/node/open/open-imported.ts'
import { MINTED_GENESIS, mintChain } from '../../../../support/chain/mint-chain.ts'
import { openAt, temporaryDir } from '../../../storage/store/temporary-storage.ts'

test('a chain file is imported again if its first blocks were pruned', async () => {
  const { blocks } = mintChain(await openHasher(), 300)
  const genesis = decodeEthereumGenesis(MINTED_GENESIS)
  const dir = temporaryDir()
  const options = { keepRecent: 1, retainBlocks: 1, flushInterval: 50 }
  let storage = await openAt(dir, options)
  let chain = await openImport(storage, genesis)
  for (const raw of blocks.slice(0, -1)) expect(await chain.add(raw)).toBe('imported')
  await storage.close()
  storage = await openAt(dir, options)
  expect(storage.chain.earliest).toBeGreaterThan(1)
  chain = await openImport(storage, genesis)
  const results: string[] = []
  for (const raw of blocks) results.push(await chain.add(raw))
  expect(results).toEqual([...new Array<string>(299).fill('known'), 'imported'])
  await storage.close()
})
