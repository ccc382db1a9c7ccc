import { createPublicClient, erc20Abi, http } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Tab, withTab } from '../support/browser/browser.ts'
import { inBrowsers } from '../support/browser/in-browsers.ts'
import { type ProgramSite, serveProgram } from '../support/browser/program.ts'
import { makeHome, removeHome } from '../support/node/daemon.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { type GateNode, PRICE, startGateNode } from '../support/payments/gate-node.ts'
import type { PayingProgram } from './programs/paying.ts'

const PAYER = 4

interface Attempt {
  readonly rpc: string
  readonly url: string
  readonly prefer: 'authorization' | 'transfer'
  readonly payer: number
  /** True if the request with the payment proof must fail. */
  readonly isBroken: boolean
}

/** Runs in the page: pays, storing payments in localStorage. Returns the city of the response, or the error code. */
async function payInPage({ rpc, url, prefer, payer, isBroken }: Attempt): Promise<string> {
  const { payments, walletOf } = (globalThis as unknown as { program: PayingProgram }).program
  const breaking: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers)
    const isPaid = headers.has('x-payment') || headers.has('payment-signature')
    return isPaid && isBroken ? Promise.reject(new TypeError('no route')) : fetch(input, init)
  }
  const pay = payments.wrapFetchWithPayment(breaking, walletOf(rpc, payer), {
    prefer,
    payments: payments.storagePayments(localStorage),
    pollingInterval: 20,
  })
  try {
    return (await (await pay(url)).json()).city
  } catch (error) {
    if (error instanceof payments.PaymentError) return `${error.code} ${error.moneyMoved}`
    throw error
  }
}

const home = makeHome()
let node: GateNode
let site: ProgramSite
beforeAll(async () => {
  site = await serveProgram(new URL('programs/paying.ts', import.meta.url))
  node = await startGateNode(home, ['--consensus.block-time', '50ms'])
})
afterAll(async () => {
  await node?.daemon.stop()
  await site?.close()
  removeHome(home)
})

inBrowsers('a page that pays', (browser) => {
  function balance(): Promise<bigint> {
    return createPublicClient({ transport: http(node.rpc) }).readContract({
      address: node.token,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [devAccount(PAYER).address],
    })
  }

  /** Returns how much the payer spends during `work`, in a page whose origin is neither the gate's nor the node's. */
  async function spends(work: (tab: Tab) => Promise<void>): Promise<bigint> {
    const before = await balance()
    const hosts = [site.host, `127.0.0.1:${node.port}`, new URL(node.rpc).host]
    await withTab(browser(), { hosts }, async (tab) => {
      await tab.goto(site.url)
      await work(tab)
      // A browser logs each 402 to the console.
      expect(tab.troubles.splice(0).filter((one) => !one.includes('402'))).toEqual([])
    })
    return before - (await balance())
  }

  const attempt = (path: string, prefer: Attempt['prefer'], isBroken = false): Attempt => {
    const url = `http://127.0.0.1:${node.port}${path}`
    return { rpc: node.rpc, url, prefer, payer: PAYER, isBroken }
  }

  test.each([
    ['/weather', 'authorization'],
    ['/weather', 'transfer'],
    ['/x402/weather', 'authorization'],
  ] as const)('a page gets %s for one %s, at the listed price', async (path, prefer) => {
    const spent = await spends(async (tab) => {
      expect(await tab.evaluate(payInPage, attempt(path, prefer))).toBe('Lisbon')
    })
    expect(spent).toBe(PRICE)
  })

  test.each(['authorization', 'transfer'] as const)(
    'a page stores the %s of a request that failed and uses it after a reload',
    async (prefer) => {
      const moved = prefer === 'transfer' ? 'yes' : 'perhaps'
      const spent = await spends(async (tab) => {
        const broken = await tab.evaluate(payInPage, attempt('/weather', prefer, true))
        expect(broken).toBe(`NOT_DELIVERED ${moved}`)
        await tab.reload()
        expect(await tab.evaluate(() => localStorage.length)).toBe(1)
        expect(await tab.evaluate(payInPage, attempt('/weather', prefer))).toBe('Lisbon')
        expect(await tab.evaluate(() => localStorage.length)).toBe(0)
      })
      expect(spent).toBe(PRICE)
    },
  )
})
