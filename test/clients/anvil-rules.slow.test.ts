import { existsSync } from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import { devAccount } from '../support/node/dev-wallet.ts'
import { ANVIL } from '../support/peer/anvil.ts'
import { type AnvilPair, resultOrError, startAnvilPair } from '../support/peer/anvil-pair.ts'

// `lockstep anvil` beside anvil with the same flags: what clients observe is the same.

const [OWNER, FRIEND] = [0, 1].map((index) => devAccount(index).address.toLowerCase())

let pair: AnvilPair | undefined
afterEach(async () => {
  await pair?.stop()
  pair = undefined
})

interface ShownBlock {
  readonly number: string
  readonly timestamp: string
  readonly gasLimit: string
  readonly baseFeePerGas: string
  readonly transactions: readonly { readonly value: string; readonly from: string }[]
}

const quantity = (value: bigint) => `0x${value.toString(16)}`

describe.skipIf(!existsSync(ANVIL))('beside anvil', () => {
  test.each([[[]], [['--slots-in-an-epoch', '3']]])(
    'safe and finalized are the same blocks with %j',
    async (flags) => {
      pair = await startAnvilPair(flags)
      const [theirs, ours] = await pair.observe(async (rpc) => {
        const seen: unknown[] = []
        for (const blocks of [0, 2, 5, 40]) {
          await rpc('anvil_mine', blocks)
          for (const tag of ['latest', 'safe', 'finalized']) {
            seen.push((await rpc<ShownBlock>('eth_getBlockByNumber', tag, false)).number)
          }
        }
        return seen
      })
      expect(ours).toEqual(theirs)
    },
    60_000,
  )

  test('the same replacements and leading zeros are accepted', async () => {
    pair = await startAnvilPair(['--no-mining'])
    const cap = 20_000_000_000n
    const [theirs, ours] = await pair.observe(async (rpc) => {
      const seen: unknown[] = []
      const attempts: [string, bigint, bigint][] = [
        ['0x01', cap, 9n],
        ['0x2', cap, 9n],
        ['0x3', cap, 10n],
        ['0x4', cap + 1n, 9n],
        ['0x5', cap + 2n, 1n],
      ]
      for (const [value, maxFee, tip] of attempts) {
        const fees = { maxFeePerGas: quantity(maxFee), maxPriorityFeePerGas: quantity(tip) }
        const asked = { from: OWNER, to: FRIEND, nonce: '0x00', gas: '0x05208', value, ...fees }
        const sent = await resultOrError(rpc('eth_sendTransaction', asked))
        seen.push(sent === 'error' ? sent : 'sent')
      }
      await rpc('evm_mine')
      const { transactions } = await rpc<ShownBlock>('eth_getBlockByNumber', '0x01', true)
      return [seen, transactions.map(({ value }) => value)]
    })
    expect(ours).toEqual(theirs)
  }, 60_000)
})
