import type { HeaderOverrides } from '../../evm/execute/header-overrides.ts'
import type { DevSettings } from './dev-chain.ts'

/** Next-block overrides and lasting settings, in memory. */
export class NextBlockOverrides implements DevSettings {
  /** State at the start and after a reset. */
  readonly initial: Readonly<DevSettings>
  baseFee: bigint | undefined
  prevRandao: Uint8Array | undefined
  coinbase: Uint8Array | undefined
  gasLimit: bigint | undefined
  minGasPrice = 0n

  /** @param settings those at the start; the chain's own if undefined */
  constructor({ gasLimit, baseFee }: Partial<DevSettings> = {}) {
    this.gasLimit = gasLimit
    this.baseFee = baseFee
    this.initial = this.state
  }

  /** Overrides for the header of the next block. */
  get header(): HeaderOverrides {
    const { baseFee, prevRandao, coinbase, gasLimit } = this
    return { baseFee, prevRandao, coinbase, gasLimit }
  }

  /** Clears the overrides of a single block. */
  clearNextBlock(): void {
    this.baseFee = undefined
    this.prevRandao = undefined
  }

  get state(): Readonly<DevSettings> {
    const { baseFee, prevRandao, coinbase, gasLimit, minGasPrice } = this
    return { baseFee, prevRandao, coinbase, gasLimit, minGasPrice }
  }

  restore(state: Readonly<DevSettings>): void {
    Object.assign(this, state)
  }

  reset(): void {
    this.restore(this.initial)
  }
}
