import type { BlockEnv } from '../../engine/message.ts'
import type { BlockEngine } from '../block-engine.ts'

/** Gas of the calls that share a block: what they read stays in the engine's tables, which have an end. */
const SHARED_GAS = 2_000_000n

/** What calls must have in common to run in the same block of an engine: a state, and an environment. */
export interface SharedBlock {
  /** `History.edition` of the state. */
  readonly edition: number
  readonly height: number
  /** Calls that offer no price see another base fee. */
  readonly priced: boolean
}

interface BegunBlock extends SharedBlock {
  readonly gas: bigint
}

/**
 * The blocks that engines have begun. A call that keeps no change leaves what it has read in its engine, where the next
 * one on the same state need not ask for it: beginning a block and reading took a quarter of a short call over HTTP.
 */
export class BegunBlocks {
  readonly #begun = new WeakMap<BlockEngine, BegunBlock>()

  /**
   * Begins a block, unless the engine has begun the one that may be shared. It is shared with no other call until
   * `keep`: a run that breaks off leaves nothing to go on with.
   * @returns the gas of the calls that have run in the block
   */
  begin(engine: BlockEngine, env: BlockEnv, shared: SharedBlock | undefined): bigint {
    const begun = this.#begun.get(engine)
    if (begun !== undefined) this.#begun.delete(engine)
    if (begun !== undefined && shared !== undefined && isSame(begun, shared)) return begun.gas
    engine.beginBlock(env)
    return 0n
  }

  /** A call has ended whose engine may go on in its block; `gas` is that of all calls in it. */
  keep(engine: BlockEngine, shared: SharedBlock, gas: bigint): void {
    if (gas < SHARED_GAS) this.#begun.set(engine, { ...shared, gas })
  }
}

function isSame(one: SharedBlock, other: SharedBlock): boolean {
  return one.edition === other.edition && one.height === other.height && one.priced === other.priced
}
