import { equalBytes } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import type { SignMemory } from './sign-memory.ts'

/** A vote or a proposal to sign. */
export interface SignRequest {
  readonly height: number
  readonly round: number
  /** One of `STEP`. */
  readonly step: number
  readonly timestamp: bigint
  /** Returns the bytes to sign if it had this timestamp. */
  readonly signBytes: (timestamp: bigint) => Uint8Array
  /** Returns the timestamp in bytes of the same kind. */
  readonly timestampOf: (signBytes: Uint8Array) => bigint
}

export interface TimedSignature {
  /** ed25519, 64 bytes. */
  readonly signature: Uint8Array
  /** Timestamp of what was signed: that of the request, or of an earlier signature of the same. */
  readonly timestamp: bigint
}

function refuse(what: string): never {
  throw new LockstepError('DOUBLE_SIGN', `Duplicate signature refused: ${what}`)
}

/**
 * Returns true if the last signature was for this height, round and step.
 * @throws DOUBLE_SIGN if it was for a later one
 */
function isSignedStep(record: SignMemory, { height, round, step }: SignRequest): boolean {
  const last = record.state
  if (height !== last.height) {
    if (height < last.height) {
      refuse(`height regression. Got ${height}, last height ${last.height}`)
    }
    return false
  }
  if (round !== last.round) {
    if (round < last.round) {
      refuse(`round regression at height ${height}. Got ${round}, last round ${last.round}`)
    }
    return false
  }
  if (last.step > step) {
    refuse(
      `step regression at height ${height} round ${round}. Got ${step}, last step ${last.step}`,
    )
  }
  if (last.step < step) return false
  if (last.signBytes.length === 0 || last.signature.length === 0) {
    refuse(`the signing state has no signature for height ${height} round ${round}`)
  }
  return true
}

/**
 * Signs a height, round and step at most once. The record is on disk before the signature is returned. A repeat that
 * differs only in its timestamp gets the earlier signature and timestamp, so that a node can continue after a crash
 * between signing and using the signature.
 * @param sign signs the request; may return another timestamp, if it had signed the same before
 * @throws DOUBLE_SIGN if something else was signed at this position, or a later one
 */
export async function signOnce(
  record: SignMemory,
  request: SignRequest,
  sign: () => TimedSignature | Promise<TimedSignature>,
): Promise<TimedSignature> {
  const { height, round, step } = request
  if (isSignedStep(record, request)) {
    const last = record.state
    const timestamp = request.timestampOf(last.signBytes)
    if (!equalBytes(request.signBytes(timestamp), last.signBytes)) {
      refuse(`conflicting data at height ${height} round ${round}`)
    }
    await record.complete()
    return { signature: last.signature, timestamp }
  }
  const signed = await sign()
  const { signature, timestamp } = signed
  await record.write({ height, round, step, signature, signBytes: request.signBytes(timestamp) })
  return signed
}
