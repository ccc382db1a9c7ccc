import { paymentTokenOf } from '../../evm/chain-types/payment-token.ts'
import { caip2 } from '../protocol/network.ts'
import { quoted } from './challenge.ts'
import type { Offer } from './offer.ts'
import { PaymentError } from './payment-error.ts'

/** Amounts in a token's smallest unit: of each token by its address, or one for USDC, whose address is known. */
export type Amounts = bigint | Readonly<Record<string, bigint>>

/**
 * What a client may pay without asking. By default that is 0.10 USDC a request and 1 USDC an hour, of the USDC of Sei's
 * networks and of chains for development; another token is paid only where `maxAmount` names it.
 */
export interface PaymentLimits {
  /** At most, for one request. */
  readonly maxAmount?: Amounts
  /** At most, for all requests of `window` seconds; no bound for tokens that `maxAmount` names and this does not. */
  readonly maxTotal?: Amounts
  /** Seconds that `maxTotal` is for; 3600 by default. */
  readonly window?: number
  /** Networks in which to pay, as CAIP-2 (`eip155:1329`); by default that of the wallet. */
  readonly networks?: readonly string[]
  /** Addresses to pay to; anybody by default. */
  readonly payees?: readonly string[]
  /** Origins to pay (`https://api.example.com`); any by default. */
  readonly origins?: readonly string[]
  /** Pays over plain HTTP beyond this machine too: what is sent may be read and changed on the way. */
  readonly insecure?: boolean
}

const DEFAULT_MAX_AMOUNT = 100_000n
const DEFAULT_MAX_TOTAL = 1_000_000n
const DEFAULT_WINDOW = 3600

/** @throws TypeError naming the limit: `NaN`, a number or a text would compare as if there were none */
function checkLimits({ maxAmount, maxTotal, window = DEFAULT_WINDOW }: PaymentLimits): void {
  for (const [name, amounts] of Object.entries({ maxAmount, maxTotal })) {
    const all =
      typeof amounts === 'object' ? Object.entries(amounts) : [['', amounts ?? 0n] as const]
    for (const [asset, amount] of all) {
      if (typeof amount !== 'bigint' || amount < 0n) {
        throw new TypeError(
          `${asset === '' ? name : `${name} of ${asset}`} is no bigint of smallest units: ${String(amount)}`,
        )
      }
      if (asset !== '' && !/^0x[0-9a-fA-F]{40}$/.test(asset)) {
        throw new TypeError(`${name} has ${quoted(asset)}, which is no address of a token`)
      }
    }
  }
  if (!Number.isFinite(window) || window <= 0) {
    throw new TypeError(`window is no positive number of seconds: ${window}`)
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
  offer: Offer,
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

/** Holds payments to the limits of the caller, and counts what was spent. */
export class Purse {
  readonly #limits: PaymentLimits
  readonly #now: () => number
  #spent: Spent[] = []

  constructor(limits: PaymentLimits, now: () => number = Date.now) {
    checkLimits(limits)
    this.#limits = limits
    this.#now = now
  }

  /** @throws LIMIT_EXCEEDED where nothing may be paid for this URL */
  checkUrl(url: URL): void {
    const { origins, insecure } = this.#limits
    if (origins !== undefined && !origins.includes(url.origin)) {
      throw exceeded(`${url.origin} is none of the origins that may be paid`, 'add it to `origins`')
    }
    if (url.protocol !== 'https:' && !isLoopback(url) && insecure !== true) {
      throw exceeded(
        `${url.origin} is reached without TLS: whoever is on the way may take the payment`,
        'use https, or set `insecure` to pay all the same',
      )
    }
  }

  /** @throws LIMIT_EXCEEDED naming the limit */
  check(offer: Offer, chainId: number): void {
    const { networks, payees } = this.#limits
    const network = caip2(BigInt(chainId))
    if (networks !== undefined && !networks.includes(network)) {
      throw exceeded(`${network} is none of the networks to pay in`, 'add it to `networks`')
    }
    if (payees !== undefined && !payees.some((one) => one.toLowerCase() === offer.payTo)) {
      throw exceeded(`${offer.payTo} is none of those who may be paid`, 'add it to `payees`')
    }
    this.#checkAmount(offer, chainId)
  }

  #checkAmount(offer: Offer, chainId: number): void {
    const isKnown = paymentTokenOf(BigInt(chainId)).toLowerCase() === offer.asset
    const most =
      amountFor(this.#limits.maxAmount, offer, isKnown) ??
      (isKnown ? DEFAULT_MAX_AMOUNT : undefined)
    if (most === undefined) {
      throw exceeded(
        `the token ${offer.asset} of ${offer.network} has no maxAmount`,
        `name it: maxAmount: { '${offer.asset}': <smallest units for one request> }`,
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
        `wait until ${this.#window()} seconds are over, or raise \`maxTotal\``,
      )
    }
  }

  #totalFor(offer: Offer, isKnown: boolean): bigint | undefined {
    const { maxAmount, maxTotal } = this.#limits
    const given = amountFor(maxTotal, offer, isKnown)
    if (given !== undefined || !isKnown || maxAmount !== undefined) return given
    return DEFAULT_MAX_TOTAL
  }

  #window(): number {
    return this.#limits.window ?? DEFAULT_WINDOW
  }

  #spentFor(offer: Offer, chainId: number): bigint {
    const since = this.#now() - this.#window() * 1000
    this.#spent = this.#spent.filter(({ at }) => at > since)
    const key = `${chainId} ${offer.asset}`
    return this.#spent.reduce((sum, one) => (one.key === key ? sum + one.amount : sum), 0n)
  }

  /**
   * Checks again, since others may have paid meanwhile, and counts the price as spent.
   * @returns gives it back, where nothing was paid after all
   */
  spend(offer: Offer, chainId: number): () => void {
    this.check(offer, chainId)
    const spent = { key: `${chainId} ${offer.asset}`, amount: offer.amount, at: this.#now() }
    this.#spent.push(spent)
    return () => {
      this.#spent = this.#spent.filter((one) => one !== spent)
    }
  }
}
