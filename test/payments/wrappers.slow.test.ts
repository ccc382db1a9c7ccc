import { createWalletClient, custom, erc20Abi, type Hex, http, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { hardhat } from 'viem/chains'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withPaymentInterceptor } from '../../host/entry/payments-axios.ts'
import {
  memoryPayments,
  type Payment,
  PaymentError,
  type PaymentOptions,
  wrapFetchWithPayment,
} from '../../host/entry/payments-fetch.ts'
import { makeHome, removeHome } from '../support/node/daemon.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { type GateNode, PAY_TO, PRICE, startGateNode } from '../support/payments/gate-node.ts'
import { injectedProvider } from '../support/payments/injected-provider.ts'
import { absentPeers, peer } from '../support/payments/peers.ts'

const WITHOUT_AXIOS = absentPeers('axios')
const account = devAccount(2)

/** Returns a wallet for the gate with a local key, or one like that of a browser extension. */
function wallet(node: GateNode, kind: 'local' | 'json-rpc' = 'local') {
  const isLocal = kind === 'local'
  return createWalletClient({
    account: isLocal ? account : account.address,
    chain: hardhat,
    transport: isLocal ? http(node.rpc) : custom(injectedProvider(node.rpc, account)),
  })
}

function balance(node: GateNode, address: Hex): Promise<bigint> {
  const read = { address: node.token, abi: erc20Abi, functionName: 'balanceOf' } as const
  return wallet(node)
    .extend(publicActions)
    .readContract({ ...read, args: [address] })
}

describe('the gate of a dev node with paying clients', () => {
  const home = makeHome()
  let node: GateNode
  beforeAll(async () => {
    node = await startGateNode(home, ['--consensus.block-time', '50ms'])
  })
  afterAll(async () => {
    await node?.daemon.stop()
    removeHome(home)
  })

  const url = (path: string) => `http://127.0.0.1:${node.port}${path}`
  const paying = (options: PaymentOptions = {}, kind: 'local' | 'json-rpc' = 'local') =>
    wrapFetchWithPayment(fetch, wallet(node, kind), { pollingInterval: 20, ...options })

  /** Returns how much the payer spends and the seller receives during `work`. */
  async function moves(work: () => Promise<unknown>): Promise<readonly bigint[]> {
    const read = () => Promise.all([balance(node, account.address), balance(node, PAY_TO)])
    const before = await read()
    await work()
    const after = await read()
    return [before[0] - after[0], after[1] - before[1]]
  }

  const WAYS = [
    ['/weather', 'authorization', 'local'],
    ['/weather', 'transfer', 'local'],
    ['/weather', 'transfer', 'json-rpc'],
    ['/x402/weather', 'authorization', 'local'],
    ['/x402/weather', 'transfer', 'local'],
  ] as const

  test.each(WAYS)(
    'sells %s to fetch for one %s of an account that is %s',
    async (path, prefer, kind) => {
      const told: Payment[] = []
      const pay = paying({ prefer, onPaid: (payment) => told.push(payment) }, kind)
      const moved = await moves(async () => {
        const response = await pay(url(path))
        expect(response.status).toBe(200)
        expect(await response.json()).toMatchObject({ city: 'Lisbon' })
      })
      expect(moved).toEqual([PRICE, PRICE])
      expect(told).toMatchObject([{ state: prefer === 'transfer' ? 'confirmed' : 'authorized' }])
    },
  )

  test.skipIf(WITHOUT_AXIOS !== '').each(WAYS)(
    `sells %s to axios for one %s of an account that is %s${WITHOUT_AXIOS}`,
    async (path, prefer, kind) => {
      const axios = peer('axios').create({ baseURL: url('') })
      withPaymentInterceptor(axios, wallet(node, kind), { prefer, pollingInterval: 20 })
      const moved = await moves(async () => {
        const { status, data } = await axios.get(path)
        expect([status, data.city]).toEqual([200, 'Lisbon'])
      })
      expect(moved).toEqual([PRICE, PRICE])
    },
  )

  test.each(['authorization', 'transfer'] as const)(
    'gets a separate %s for each of twenty concurrent requests',
    async (prefer) => {
      const pay = paying({ prefer })
      const moved = await moves(async () => {
        const responses = await Promise.all(Array.from({ length: 20 }, () => pay(url('/weather'))))
        expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
      })
      expect(moved).toEqual([20n * PRICE, 20n * PRICE])
    },
  )

  test.each(['authorization', 'transfer'] as const)(
    'accepts a proof by %s with the next request if the first one was lost',
    async (prefer) => {
      const payments = memoryPayments()
      let isBroken = true
      const breaking: typeof fetch = (input, init) => {
        const isPaid = ['x-payment', 'payment-signature'].some((name) =>
          new Headers(init?.headers).has(name),
        )
        return isPaid && isBroken ? Promise.reject(new TypeError('no route')) : fetch(input, init)
      }
      const pay = wrapFetchWithPayment(breaking, wallet(node), {
        prefer,
        payments,
        pollingInterval: 20,
      })
      const moved = await moves(async () => {
        const error = await pay(url('/weather')).catch((thrown: unknown) => thrown)
        expect(error).toMatchObject({ code: 'NOT_DELIVERED' })
        isBroken = false
        expect((await pay(url('/weather'))).status).toBe(200)
      })
      expect(moved).toEqual([PRICE, PRICE])
    },
  )

  test('refuses a payment that was already served, which is an error of the client, and the next request pays again', async () => {
    let loses = true
    const losing: typeof fetch = async (input, init) => {
      const response = await fetch(input, init)
      if (response.status !== 200 || !loses) return response
      await response.text()
      throw new TypeError('connection lost')
    }
    const pay = wrapFetchWithPayment(losing, wallet(node), {
      prefer: 'transfer',
      pollingInterval: 20,
    })
    const codes: unknown[] = []
    const moved = await moves(async () => {
      for (let attempt = 0; attempt < 3; attempt++) {
        await pay(url('/weather')).then(
          ({ status }) => codes.push(status),
          (error: PaymentError) => codes.push([error.code, error.status]),
        )
        loses = false
      }
    })
    expect(codes).toEqual([['NOT_DELIVERED', undefined], ['PAYMENT_REFUSED', 402], 200])
    expect(moved).toEqual([2n * PRICE, 2n * PRICE])
  })

  test('leads to an error with the status for a path that is not sold', async () => {
    const error = (await paying()(url('/nowhere')).catch(
      (thrown: unknown) => thrown,
    )) as PaymentError
    expect(error).toMatchObject({ code: 'UNEXPECTED_STATUS', status: 404, moneyMoved: 'no' })
  })

  test('refuses a payer without tokens, whose signed payment may still move money', async () => {
    const poor = createWalletClient({
      account: privateKeyToAccount(`0x${'07'.repeat(32)}`),
      chain: hardhat,
      transport: http(node.rpc, { retryCount: 0 }),
    })
    const error = await wrapFetchWithPayment(fetch, poor)(url('/weather')).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(PaymentError)
    expect(error).toMatchObject({ code: 'PAYMENT_REFUSED', status: 402, moneyMoved: 'perhaps' })
    expect(error.message).toContain('"insufficient_funds"')
    const transfer = wrapFetchWithPayment(fetch, poor, { prefer: 'transfer' })
    expect(await transfer(url('/weather')).catch((thrown) => thrown)).toMatchObject({
      code: 'WALLET_FAILED',
      moneyMoved: 'no',
    })
  })
})

describe.each(['reference', 'signed', 'eip3009'] as const)('a gate that binds by %s', (binding) => {
  const home = makeHome()
  let node: GateNode
  beforeAll(async () => {
    node = await startGateNode(home, [
      '--consensus.block-time',
      '50ms',
      '--payments.binding',
      binding,
    ])
  })
  afterAll(async () => {
    await node?.daemon.stop()
    removeHome(home)
  })

  test.each(['/weather?at=sea', '/x402/weather'])(
    'is paid for %s by transfer and by authorization',
    async (path) => {
      for (const prefer of ['transfer', 'authorization'] as const) {
        const paid: Payment[] = []
        const pay = wrapFetchWithPayment(fetch, wallet(node), {
          prefer,
          pollingInterval: 20,
          onPaid: (payment) => paid.push(payment),
        })
        expect((await pay(`http://127.0.0.1:${node.port}${path}`)).status).toBe(200)
        const isTransfer = prefer === 'transfer' && binding !== 'eip3009'
        expect(paid).toMatchObject([{ state: isTransfer ? 'confirmed' : 'authorized' }])
      }
    },
  )
})
