import type { Hex } from '../../base/hex.ts'

/** The gas that an account has left, in settlements. */
export interface GasNotice {
  readonly address: Hex
  /** Native balance, wei. */
  readonly balance: bigint
  /** Settlements that it pays for at the current price. */
  readonly left: number
}

export interface GasReserveOptions {
  readonly address: Hex
  /** Gas limit of a settlement. */
  readonly gas: bigint
  /** Settlements below which the account is running out. */
  readonly warnBelow: number
  readonly onLow: (notice: GasNotice) => void
}

/** Warns before an account cannot pay for settlements: below a limit, and again each time that half is left. */
export class GasReserve {
  readonly #options: GasReserveOptions
  #left: number | undefined
  /** Settlements below which the next warning is due. */
  #due: number

  constructor(options: GasReserveOptions) {
    this.#options = options
    this.#due = options.warnBelow
  }

  /** Settlements left when last checked; undefined before. */
  get left(): number | undefined {
    return this.#left
  }

  /** @param price wei per gas that a settlement offers; a node requires the balance to cover it */
  check(balance: bigint, price: bigint): void {
    const { address, gas, warnBelow, onLow } = this.#options
    const left = Number(balance / (gas * (price > 0n ? price : 1n)))
    this.#left = left
    if (left >= warnBelow) this.#due = warnBelow
    if (left >= this.#due) return
    this.#due = Math.ceil(left / 2)
    onLow({ address, balance, left })
  }
}
