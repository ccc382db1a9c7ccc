import { MAX_TRANSACTION_GAS } from '../chain-types/generated/limit.ts'
import { atLeast, type Revision } from '../chain-types/revision.ts'
import type { Executed } from '../engine/outcome.ts'

/** Gas that the transactions of a block use. Since EIP-8037 it has two dimensions, each up to the block's limit. */
export class BlockGas {
  readonly #limit: bigint
  readonly #hasState: boolean
  #execution = 0n
  #state = 0n

  constructor(limit: bigint, revision: Revision) {
    this.#limit = limit
    this.#hasState = atLeast(revision, 'Amsterdam')
  }

  /** Gas used as the header states it. */
  get used(): bigint {
    if (this.#state > this.#execution) return this.#state
    return this.#execution
  }

  /** Gas limit that a further transaction may have. */
  get left(): bigint {
    const execution = this.#limit - this.#execution
    const state = this.#limit - this.#state
    if (execution < state)
      return this.#hasState && execution >= MAX_TRANSACTION_GAS ? state : execution
    return state
  }

  /** Gas limit that a further call may have if all of its gas may be used in either dimension. */
  get leftForBoth(): bigint {
    return this.#limit - this.used
  }

  fits(gas: bigint): boolean {
    return gas <= this.left
  }

  add({ blockGas, stateGas }: Pick<Executed, 'blockGas' | 'stateGas'>): void {
    this.#execution += blockGas
    this.#state += stateGas
  }
}
