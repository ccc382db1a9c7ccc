import type { BlockEnv } from '../../engine/message.ts'
import type { BlockEngine } from '../block-engine.ts'

/** Limit of gas for calls sharing a block: what they read stays in the engine's tables, which are bounded. */
const SHARED_GAS = 2_000_000n

/** What calls must have in common to share a block of an engine: the state and the environment. */
export interface SharedBlockKey {
  /** `History.edition` of the state. */
  readonly edition: number
  readonly height: number
  /** Calls without a gas price see another base fee. */
  readonly priced: boolean
}

interface BegunBlock extends SharedBlockKey {
  readonly gas: bigint
}

/**
 * Tracks which block each engine has begun. A call that discards its changes leaves its reads cached, so the next
 * call on the same state can continue the block. Beginning and reading took a quarter of a short call over HTTP.
 */
export class SharedBlocks {
  readonly #begun = new WeakMap<BlockEngine, BegunBlock>()

  /**
   * Begins a block, unless the engine has begun one that can be shared. The block is not shared again until `keep`,
   * so an aborted run leaves nothing behind.
   * @returns the gas of earlier calls in the block
   */
  begin(engine: BlockEngine, env: BlockEnv, shared: SharedBlockKey | undefined): bigint {
    const begun = this.#begun.get(engine)
    if (begun !== undefined) this.#begun.delete(engine)
    if (begun !== undefined && shared !== undefined && isSame(begun, shared)) return begun.gas
    engine.beginBlock(env)
    return 0n
  }

  /** Allows the next call to share the engine's block. `gas` is the total of all calls in it. */
  keep(engine: BlockEngine, shared: SharedBlockKey, gas: bigint): void {
    if (gas < SHARED_GAS) this.#begun.set(engine, { ...shared, gas })
  }
}

function isSame(one: SharedBlockKey, other: SharedBlockKey): boolean {
  return one.edition === other.edition && one.height === other.height && one.priced === other.priced
}
