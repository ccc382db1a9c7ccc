import { equalBytes } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { formatTime } from '../../../base/time.ts'
import { type Fraction, faultOfCommit, faultOfTrust } from '../comet/commit-verification.ts'
import type { Header } from '../comet/header.ts'
import { checkForm, type LightBlock, refuseBlock } from './light-block.ts'

/** By which rules a header is believed. Times are nanoseconds. */
export interface TrustRules {
  readonly chainId: string
  /** Age beyond which a block proves nothing any more: its validators may have left with what they had at stake. */
  readonly trustingPeriod: bigint
  /** How far the clock of a validator may be ahead of ours. */
  readonly maxClockDrift: bigint
  /** Share of the validators of a trusted block that has to sign a later one which is not the next. */
  readonly trustLevel: Fraction
}

export const MAX_CLOCK_DRIFT = 10_000_000_000n

/** @throws UNTRUSTED where the header is too old to begin with */
export function refuseExpired(
  { height, time }: Header,
  { trustingPeriod }: TrustRules,
  now: bigint,
): void {
  if (time + trustingPeriod > now) return
  throw new LockstepError(
    'UNTRUSTED',
    `the trusted block ${height} is of ${formatTime(time)}, which is past the trust period`,
  )
}

/** What a later block must be, however far it is. @throws PEER_INVALID */
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
    refuseBlock(height, `its time ${formatTime(time)} lies in the future of ${formatTime(now)}`)
  }
}

/** @throws PEER_INVALID where the block's own validators have not decided it */
export function checkCommit(block: LightBlock, { chainId }: TrustRules): void {
  const fault = faultOfCommit(chainId, block.validators, block.commit)
  if (fault !== undefined) refuseBlock(block.header.height, `invalid commit: ${fault}`)
}

/**
 * Verifies a block by a trusted one below it (CometBFT `light.Verify`): the next block by the validators that the
 * trusted one names for it, any other by those validators of the trusted block that have signed it too.
 * @returns whether the block is proven; false where the two share too few validators, so that one between is needed
 * @throws PEER_INVALID where it is none of the chain, UNTRUSTED where the trusted block is too old
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
 * Verifies the block right below a trusted one, which names it as its parent (CometBFT `light.VerifyBackwards`).
 * @throws PEER_INVALID
 */
export function verifyParent(trusted: Header, block: LightBlock, chainId: string): void {
  checkForm(chainId, block)
  const { height, time } = block.header
  if (height !== trusted.height - 1) refuseBlock(height, `it is not below ${trusted.height}`)
  if (time >= trusted.time) refuseBlock(height, `its time is not before block ${trusted.height}`)
  if (equalBytes(block.commit.blockId.hash, trusted.lastBlockId.hash)) return
  refuseBlock(height, `it is not the parent that block ${trusted.height} names`)
}
