import { LockstepError } from '../../base/error.ts'
import { higherFee, lowerFee, raisedFee } from '../../client/transaction-sender/raised-fee.ts'
import type { PaymentChain } from '../chain/payment-chain.ts'

/** Wei per gas. */
export interface SettlementFee {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

export interface SettlementFeesOptions {
  readonly chain: Pick<PaymentChain, 'maxFeePerGas'>
  /** Maximum wei per gas. */
  readonly maxGasPrice: bigint
  /** Priority fee, wei per gas. */
  readonly tip: bigint
}

/** The fees that settlements offer, cached until `forget`. */
export class SettlementFees {
  readonly #options: SettlementFeesOptions
  #current: Promise<SettlementFee> | undefined

  constructor(options: SettlementFeesOptions) {
    this.#options = options
  }

  /** @throws LIMIT_EXCEEDED if the chain's price exceeds the limit */
  current(): Promise<SettlementFee> {
    if (this.#current === undefined) {
      const asked = this.#ask()
      this.#current = asked
      asked.catch(() => this.forget())
    }
    return this.#current
  }

  forget(): void {
    this.#current = undefined
  }

  /** Returns the lowest fees that replace these. */
  raise({ maxFeePerGas, maxPriorityFeePerGas }: SettlementFee): SettlementFee {
    return {
      maxFeePerGas: raisedFee(maxFeePerGas),
      maxPriorityFeePerGas: raisedFee(maxPriorityFeePerGas),
    }
  }

  /** Returns fees that replace these and are at least the current ones. */
  async replace(before: SettlementFee): Promise<SettlementFee> {
    const now = await this.current()
    const raised = this.raise(before)
    return {
      maxFeePerGas: higherFee(raised.maxFeePerGas, now.maxFeePerGas),
      maxPriorityFeePerGas: higherFee(raised.maxPriorityFeePerGas, now.maxPriorityFeePerGas),
    }
  }

  isAffordable({ maxFeePerGas }: SettlementFee): boolean {
    return maxFeePerGas <= this.#options.maxGasPrice
  }

  async #ask(): Promise<SettlementFee> {
    const { chain, maxGasPrice, tip } = this.#options
    const asked = await chain.maxFeePerGas()
    // The suggested fee allows the current price to double: cap it at the limit.
    if (asked > 2n * maxGasPrice) {
      throw new LockstepError(
        'LIMIT_EXCEEDED',
        `gas costs ${asked / 2n} wei, more than the limit of ${maxGasPrice}`,
        { hint: 'wait, or raise max-settle-gas-price' },
      )
    }
    const offered = lowerFee(asked, maxGasPrice)
    return { maxFeePerGas: offered, maxPriorityFeePerGas: lowerFee(tip, offered) }
  }
}
