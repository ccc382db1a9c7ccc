import { setTimeout as delay } from 'node:timers/promises'
import { createWalletClient, erc20Abi, type Hex, http, publicActions } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { withPaymentInterceptor } from '../../../host/entry/payments-axios.ts'
import { wrapFetchWithPayment } from '../../../host/entry/payments-fetch.ts'
import { devAccount } from '../node/dev-wallet.ts'
import { viemChain } from '../node/viem-chain.ts'
import { absentPeers, peer } from './peers.ts'

/** The chain on which a client pays. */
export interface PayerChain {
  readonly rpc: string
  readonly chainId: number
  readonly asset: Hex
}

export interface Paid {
  readonly status: number
  readonly body: unknown
  /** Header with x402's receipt. */
  readonly receipt: string | null
}

/** Requests a URL and pays for it. */
export type PayingClient = (
  url: string,
  chain: PayerChain,
  account: PrivateKeyAccount,
) => Promise<Paid>

export interface ClientRow {
  readonly name: string
  readonly packages: readonly string[]
  /** True if something else that it needs is not installed, which the name says. */
  readonly isAbsent?: boolean
  /** `contract` proves a transfer, x402 `v1` and `v2` prove an authorization. */
  readonly protocol: 'contract' | 'v1' | 'v2'
  readonly get: PayingClient
}

const PRICE_LIMIT = 100_000n

/** Returns a dev account with its private key, as the published clients need it. */
export function payerAccount(index: number): PrivateKeyAccount {
  const key = devAccount(index).getHdKey().privateKey as Uint8Array
  return privateKeyToAccount(`0x${Buffer.from(key).toString('hex')}`)
}

function walletOf(chain: PayerChain, account: PrivateKeyAccount) {
  const options = { account, chain: viemChain(chain), transport: http(chain.rpc) }
  return createWalletClient({ ...options, pollingInterval: 20 }).extend(publicActions)
}

function receiptOf(header: (name: string) => string | null | undefined): string | null {
  return header('payment-response') ?? header('x-payment-response') ?? null
}

async function paidBy(response: Response): Promise<Paid> {
  return {
    status: response.status,
    body: await response.json(),
    receipt: receiptOf((name) => response.headers.get(name)),
  }
}

interface AxiosAnswer {
  readonly status: number
  readonly data: unknown
  readonly headers: Readonly<Record<string, string>>
}

function paidByAxios({ status, data, headers }: AxiosAnswer): Paid {
  return { status, body: data, receipt: receiptOf((name) => headers[name]) }
}

/** Follows the contract's demo step by step, but waits for at most the three seconds that the demo always waits. */
const payAsDemo: PayingClient = async (url, chain, account) => {
  const first = await fetch(url)
  if (first.status !== 402) throw new Error(`402 expected, not ${first.status}`)
  const { accepts } = (await first.json()) as {
    readonly accepts: readonly [
      {
        readonly scheme: string
        readonly network: string
        readonly maxAmountRequired: string
        readonly payTo: Hex
        readonly asset: Hex
      },
    ]
  }
  const [{ scheme, network, maxAmountRequired, payTo, asset }] = accepts
  const wallet = walletOf(chain, account)
  const txHash = await wallet.writeContract({
    address: asset,
    abi: erc20Abi,
    functionName: 'transfer',
    args: [payTo, BigInt(maxAmountRequired)],
  })
  const payload = { txHash, amount: maxAmountRequired, from: account.address }
  const proof = JSON.stringify({ x402Version: 1, scheme, network, payload })
  await delay(20)
  return paidBy(await fetch(url, { headers: { 'X-Payment': btoa(proof) } }))
}

/** Returns a client of x402 v2. Without spending controls it only pays in the default asset of a network. */
function secondClient({ chainId, asset }: PayerChain, account: PrivateKeyAccount) {
  const { x402Client } = peer('@x402/fetch')
  const { ExactEvmScheme } = peer('@x402/evm/exact/client')
  const network = `eip155:${chainId}`
  const isDefault = chainId === 1329 || chainId === 1328
  return x402Client.fromConfig({
    schemes: [{ network: 'eip155:*', client: new ExactEvmScheme(account) }],
    ...(!isDefault && { spendControls: { allowedAssets: [{ network, asset }] } }),
  })
}

const payByFirstFetch: PayingClient = async (url, chain, account) => {
  const pay = peer('x402-fetch').wrapFetchWithPayment(fetch, walletOf(chain, account))
  return paidBy(await pay(url))
}

const payByFirstAxios: PayingClient = async (url, chain, account) => {
  const instance = peer('axios').default.create()
  const paying = peer('x402-axios').withPaymentInterceptor(instance, walletOf(chain, account))
  return paidByAxios(await paying.get(url))
}

const payBySecondFetch: PayingClient = async (url, chain, account) => {
  const pay = peer('@x402/fetch').wrapFetchWithPayment(fetch, secondClient(chain, account))
  return paidBy(await pay(url))
}

/** Pays by the v1 body if the seller sends no v2 header. */
const payBySecondFetchInV1: PayingClient = async (url, { chainId }, account) => {
  const { wrapFetchWithPayment: wrap, x402Client } = peer('@x402/fetch')
  const client = new x402Client()
  peer('@x402/evm/exact/client').registerExactEvmScheme(client, { signer: account })
  if (chainId !== 1329 && chainId !== 1328) throw new Error('v1 has no name for this network')
  const withoutHeader: typeof fetch = async (input, init) => {
    const { status, headers, body } = await fetch(input, init)
    const kept = new Headers(headers)
    kept.delete('payment-required')
    return new Response(body, { status, headers: kept })
  }
  return paidBy(await wrap(withoutHeader, client)(url))
}

const payBySecondAxios: PayingClient = async (url, _, account) => {
  const { wrapAxiosWithPayment: wrap, x402Client } = peer('@x402/axios')
  const { ExactEvmScheme } = peer('@x402/evm/exact/client')
  const client = new x402Client().register('eip155:*', new ExactEvmScheme(account))
  return paidByAxios(await wrap(peer('axios').default.create(), client).get(url))
}

const payByOurFetch =
  (prefer: 'transfer' | undefined): PayingClient =>
  async (url, chain, account) => {
    const options = {
      maxAmount: { [chain.asset]: PRICE_LIMIT },
      ...(prefer !== undefined && { prefer }),
    }
    return paidBy(await wrapFetchWithPayment(fetch, walletOf(chain, account), options)(url))
  }

const payByOurAxios: PayingClient = async (url, chain, account) => {
  const instance = peer('axios').default.create()
  const options = { maxAmount: { [chain.asset]: PRICE_LIMIT } }
  const paying = withPaymentInterceptor(instance, walletOf(chain, account), options)
  return paidByAxios(await paying.get(url))
}

/** Clients of other projects, as published. */
export const PUBLISHED_CLIENTS: readonly ClientRow[] = [
  { name: 'the demo of the contract', packages: [], protocol: 'contract', get: payAsDemo },
  { name: 'x402-fetch 1.2', packages: ['x402-fetch'], protocol: 'v1', get: payByFirstFetch },
  {
    name: 'x402-axios 0.7',
    packages: ['x402-axios', 'axios'],
    protocol: 'v1',
    get: payByFirstAxios,
  },
  {
    name: '@x402/fetch 2.27 by v1',
    packages: ['@x402/fetch', '@x402/evm'],
    protocol: 'v1',
    get: payBySecondFetchInV1,
  },
  {
    name: '@x402/fetch 2.27',
    packages: ['@x402/fetch', '@x402/evm'],
    protocol: 'v2',
    get: payBySecondFetch,
  },
  {
    name: '@x402/axios 2.11',
    packages: ['@x402/axios', '@x402/evm', 'axios'],
    protocol: 'v2',
    get: payBySecondAxios,
  },
]

export const OUR_CLIENTS: readonly ClientRow[] = [
  { name: 'lockstep/payments/fetch', packages: [], protocol: 'v2', get: payByOurFetch(undefined) },
  {
    name: 'lockstep/payments/fetch by a transfer',
    packages: [],
    protocol: 'contract',
    get: payByOurFetch('transfer'),
  },
  { name: 'lockstep/payments/axios', packages: ['axios'], protocol: 'v2', get: payByOurAxios },
]

/** Returns its name, with the reason if it is skipped. */
export function titleOf({ name, packages }: ClientRow): string {
  return `${name}${absentPeers(...packages)}`
}
