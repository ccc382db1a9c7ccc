import { beforeAll, describe, expect, test } from 'vitest'
import { parseData } from '../../../../host/base/hex.ts'
import { hashResults } from '../../../../host/consensus/comet/block-results.ts'
import { resultsHashOf } from '../../../../host/consensus/state-machine/results-hash.ts'
import type { BlockEngine } from '../../../../host/execute/block-engine.ts'
import type { ChainStore } from '../../../../host/store/chain/chain-store.ts'
import { MemoryChain } from '../../../support/chain/memory-chain.ts'
import { compileEngine, openEngine } from '../../../support/engine/engine-module.ts'
import { devAccount } from '../../../support/node/dev-wallet.ts'

/** The chain as 0.1.0 stored it: no header has the hash of its results. */
function asOf010(chain: ChainStore): Pick<ChainStore, 'header' | 'block' | 'receipts'> {
  return {
    header(height) {
      const header = chain.header(height)
      if (header === undefined) return undefined
      const { resultsHash: _, ...rest } = header
      return rest
    },
    block: (height) => chain.block(height),
    receipts: (height) => chain.receipts(height),
  }
}

describe('the hash of the results of a block', () => {
  let engine: BlockEngine
  let chain: MemoryChain

  const send = async (nonce: number, fields: object) =>
    parseData(
      await devAccount(0).signTransaction({
        type: 'eip1559',
        chainId: 31337,
        maxFeePerGas: 10n ** 10n,
        maxPriorityFeePerGas: 10n ** 9n,
        nonce,
        ...fields,
      }),
    )

  beforeAll(async () => {
    engine = await openEngine(await compileEngine())
    chain = await MemoryChain.open(engine)
    await chain.initialise()
    const to = devAccount(1).address
    await chain.produce(
      await send(0, { gas: 50_000n, to, value: 1n }),
      // An invalid opcode as the code of a creation: it fails, and uses all of its gas.
      await send(1, { gas: 100_000n, data: '0xfe' }),
      await send(2, { gas: 100_000n, data: '0x60006000a0' }),
    )
    await chain.produce()
  })

  test('is stored with the header, and follows from the receipts where it is not', () => {
    const stored = chain.storage.chain.header(1)?.resultsHash
    expect(chain.storage.chain.receipts(1)?.map(({ status }) => status)).toEqual([1, 0, 1])
    expect(stored).toHaveLength(32)
    expect(resultsHashOf(chain.storage.chain, 1)).toEqual(stored)
    expect(resultsHashOf(asOf010(chain.storage.chain), 1)).toEqual(stored)
  })

  test('of a block without transactions, and of block 0, is that of no results', () => {
    const none = hashResults([])
    expect(resultsHashOf(chain.storage.chain, 0)).toEqual(none)
    expect(resultsHashOf(asOf010(chain.storage.chain), 2)).toEqual(none)
    expect(chain.storage.chain.header(2)?.resultsHash).toEqual(none)
  })

  test('is no guess where the block is not stored', () => {
    expect(() => resultsHashOf(chain.storage.chain, 9)).toThrow(
      'the results of block 9 are not stored',
    )
  })
})
