import { createHash } from 'node:crypto'
import { LockstepError } from '../../base/error.ts'
import type { Hex } from '../../base/hex.ts'
import type { PaymentChain } from '../chain/payment-chain.ts'
import type { ProofRefusal } from '../protocol/challenge.ts'
import type { FacilitatorOrder } from './facilitator-message.ts'
import { AccountRates } from './rates.ts'

/** For whom a facilitator settles. One of the first two is needed; with both, both have to be right. */
export interface FacilitatorAccess {
  /** Accounts that may be paid, in lower case. */
  readonly payees?: readonly Hex[]
  /** Bearer tokens, one of which a request shows. */
  readonly tokens?: readonly string[]
  /** Settles for anybody: for chains whose gas is worth nothing. */
  readonly isOpen?: true
}

/** What may be settled for one payee. */
export interface PayeeLimits {
  readonly perMinute: number
  /** At once. */
  readonly inFlight: number
}

/** The least amount that is settled. */
export type LeastAmount =
  /** In the token's smallest unit. */
  | { readonly amount: bigint }
  /** What covers the gas at today's price, by a price of the token that the operator has set: no feed tells one. */
  | {
      readonly chain: Pick<PaymentChain, 'maxFeePerGas'>
      /** Wei of the native token that a whole token of the asset is worth. */
      readonly tokenPrice: bigint
      /** Of the asset. */
      readonly decimals: number
    }

export const PAYEE_LIMITS: PayeeLimits = { perMinute: 600, inFlight: 32 }

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** Decides what is settled for whom, beside what the chain says of an authorization. */
export class FacilitatorRules {
  readonly #payees: ReadonlySet<Hex> | undefined
  readonly #tokens: ReadonlySet<string> | undefined
  readonly #least: LeastAmount
  readonly #limits: PayeeLimits
  readonly #rates: AccountRates
  readonly #inFlight = new Map<Hex, number>()
  readonly #now: () => number

  /**
   * @param now milliseconds of a clock that only goes forward
   * @throws CONFIG_INVALID if nothing says for whom it settles
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
        'the facilitator would pay the gas of anybody: no payees and no tokens are named',
        { hint: 'name the accounts that it settles for, or the tokens that its callers show' },
      )
    }
    this.#least = least
    this.#limits = limits
    this.#rates = new AccountRates(limits.perMinute)
    this.#now = now
  }

  /** Whether the header `Authorization` of a request lets it in. */
  admits(authorization: string | undefined): boolean {
    if (this.#tokens === undefined) return true
    const [, token] = /^Bearer +([\w.~+/=-]+) *$/i.exec(authorization ?? '') ?? []
    return token !== undefined && this.#tokens.has(digestOf(token))
  }

  /** Why an order is refused whatever the chain says. */
  refuse({ proof, terms }: FacilitatorOrder): ProofRefusal | undefined {
    const { payTo } = terms
    if (this.#payees !== undefined && this.#payees.size > 0 && !this.#payees.has(payTo)) {
      const detail = `paymentRequirements.payTo is ${payTo}: this facilitator settles for other accounts`
      return { reason: 'invalid_payment_requirements', detail }
    }
    if (proof.value === 0n) {
      const detail = 'payload.authorization.value is 0: nothing is settled that pays nothing'
      return { reason: 'invalid_exact_evm_payload_authorization_value', detail }
    }
    if (proof.from === payTo) {
      const detail = `${proof.from} pays itself: pay another account`
      return { reason: 'invalid_exact_evm_payload_recipient_mismatch', detail }
    }
    return undefined
  }

  /** Why the amount is too small for the gas of its settlement. @throws what the chain throws */
  async refuseAmount(
    { proof: { value } }: FacilitatorOrder,
    gas: bigint,
  ): Promise<ProofRefusal | undefined> {
    const least = await this.#leastFor(gas)
    if (value >= least) return undefined
    const detail = `payload.authorization.value is ${value}: at least ${least} is settled now`
    return { reason: 'invalid_exact_evm_payload_authorization_value', detail }
  }

  async #leastFor(gas: bigint): Promise<bigint> {
    const least = this.#least
    if ('amount' in least) return least.amount
    // A transaction offers twice the base fee: half of that is today's price.
    const wei = (gas * (await least.chain.maxFeePerGas())) / 2n
    const unit = 10n ** BigInt(least.decimals)
    return (wei * unit + least.tokenPrice - 1n) / least.tokenPrice
  }

  /** Whether a settlement for a payee would be begun now. */
  isFree(payee: Hex): boolean {
    const isBelow = (this.#inFlight.get(payee) ?? 0) < this.#limits.inFlight
    return isBelow && this.#rates.has(payee, this.#now())
  }

  /** Begins a settlement for a payee. Returns what ends it; undefined if a limit is reached. */
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
