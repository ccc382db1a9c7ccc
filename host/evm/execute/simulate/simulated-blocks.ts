import { LockstepError } from '../../../base/error.ts'
import type { BlockHeader, Withdrawal } from '../../chain-types/block.ts'
import type { BlockOverride, CallArguments } from './call-message.ts'
import type { AccountOverride } from './overlay-view.ts'

/** A call in a simulated block. */
export interface SimulatedCall extends CallArguments {
  /** True if the call has a gas price and is thus of type 0 or 1; otherwise it has a dynamic fee. */
  readonly isLegacy: boolean
}

export interface SimulatedOverride extends BlockOverride {
  /** Not allowed after the merge (EIP-3675). */
  readonly difficulty: bigint | undefined
  readonly withdrawals: readonly Withdrawal[] | undefined
  readonly parentBeaconBlockRoot: Uint8Array | undefined
}

/** A block as requested. */
export interface BlockCalls {
  readonly overrides: SimulatedOverride
  readonly stateOverrides: readonly AccountOverride[]
  readonly calls: readonly SimulatedCall[]
}

/** A block with its number and timestamp. */
export interface PlannedBlock extends BlockCalls {
  readonly number: number
  readonly timestamp: bigint
}

/** geth's limits and default interval (internal/ethapi/simulate.go). */
const MAX_BLOCKS = 256n
const SECONDS_BETWEEN = 12n

const MAX_TIME = 2n ** 64n - 1n

const NOTHING_ASKED: BlockCalls = {
  overrides: {
    number: undefined,
    timestamp: undefined,
    gasLimit: undefined,
    coinbase: undefined,
    prevRandao: undefined,
    baseFee: undefined,
    blobBaseFee: undefined,
    difficulty: undefined,
    withdrawals: undefined,
    parentBeaconBlockRoot: undefined,
  },
  stateOverrides: [],
  calls: [],
}

/**
 * Assigns numbers and timestamps to the blocks after `base`, and fills gaps with empty blocks.
 * @throws BLOCK_NUMBER_ORDER or BLOCK_TIME_ORDER if they do not ascend; TOO_MANY_BLOCKS.
 */
export function planBlocks(base: BlockHeader, blocks: readonly BlockCalls[]): PlannedBlock[] {
  const planned: PlannedBlock[] = []
  let number = BigInt(base.number)
  let time = BigInt(base.timestamp)
  const plan = (calls: BlockCalls, at: bigint, when: bigint) => {
    if (when > MAX_TIME) {
      throw new LockstepError('INVALID_ARGUMENT', `block override time ${when} is out of range`)
    }
    planned.push({ ...calls, number: Number(at), timestamp: when })
  }
  for (const calls of blocks) {
    const { overrides } = calls
    const at = overrides.number ?? number + 1n
    if (at <= number) {
      const text = `block numbers must be in order: ${at} <= ${number}`
      throw new LockstepError('BLOCK_NUMBER_ORDER', text)
    }
    if (at - BigInt(base.number) > MAX_BLOCKS) {
      throw new LockstepError('TOO_MANY_BLOCKS', 'too many blocks')
    }
    for (let gap = number + 1n; gap < at; gap++) {
      time += SECONDS_BETWEEN
      plan(NOTHING_ASKED, gap, time)
    }
    const when = overrides.timestamp ?? time + SECONDS_BETWEEN
    if (when <= time) {
      const text = `block timestamps must be in order: ${when} <= ${time}`
      throw new LockstepError('BLOCK_TIME_ORDER', text)
    }
    plan(calls, at, when)
    number = at
    time = when
  }
  return planned
}
