import { BLOB_GAS } from '../chain-types/generated/gas.ts'
import { atLeast, type Revision } from '../chain-types/revision.ts'

/** EIP-7918: execution gas whose cost is the minimum for a blob. */
const BLOB_BASE_COST = 8_192n

/** Blobs per block and the parameters of their price (EIP-7840). Forks of EIP-7892 change nothing else. */
export interface BlobSchedule {
  readonly target: bigint
  readonly max: bigint
  readonly updateFraction: bigint
}

const CANCUN: BlobSchedule = { target: 3n, max: 6n, updateFraction: 3_338_477n }
const PRAGUE: BlobSchedule = { target: 6n, max: 9n, updateFraction: 5_007_716n }

/** Returns the schedule that a revision introduces; undefined before blobs. */
export function blobSchedule(revision: Revision): BlobSchedule | undefined {
  if (atLeast(revision, 'Prague')) return PRAGUE
  return atLeast(revision, 'Cancun') ? CANCUN : undefined
}

/** Returns `factor * e^(numerator / denominator)` by Taylor series (EIP-4844's fake_exponential). */
function fakeExponential(factor: bigint, numerator: bigint, denominator: bigint): bigint {
  let output = 0n
  let term = factor * denominator
  for (let i = 1n; term > 0n; i++) {
    output += term
    term = (term * numerator) / (denominator * i)
  }
  return output / denominator
}

/** Returns the price of blob gas, in wei per unit, in a block with this excess. */
export function blobBaseFeeOf(excessBlobGas: bigint, schedule: BlobSchedule): bigint {
  return fakeExponential(1n, excessBlobGas, schedule.updateFraction)
}

/** Fields of a parent from which the excess is computed. Before blobs they count as zero. */
export interface BlobParent {
  readonly excessBlobGas: bigint | undefined
  readonly blobGasUsed: bigint | undefined
  readonly baseFeePerGas: bigint | undefined
}

/** Returns the excess blob gas that a block must state. `schedule` is that block's own. Osaka adds EIP-7918's floor. */
export function nextExcessBlobGas(
  parent: BlobParent,
  schedule: BlobSchedule,
  revision: Revision,
): bigint {
  const { excessBlobGas: excess = 0n, blobGasUsed: used = 0n, baseFeePerGas = 0n } = parent
  const target = schedule.target * BLOB_GAS
  if (excess + used < target) return 0n
  const blobPrice = blobBaseFeeOf(excess, schedule) * BLOB_GAS
  if (atLeast(revision, 'Osaka') && BLOB_BASE_COST * baseFeePerGas > blobPrice) {
    return excess + (used * (schedule.max - schedule.target)) / schedule.max
  }
  return excess + used - target
}
