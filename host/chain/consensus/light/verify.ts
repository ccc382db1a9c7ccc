import { equalBytes } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { formatTime } from '../../../base/time.ts'
import { type Fraction, faultOfCommit, faultOfTrust } from '../comet/commit-verification.ts'
import type { CometHeader } from '../comet/header.ts'
import { checkForm, type LightBlock, refuseBlock } from './light-block.ts'

/** Rules for trusting a header. Times are in nanoseconds. */
export interface TrustRules {
  readonly chainId: string
  /** Age after which a block proves nothing: its validators may have withdrawn their stake. */
  readonly trustingPeriod: bigint
  /** Most time that a validator's clock may be ahead of the local one. */
  readonly maxClockDrift: bigint
  /** Share of a trusted block's validators that must have signed a non-adjacent later block. */
  readonly trustLevel: Fraction
}

export const MAX_CLOCK_DRIFT = 10_000_000_000n

/** @throws UNTRUSTED if the header is older than the trusting period */
export function refuseExpired(
  { height, time }: CometHeader,
  { trustingPeriod }: TrustRules,
  now: bigint,
): void {
  if (time + trustingPeriod > now) return
  throw new LockstepError(
    'UNTRUSTED',
    `the trusted block ${height} is of ${formatTime(time)}, which is past the trust period`,
  )
}

/**
 * Checks the rules for any later block, adjacent or not.
 * @throws PEER_INVALID
 */
function checkLater(
  trusted: LightBlock,
  { header }: LightBlock,
  { maxClockDrift }: TrustRules,
  now: bigint,
): void {
  const { height, time } = header
  const earlier = trusted.header
  if (time <= earlier.time) {
    refuseBlock(
      height,
      `its time ${formatTime(time)} is not after ${formatTime(earlier.time)} of block ${earlier.height}`,
    )
  }
  if (time >= now + maxClockDrift) {
    refuseBlock(height, `its time ${formatTime(time)} is in the future: it is ${formatTime(now)}`)
  }
}

/** @throws PEER_INVALID if the block's own validators have not decided it */
export function checkCommit(block: LightBlock, { chainId }: TrustRules): void {
  const fault = faultOfCommit(chainId, block.validators, block.commit)
  if (fault !== undefined) refuseBlock(block.header.height, `invalid commit: ${fault}`)
}

/**
 * Verifies a block against a trusted lower one (CometBFT `light.Verify`). The next block must be signed by the
 * validators that the trusted block names for it, any other also by enough validators of the trusted block.
 * @returns true if the block is proven; false if the two share too few validators, so that a block between is needed
 * @throws PEER_INVALID if it is not part of the chain, UNTRUSTED if the trusted block is too old
 */
export function verifyLater(
  trusted: LightBlock,
  block: LightBlock,
  rules: TrustRules,
  now: bigint,
): boolean {
  const { height } = block.header
  refuseExpired(trusted.header, rules, now)
  checkForm(rules.chainId, block)
  if (height <= trusted.header.height) {
    refuseBlock(height, `it is not above the trusted block ${trusted.header.height}`)
  }
  checkLater(trusted, block, rules, now)
  if (height === trusted.header.height + 1) {
    if (!equalBytes(block.header.validatorsHash, trusted.header.nextValidatorsHash)) {
      refuseBlock(height, `its validators are not those that block ${height - 1} names`)
    }
  } else {
    const { validators } = trusted
    const { chainId, trustLevel } = rules
    if (faultOfTrust(chainId, validators, block.commit, trustLevel) !== undefined) return false
  }
  checkCommit(block, rules)
  return true
}

/**
 * Verifies the parent of a trusted block by its hash (CometBFT `light.VerifyBackwards`).
 * @throws PEER_INVALID
 */
export function verifyParent(trusted: CometHeader, block: LightBlock, chainId: string): void {
  checkForm(chainId, block)
  const { height, time } = block.header
  if (height !== trusted.height - 1) refuseBlock(height, `it is not below ${trusted.height}`)
  if (time >= trusted.time) refuseBlock(height, `its time is not before block ${trusted.height}`)
  if (equalBytes(block.commit.blockId.hash, trusted.lastBlockId.hash)) return
  refuseBlock(height, `it is not the parent that block ${trusted.height} names`)
}
