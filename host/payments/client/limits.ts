import { paymentTokenOf } from '../../evm/chain-types/payment-token.ts'
import { caip2 } from '../protocol/network.ts'
import { quoted } from './challenge.ts'
import type { PaymentOffer } from './offer.ts'
import { PaymentError } from './payment-error.ts'

/** Amounts in a token's smallest unit: a map by token address, or one amount for USDC, whose address is known. */
export type Amounts = bigint | Readonly<Record<string, bigint>>

/**
 * What a client may pay without asking. Default: 0.10 USDC per request and 1 USDC per hour, for USDC on Sei's
 * networks and development chains. Another token is paid only if `maxAmount` lists it.
 */
export interface PaymentLimits {
  /** Maximum for one request. */
  readonly maxAmount?: Amounts
  /** Maximum for all requests within `window` seconds; unlimited for tokens that only `maxAmount` lists. */
  readonly maxTotal?: Amounts
  /** Seconds covered by `maxTotal`; 3600 by default. */
  readonly window?: number
  /** Allowed networks as CAIP-2 (`eip155:1329`); by default the wallet's. */
  readonly networks?: readonly string[]
  /** Allowed payees; any by default. */
  readonly payees?: readonly string[]
  /** Allowed origins (`https://api.example.com`); any by default. */
  readonly origins?: readonly string[]
  /** Allows plain HTTP beyond this machine, on which others may read and change what is sent. */
  readonly insecure?: boolean
}

const DEFAULT_MAX_AMOUNT = 100_000n
const DEFAULT_MAX_TOTAL = 1_000_000n
const DEFAULT_WINDOW = 3600

/** @throws TypeError naming the limit: `NaN`, a number or a string would compare as unlimited */
function checkLimits({ maxAmount, maxTotal, window = DEFAULT_WINDOW }: PaymentLimits): void {
  for (const [name, amounts] of Object.entries({ maxAmount, maxTotal })) {
    const all =
      typeof amounts === 'object' ? Object.entries(amounts) : [['', amounts ?? 0n] as const]
    for (const [asset, amount] of all) {
      if (typeof amount !== 'bigint' || amount < 0n) {
        throw new TypeError(
          `${asset === '' ? name : `${name} of ${asset}`} is not a bigint of smallest units: ${String(amount)}`,
        )
      }
      if (asset !== '' && !/^0x[0-9a-fA-F]{40}$/.test(asset)) {
        throw new TypeError(`${name} has ${quoted(asset)}, which is not a token address`)
      }
    }
  }
  if (!Number.isFinite(window) || window <= 0) {
    throw new TypeError(`window is not a positive number of seconds: ${window}`)
  }
}

interface Spent {
  readonly key: string
  readonly amount: bigint
  readonly at: number
}

function exceeded(message: string, hint: string): PaymentError {
  return new PaymentError('LIMIT_EXCEEDED', message, { hint })
}

function amountFor(
  amounts: Amounts | undefined,
  offer: PaymentOffer,
  isKnown: boolean,
): bigint | undefined {
  if (typeof amounts !== 'object') return isKnown ? amounts : undefined
  for (const [asset, amount] of Object.entries(amounts)) {
    if (asset.toLowerCase() === offer.asset) return amount
  }
  return undefined
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)
}

/** Enforces the caller's limits and counts what was spent. */
export class SpendingGuard {
  readonly #limits: PaymentLimits
  readonly #now: () => number
  #spent: Spent[] = []

  constructor(limits: PaymentLimits, now: () => number = Date.now) {
    checkLimits(limits)
    this.#limits = limits
    this.#now = now
  }

  /** @throws LIMIT_EXCEEDED if nothing may be paid for this URL */
  checkUrl(url: URL): void {
    const { origins, insecure } = this.#limits
    if (origins !== undefined && !origins.includes(url.origin)) {
      throw exceeded(`${url.origin} is not an allowed origin`, 'add it to `origins`')
    }
    if (url.protocol !== 'https:' && !isLoopback(url) && insecure !== true) {
      throw exceeded(
        `${url.origin} is reached without TLS: anyone on the network path may take the payment`,
        'use https, or set `insecure` to pay nevertheless',
      )
    }
  }

  /** @throws LIMIT_EXCEEDED naming the limit */
  check(offer: PaymentOffer, chainId: number): void {
    const { networks, payees } = this.#limits
    const network = caip2(BigInt(chainId))
    if (networks !== undefined && !networks.includes(network)) {
      throw exceeded(`${network} is not an allowed network`, 'add it to `networks`')
    }
    if (payees !== undefined && !payees.some((one) => one.toLowerCase() === offer.payTo)) {
      throw exceeded(`${offer.payTo} is not an allowed payee`, 'add it to `payees`')
    }
    this.#checkAmount(offer, chainId)
  }

  #checkAmount(offer: PaymentOffer, chainId: number): void {
    const isKnown = paymentTokenOf(BigInt(chainId)).toLowerCase() === offer.asset
    const most =
      amountFor(this.#limits.maxAmount, offer, isKnown) ??
      (isKnown ? DEFAULT_MAX_AMOUNT : undefined)
    if (most === undefined) {
      throw exceeded(
        `the token ${offer.asset} of ${offer.network} has no maxAmount`,
        `set it: maxAmount: { '${offer.asset}': <smallest units for one request> }`,
      )
    }
    if (offer.amount > most) {
      throw exceeded(
        `the price is ${quoted(offer.amount)} of ${offer.asset}, maxAmount is ${most}`,
        'raise `maxAmount`, if the resource is worth it',
      )
    }
    const total = this.#totalFor(offer, isKnown)
    const spent = this.#spentFor(offer, chainId)
    if (total !== undefined && spent + offer.amount > total) {
      throw exceeded(
        `${spent} of ${offer.asset} was spent, the price is ${offer.amount}, maxTotal is ${total}`,
        `wait until the ${this.#window()} seconds are over, or raise \`maxTotal\``,
      )
    }
  }

  #totalFor(offer: PaymentOffer, isKnown: boolean): bigint | undefined {
    const { maxAmount, maxTotal } = this.#limits
    const given = amountFor(maxTotal, offer, isKnown)
    if (given !== undefined || !isKnown || maxAmount !== undefined) return given
    return DEFAULT_MAX_TOTAL
  }

  #window(): number {
    return this.#limits.window ?? DEFAULT_WINDOW
  }

  #spentFor(offer: PaymentOffer, chainId: number): bigint {
    const since = this.#now() - this.#window() * 1000
    this.#spent = this.#spent.filter(({ at }) => at > since)
    const key = `${chainId} ${offer.asset}`
    return this.#spent.reduce((sum, one) => (one.key === key ? sum + one.amount : sum), 0n)
  }

  /**
   * Checks again, since other requests may have paid meanwhile, and counts the price as spent.
   * @returns a function that undoes the count if nothing was paid
   */
  spend(offer: PaymentOffer, chainId: number): () => void {
    this.check(offer, chainId)
    const spent = { key: `${chainId} ${offer.asset}`, amount: offer.amount, at: this.#now() }
    this.#spent.push(spent)
    return () => {
      this.#spent = this.#spent.filter((one) => one !== spent)
    }
  }
}
