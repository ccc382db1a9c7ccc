import { caip2, networkName } from '../protocol/network.ts'
import { quoted } from './challenge.ts'
import type { SpendingGuard } from './limits.ts'
import { type PaymentOffer, waysToPay } from './offer.ts'
import { PaymentError } from './payment-error.ts'
import type { PaymentOptions } from './payment-options.ts'
import { tokenBalance } from './token-transfer.ts'
import type { ChainWallet } from './wallet-list.ts'

/** The offer to pay, the way to pay it, and the wallet that pays. */
export interface Choice {
  readonly offer: PaymentOffer
  readonly way: 'authorization' | 'transfer'
  readonly wallet: ChainWallet
}

const PROTOCOLS: readonly PaymentOffer['protocol'][] = ['v2', 'v1', 'contract']

/** Loopback names: Next.js may name `localhost` although its client requested 127.0.0.1. */
const LOCAL = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

function isSameHost(named: URL, asked: URL): boolean {
  if (named.host === asked.host) return true
  return named.port === asked.port && LOCAL.test(named.hostname) && LOCAL.test(asked.hostname)
}

/**
 * Returns whether a seller's resource covers the requested URL: the same URL, or a parent folder. The scheme may
 * differ, since a proxy may terminate TLS.
 */
function isResource(named: string, asked: URL): boolean {
  if (!URL.canParse(named, asked.href)) return false
  const url = new URL(named, asked)
  const { pathname, search } = url
  const folder = pathname.replace(/\/$/, '')
  const isPath = asked.pathname === pathname || `${asked.pathname}/`.startsWith(`${folder}/`)
  return isSameHost(url, asked) && isPath && (search === '' || search === asked.search)
}

function isOn(
  { network }: PaymentOffer,
  chainId: number,
  networkNames: PaymentOptions['networkNames'] = {},
): boolean {
  const id = BigInt(chainId)
  if (network === caip2(id) || network === networkName(id)) return true
  return Object.hasOwn(networkNames, network) && networkNames[network] === chainId
}

/** Returns the first wallet on the network of an offer that may pay it. @throws PaymentError if there is none */
function walletFor(
  offer: PaymentOffer,
  url: URL,
  wallets: readonly ChainWallet[],
  options: PaymentOptions,
  purse: SpendingGuard,
): ChainWallet {
  if (!isResource(offer.resource, url)) {
    throw new PaymentError(
      'CHALLENGE_INVALID',
      `the 402 of ${url} requests payment for ${quoted(offer.resource)}`,
    )
  }
  const wallet = wallets.find(({ chainId }) => isOn(offer, chainId, options.networkNames))
  if (wallet === undefined) {
    const networks = wallets.map(({ chainId }) => caip2(BigInt(chainId))).join(', ')
    const owners = wallets.length === 1 ? 'the wallet is' : 'the wallets are'
    throw new PaymentError(
      'LIMIT_EXCEEDED',
      `the network is ${quoted(offer.network)}, ${owners} on ${networks}`,
      { hint: 'use a wallet on that network; add a custom network name to `networkNames`' },
    )
  }
  purse.check(offer, wallet.chainId)
  return wallet
}

/**
 * Returns the ways to pay within the limits, best first: the preferred way, then v2, v1 and contract, then the order of
 * the seller.
 * @param wallets one for each chain
 * @throws PaymentError for the best offer if none is acceptable
 */
function acceptableChoices(
  offers: readonly PaymentOffer[],
  url: URL,
  wallets: readonly ChainWallet[],
  options: PaymentOptions,
  purse: SpendingGuard,
): readonly Choice[] {
  const prefer = options.prefer ?? 'authorization'
  const ways = offers
    .flatMap((offer) => waysToPay(offer).map((way) => ({ offer, way })))
    .sort(
      (a, b) =>
        Number(b.way === prefer) - Number(a.way === prefer) ||
        PROTOCOLS.indexOf(a.offer.protocol) - PROTOCOLS.indexOf(b.offer.protocol),
    )
  const choices: Choice[] = []
  let problem: PaymentError | undefined
  for (const { offer, way } of ways) {
    try {
      choices.push({ offer, way, wallet: walletFor(offer, url, wallets, options, purse) })
    } catch (error) {
      if (!(error instanceof PaymentError)) throw error
      problem ??= error
    }
  }
  if (choices.length > 0) return choices
  throw (
    problem ??
    new PaymentError(
      'CHALLENGE_INVALID',
      'no offer has the name and version of its token in `extra`',
    )
  )
}

function balanceName({ offer, wallet }: Choice): string {
  return `${offer.asset} on ${caip2(BigInt(wallet.chainId))}`
}

/**
 * Returns the best way to pay within the limits. If offers in several tokens or on several networks are acceptable, the
 * wallet must hold the price of the one that is chosen.
 * @throws PaymentError if no offer is acceptable, or none is covered by a balance
 */
export async function chooseOffer(
  offers: readonly PaymentOffer[],
  url: URL,
  wallets: readonly ChainWallet[],
  options: PaymentOptions,
  purse: SpendingGuard,
): Promise<Choice> {
  const choices = acceptableChoices(offers, url, wallets, options, purse)
  const [first] = choices as readonly [Choice]
  if (choices.every((choice) => balanceName(choice) === balanceName(first))) return first
  const held = new Map<string, bigint>()
  let cause: unknown
  for (const choice of choices) {
    const name = balanceName(choice)
    const { wallet, offer } = choice
    try {
      const balance = held.get(name) ?? (await tokenBalance(wallet.account, offer.asset))
      held.set(name, balance)
      if (balance >= offer.amount) return choice
    } catch (error) {
      cause ??= error
    }
  }
  const balances = [...held].map(([name, balance]) => `${balance} of ${name}`).join(', ')
  throw new PaymentError(
    'WALLET_FAILED',
    balances === ''
      ? 'the balances of the wallet cannot be read'
      : `no offer is covered by a balance: the wallet holds ${balances}`,
    { moneyMoved: 'no', hint: 'fund the wallet with the price of one of the offers', cause },
  )
}
