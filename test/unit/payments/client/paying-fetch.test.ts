import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { wrapFetchWithPayment } from '../../../../host/payments/client/fetch.ts'
import { devAccount } from '../../../support/node/dev-wallet.ts'
import { ScriptedChain, scriptedWallet } from '../../../support/payments/scripted-chain.ts'
import {
  openSeller,
  PAY_TO,
  type ScriptedSeller,
} from '../../../support/payments/scripted-seller.ts'

let seller: ScriptedSeller
let chain: ScriptedChain
beforeEach(async () => {
  seller = await openSeller()
  chain = new ScriptedChain()
})
afterEach(() => seller.close())

describe('a seller in the contract’s style', () => {
  test.each(['local', 'json-rpc'] as const)(
    'is paid by one transfer, and shown its hash, by an account that is %s',
    async (kind) => {
      const pay = wrapFetchWithPayment(fetch, scriptedWallet(chain, kind))
      const response = await pay(`${seller.url}/weather`)
      expect(response.status).toBe(200)
      expect(await response.json()).toEqual({ paid: true })
      expect(chain.transfers).toMatchObject([{ amount: 1000n }])
      expect(chain.transfers[0]?.to.toLowerCase()).toBe(PAY_TO)
      expect(seller.shown.map(({ header, json }) => [header, json])).toEqual([
        [
          'x-payment',
          {
            x402Version: 1,
            scheme: 'exact',
            network: 'eip155:31337',
            payload: {
              txHash: chain.transfers[0]?.hash,
              amount: '1000',
              from: devAccount(0).address,
            },
          },
        ],
      ])
    },
  )
})
