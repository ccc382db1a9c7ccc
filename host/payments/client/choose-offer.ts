import { caip2, networkName } from '../protocol/network.ts'
import { quoted } from './challenge.ts'
import type { SpendingGuard } from './limits.ts'
import { type PaymentOffer, waysToPay } from './offer.ts'
import { PaymentError } from './payment-error.ts'
import type { PaymentOptions } from './payment-options.ts'

/** The offer to pay and the way to pay it. */
export interface Choice {
  readonly offer: PaymentOffer
  readonly way: 'authorization' | 'transfer'
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

function check(
  offer: PaymentOffer,
  url: URL,
  chainId: number,
  options: PaymentOptions,
  purse: SpendingGuard,
) {
  if (!isResource(offer.resource, url)) {
    throw new PaymentError(
      'CHALLENGE_INVALID',
      `the 402 of ${url} requests payment for ${quoted(offer.resource)}`,
    )
  }
  if (!isOn(offer, chainId, options.networkNames)) {
    throw new PaymentError(
      'LIMIT_EXCEEDED',
      `the network is ${quoted(offer.network)}, the wallet is on ${caip2(BigInt(chainId))}`,
      { hint: 'use a wallet on that network; add a custom network name to `networkNames`' },
    )
  }
  purse.check(offer, chainId)
}

/**
 * Returns the best way to pay within the limits: the preferred way first, then v2, v1 and contract.
 * @throws PaymentError for the best offer if none is acceptable
 */
export function chooseOffer(
  offers: readonly PaymentOffer[],
  url: URL,
  chainId: number,
  options: PaymentOptions,
  purse: SpendingGuard,
): Choice {
  const prefer = options.prefer ?? 'authorization'
  const choices = offers
    .flatMap((offer) => waysToPay(offer).map((way) => ({ offer, way })))
    .sort(
      (a, b) =>
        Number(b.way === prefer) - Number(a.way === prefer) ||
        PROTOCOLS.indexOf(a.offer.protocol) - PROTOCOLS.indexOf(b.offer.protocol),
    )
  let problem: PaymentError | undefined
  for (const choice of choices) {
    try {
      check(choice.offer, url, chainId, options, purse)
      return choice
    } catch (error) {
      if (!(error instanceof PaymentError)) throw error
      problem ??= error
    }
  }
  throw (
    problem ??
    new PaymentError(
      'CHALLENGE_INVALID',
      'no offer has the name and version of its token in `extra`',
    )
  )
}
