import { encodeFunctionData } from 'viem'
import { expect, test } from 'vitest'
import { type Hex, parseData } from '../../../../host/base/hex.ts'
import { nobleRecovery } from '../../../../host/evm/chain-types/noble-recovery.ts'
import { DEV_TOKENS, paymentTokenOf } from '../../../../host/evm/chain-types/payment-token.ts'
import type { BlockEngine } from '../../../../host/evm/execute/block-engine.ts'
import { EnginePool } from '../../../../host/evm/execute/engine-pool.ts'
import { lockstepRules } from '../../../../host/evm/execute/lockstep/lockstep-rules.ts'
import type { ServedChain } from '../../../../host/node/open/served-chain.ts'
import { OwnPaymentChain } from '../../../../host/node/serve/own-payment-chain.ts'
import { addressTopic } from '../../../../host/payments/chain/token-log.ts'
import { MemoryChain } from '../../../support/chain/memory-chain.ts'
import { compileEngine, openEngine } from '../../../support/engine/engine-module.ts'
import { devAccount, signDynamicFee } from '../../../support/node/dev-wallet.ts'
import { TOKEN_ABI } from '../../../support/payments/token-abi.ts'

const TOKEN = paymentTokenOf(31337n)
const TRANSFER: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

test('a log search reads only receipts of blocks whose bloom matches, and yields between them', async () => {
  const chain = await MemoryChain.open(await openEngine(await compileEngine()))
  await chain.initialise()
  const payTo = devAccount(9).address.toLowerCase() as Hex
  // One block per transfer, by accounts 1 to 5. The search is for one of them.
  for (let payer = 1; payer <= 5; payer++) {
    const raw = await signDynamicFee(payer, {
      nonce: 0,
      gas: 100_000n,
      to: TOKEN,
      data: encodeFunctionData({
        abi: TOKEN_ABI,
        functionName: 'transfer',
        args: [payTo, DEV_TOKENS],
      }),
    })
    await chain.decide([parseData(raw)])
  }
  const read: number[] = []
  const { storage } = chain
  const store = storage.chain
  const matchingLogs = store.matchingLogs.bind(store)
  store.matchingLogs = (filter, height, mayMatch) => {
    const header = store.header(height)
    if (header === undefined || !mayMatch(header.logsBloom)) return []
    read.push(height)
    return matchingLogs(filter, height, mayMatch)
  }
  const served = {
    storage,
    rules: lockstepRules(chain.genesis.params, storage.state),
    keccak256: nobleRecovery.keccak256,
    engines: new EnginePool<BlockEngine>(() => Promise.reject(new Error('no call is made')), 1, 0),
  } as unknown as ServedChain
  let turns = 0
  const own = new OwnPaymentChain({
    chain: served,
    minGasPrice: 0n,
    onSubmit: () => {},
    turn: async () => {
      turns++
    },
  })
  const payer = devAccount(3).address.toLowerCase() as Hex
  const found = await own.logs({
    address: TOKEN,
    topics: [TRANSFER, addressTopic(payer)],
    fromHeight: 0n,
  })
  expect(found).toMatchObject([
    { address: TOKEN, height: 3n, topics: [TRANSFER, addressTopic(payer), addressTopic(payTo)] },
  ])
  expect(read).toEqual([3])
  expect(turns).toBeGreaterThanOrEqual(5)
})
