import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { wrapFetchWithPayment } from '../../../../host/payments/client/fetch.ts'
import { PaymentError } from '../../../../host/payments/client/payment-error.ts'
import type { PaymentOptions } from '../../../../host/payments/client/payment-options.ts'
import { memoryPayments } from '../../../../host/payments/client/payment-store.ts'
import { answerJson } from '../../../support/fake-server.ts'
import { DEV_TOKEN_ADDRESS, ScriptedChain, scriptedWallet } from './scripted-chain.ts'
import { openSeller, requiredOffers, type ScriptedSeller } from './scripted-seller.ts'

const EURO = `0x${'0e'.repeat(20)}`
const FAR_CHAIN = 7777
const LIMITS = { maxAmount: { [DEV_TOKEN_ADDRESS]: 5_000n, [EURO]: 50n } }

const DOLLARS = {}
const EUROS = { asset: EURO, amount: '9', extra: { name: 'EURC', version: '3' } }
const FAR_EUROS = { ...EUROS, network: `eip155:${FAR_CHAIN}` }

let seller: ScriptedSeller
let chain: ScriptedChain
let far: ScriptedChain
beforeEach(async () => {
  seller = await openSeller()
  chain = new ScriptedChain()
  far = new ScriptedChain()
  far.chainId = FAR_CHAIN
})
afterEach(() => seller.close())

function sells(offers: readonly object[], extensions?: object): void {
  seller.answers = ({ response, proof }) => {
    if (proof !== undefined) return answerJson(response, 200, { paid: true })
    response.setHeader('payment-required', requiredOffers(`${seller.url}/a`, offers, extensions))
    return answerJson(response, 402, {})
  }
}

async function pays(options: PaymentOptions = LIMITS, chains: readonly ScriptedChain[] = [chain]) {
  const wallets = chains.map((one) => scriptedWallet(one))
  const pay = wrapFetchWithPayment(fetch, wallets, options)
  expect(await (await pay(`${seller.url}/a`)).json()).toEqual({ paid: true })
  return seller.shown[0]?.json.accepted
}

async function refusedWith(work: Promise<unknown>): Promise<PaymentError> {
  const error = await work.catch((thrown: unknown) => thrown)
  if (!(error instanceof PaymentError)) throw error
  expect(error.moneyMoved).toBe('no')
  expect(seller.shown).toEqual([])
  return error
}

describe('of several offers', () => {
  test("the seller's first is paid if the balance covers it", async () => {
    sells([EUROS, DOLLARS])
    chain.balances.set(EURO, 9n).set(DEV_TOKEN_ADDRESS, 1_000n)
    expect(await pays()).toMatchObject({ asset: EURO, amount: '9' })
  })

  test('the next is paid if the balance of the first is one unit short', async () => {
    sells([EUROS, DOLLARS])
    chain.balances.set(EURO, 8n).set(DEV_TOKEN_ADDRESS, 1_000n)
    expect(await pays()).toMatchObject({ asset: DEV_TOKEN_ADDRESS, amount: '1000' })
  })

  test('one over a limit is not paid, whatever the balance', async () => {
    sells([{ ...EUROS, amount: '51' }, DOLLARS])
    chain.balances.set(EURO, 1_000_000n)
    // The only acceptable offer is paid without a look at its balance
    expect(await pays()).toMatchObject({ asset: DEV_TOKEN_ADDRESS })
    expect(chain.calls).not.toContain('eth_call')
  })

  test('none is paid if no balance covers one: the error names the balances', async () => {
    sells([EUROS, DOLLARS])
    chain.balances.set(EURO, 8n).set(DEV_TOKEN_ADDRESS, 999n)
    const { code, message, hint } = await refusedWith(pays())
    expect([code, message, hint]).toEqual([
      'WALLET_FAILED',
      `no offer is covered by a balance: the wallet holds 8 of ${EURO} on eip155:31337, 999 of ${DEV_TOKEN_ADDRESS} on eip155:31337`,
      'fund the wallet with the price of one of the offers',
    ])
  })

  test('one whose balance cannot be read is passed over', async () => {
    sells([EUROS, DOLLARS])
    chain.balances.set(DEV_TOKEN_ADDRESS, 1_000n)
    chain.before = (method, [call]) => {
      const { to } = (call ?? {}) as { to?: string }
      if (method === 'eth_call' && to === EURO) throw new Error('no such token')
    }
    expect(await pays()).toMatchObject({ asset: DEV_TOKEN_ADDRESS })
  })

  test('one of another scheme or transfer method is not paid as an authorization', async () => {
    const permit2 = { ...EUROS.extra, assetTransferMethod: 'permit2' }
    sells([{ ...EUROS, extra: permit2 }, { ...EUROS, scheme: 'upto' }, DOLLARS])
    expect(await pays()).toMatchObject({ asset: DEV_TOKEN_ADDRESS })
  })
})

describe('with wallets on several chains', () => {
  test('the wallet on the network of the first covered offer pays', async () => {
    sells([FAR_EUROS, DOLLARS])
    far.balances.set(EURO, 9n)
    chain.balances.set(DEV_TOKEN_ADDRESS, 1_000n)
    expect(await pays(LIMITS, [chain, far])).toMatchObject({ network: 'eip155:7777' })
  })

  test('the other wallet pays if the first offer is not covered', async () => {
    sells([FAR_EUROS, DOLLARS])
    chain.balances.set(DEV_TOKEN_ADDRESS, 1_000n)
    expect(await pays(LIMITS, [far, chain])).toMatchObject({ network: 'eip155:31337' })
  })

  test('an offer on another network is refused with the networks of the wallets', async () => {
    sells([{ ...EUROS, network: 'eip155:5' }])
    const { code, message } = await refusedWith(pays(LIMITS, [chain, far]))
    expect([code, message]).toEqual([
      'LIMIT_EXCEEDED',
      'the network is "eip155:5", the wallets are on eip155:31337, eip155:7777',
    ])
  })

  test('a payment that was not delivered is shown again by the wallet that made it', async () => {
    sells([FAR_EUROS])
    const payments = memoryPayments()
    const answers = seller.answers
    seller.answers = (asked) => {
      if (asked.proof === undefined) return answers(asked)
      asked.response.destroy()
    }
    await expect(pays({ ...LIMITS, payments }, [chain, far])).rejects.toThrow(/broke/)
    seller.answers = answers
    const pay = wrapFetchWithPayment(
      fetch,
      [chain, far].map((one) => scriptedWallet(one)),
      {
        ...LIMITS,
        payments,
      },
    )
    expect((await pay(`${seller.url}/a`)).status).toBe(200)
    const [first, again] = seller.shown.map(({ json }) => json.payload)
    expect(again).toEqual(first)
  })

  test('an empty list of wallets is refused', () => {
    expect(() => wrapFetchWithPayment(fetch, [])).toThrow('wallets is empty')
  })
})

describe('the extensions of a challenge', () => {
  const bazaar = { info: { input: { type: 'http', method: 'GET' } }, schema: { type: 'object' } }

  test('are repeated by the proof', async () => {
    sells([DOLLARS], { bazaar })
    await pays()
    expect(seller.shown[0]?.json.extensions).toEqual({ bazaar })
  })

  test('are left out if they do not fit into a header', async () => {
    sells([DOLLARS], { bazaar: { ...bazaar, info: { text: 'x'.repeat(6_000) } } })
    await pays()
    expect(seller.shown[0]?.json).not.toHaveProperty('extensions')
  })
})
