import { createHash } from 'node:crypto'
import { LockstepError } from '../../base/error.ts'
import type { Hex } from '../../base/hex.ts'
import type { PaymentChain } from '../chain/payment-chain.ts'
import type { ProofRefusal } from '../protocol/challenge.ts'
import type { FacilitatorOrder } from './facilitator-message.ts'
import { AccountRates } from './rates.ts'

/** Who may use a facilitator. `payees` or `tokens` is required; if both are set, a request must satisfy both. */
export interface FacilitatorAccess {
  /** Accounts that may be paid, lower case. */
  readonly payees?: readonly Hex[]
  /** Accepted bearer tokens. */
  readonly tokens?: readonly string[]
  /** Settles for anyone: for chains whose gas is free. */
  readonly isOpen?: true
}

/** Settlement limits per payee. */
export interface PayeeLimits {
  readonly perMinute: number
  /** Maximum concurrent settlements. */
  readonly inFlight: number
}

/** Minimum amount to settle. */
export type LeastAmount =
  /** In the token's smallest unit. */
  | { readonly amount: bigint }
  /** What covers the gas at today's price, by a price of the token that the operator has set: no feed tells one. */
  | {
      readonly chain: Pick<PaymentChain, 'maxFeePerGas'>
      /** Native wei that one whole token is worth. */
      readonly tokenPrice: bigint
      /** Decimals of the asset. */
      readonly decimals: number
    }

export const PAYEE_LIMITS: PayeeLimits = { perMinute: 600, inFlight: 32 }

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** Decides which orders are settled, apart from the on-chain checks. */
export class FacilitatorRules {
  readonly #payees: ReadonlySet<Hex> | undefined
  readonly #tokens: ReadonlySet<string> | undefined
  readonly #least: LeastAmount
  readonly #limits: PayeeLimits
  readonly #rates: AccountRates
  readonly #inFlight = new Map<Hex, number>()
  readonly #now: () => number

  /**
   * @param now milliseconds of a monotonic clock
   * @throws CONFIG_INVALID if no rule says who may use it
   */
  constructor(
    { payees, tokens, isOpen }: FacilitatorAccess,
    least: LeastAmount,
    limits: PayeeLimits = PAYEE_LIMITS,
    now: () => number = () => performance.now(),
  ) {
    this.#payees = payees && new Set(payees)
    this.#tokens = tokens && new Set(tokens.map(digestOf))
    const isBound = (this.#payees?.size ?? 0) > 0 || (this.#tokens?.size ?? 0) > 0
    if (!isBound && isOpen !== true) {
      throw new LockstepError(
        'CONFIG_INVALID',
        'the facilitator would pay gas for anyone: neither payees nor tokens are configured',
        { hint: 'configure the accounts that it settles for, or the tokens that its callers send' },
      )
    }
    this.#least = least
    this.#limits = limits
    this.#rates = new AccountRates(limits.perMinute)
    this.#now = now
  }

  /** Returns whether a request's `Authorization` header is accepted. */
  admits(authorization: string | undefined): boolean {
    if (this.#tokens === undefined) return true
    const [, token] = /^Bearer +([\w.~+/=-]+) *$/i.exec(authorization ?? '') ?? []
    return token !== undefined && this.#tokens.has(digestOf(token))
  }

  /** Returns why an order is refused regardless of the chain. */
  refuse({ proof, terms }: FacilitatorOrder): ProofRefusal | undefined {
    const { payTo } = terms
    if (this.#payees !== undefined && this.#payees.size > 0 && !this.#payees.has(payTo)) {
      const detail = `paymentRequirements.payTo is ${payTo}: this facilitator settles for other accounts`
      return { reason: 'invalid_payment_requirements', detail }
    }
    if (proof.value === 0n) {
      const detail = 'payload.authorization.value is 0: a settlement must pay something'
      return { reason: 'invalid_exact_evm_payload_authorization_value', detail }
    }
    if (proof.from === payTo) {
      const detail = `${proof.from} pays itself: pay another account`
      return { reason: 'invalid_exact_evm_payload_recipient_mismatch', detail }
    }
    return undefined
  }

  /** Returns the refusal if the amount does not cover the gas. @throws errors of the chain */
  async refuseAmount(
    { proof: { value } }: FacilitatorOrder,
    gas: bigint,
  ): Promise<ProofRefusal | undefined> {
    const least = await this.#leastFor(gas)
    if (value >= least) return undefined
    const detail = `payload.authorization.value is ${value}: the current minimum is ${least}`
    return { reason: 'invalid_exact_evm_payload_authorization_value', detail }
  }

  async #leastFor(gas: bigint): Promise<bigint> {
    const least = this.#least
    if ('amount' in least) return least.amount
    // maxFeePerGas is twice the base fee; half of it is the current price.
    const wei = (gas * (await least.chain.maxFeePerGas())) / 2n
    const unit = 10n ** BigInt(least.decimals)
    return (wei * unit + least.tokenPrice - 1n) / least.tokenPrice
  }

  /** Returns whether a settlement for a payee may begin now. */
  isFree(payee: Hex): boolean {
    const isBelow = (this.#inFlight.get(payee) ?? 0) < this.#limits.inFlight
    return isBelow && this.#rates.has(payee, this.#now())
  }

  /** Begins a settlement for a payee. Returns a function that ends it; undefined if a limit is reached. */
  begin(payee: Hex): (() => void) | undefined {
    if (!this.isFree(payee)) return undefined
    this.#rates.take(payee, this.#now())
    this.#inFlight.set(payee, (this.#inFlight.get(payee) ?? 0) + 1)
    return () => {
      const left = (this.#inFlight.get(payee) ?? 1) - 1
      if (left === 0) this.#inFlight.delete(payee)
      else this.#inFlight.set(payee, left)
    }
  }
}
