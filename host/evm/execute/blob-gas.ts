import { BLOB_GAS } from '../chain-types/generated/gas.ts'
import { atLeast, type Revision } from '../chain-types/revision.ts'

/** EIP-7918: execution gas that a blob's base fee must at least pay for. */
const BLOB_BASE_COST = 8_192n

/**
 * The number of blobs that a block takes, and how their price moves (EIP-7840; a fork of EIP-7892 changes
 * nothing else).
 */
export interface BlobSchedule {
  readonly target: bigint
  readonly max: bigint
  readonly updateFraction: bigint
}

const CANCUN: BlobSchedule = { target: 3n, max: 6n, updateFraction: 3_338_477n }
const PRAGUE: BlobSchedule = { target: 6n, max: 9n, updateFraction: 5_007_716n }

/** The schedule a revision comes with; undefined before blobs. */
export function blobSchedule(revision: Revision): BlobSchedule | undefined {
  if (atLeast(revision, 'Prague')) return PRAGUE
  return atLeast(revision, 'Cancun') ? CANCUN : undefined
}

/** `factor * e^(numerator / denominator)` by its Taylor series (EIP-4844's fake_exponential). */
function fakeExponential(factor: bigint, numerator: bigint, denominator: bigint): bigint {
  let output = 0n
  let term = factor * denominator
  for (let i = 1n; term > 0n; i++) {
    output += term
    term = (term * numerator) / (denominator * i)
  }
  return output / denominator
}

/** Price of a unit of blob gas, in wei, in a block with this excess. */
export function blobBaseFee(excessBlobGas: bigint, schedule: BlobSchedule): bigint {
  return fakeExponential(1n, excessBlobGas, schedule.updateFraction)
}

/** The fields of a parent that the excess is reckoned from; a parent before blobs counts as zeros. */
export interface BlobParent {
  readonly excessBlobGas: bigint | undefined
  readonly blobGasUsed: bigint | undefined
  readonly baseFeePerGas: bigint | undefined
}

/** The excess a block must state. `schedule` is the block's own; Osaka brings EIP-7918's floor. */
export function nextExcessBlobGas(
  parent: BlobParent,
  schedule: BlobSchedule,
  revision: Revision,
): bigint {
  const { excessBlobGas: excess = 0n, blobGasUsed: used = 0n, baseFeePerGas = 0n } = parent
  const target = schedule.target * BLOB_GAS
  if (excess + used < target) return 0n
  const blobPrice = blobBaseFee(excess, schedule) * BLOB_GAS
  if (atLeast(revision, 'Osaka') && BLOB_BASE_COST * baseFeePerGas > blobPrice) {
    return excess + (used * (schedule.max - schedule.target)) / schedule.max
  }
  return excess + used - target
}
