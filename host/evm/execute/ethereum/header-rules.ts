import { equalBytes } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { type EthereumHeader, NO_OMMERS_HASH } from '../../chain-types/ethereum-header.ts'
import { BLOB_GAS } from '../../chain-types/generated/gas.ts'
import { atLeast, type Revision } from '../../chain-types/revision.ts'
import { nextExcessBlobGas } from '../blob-gas.ts'
import { nextDifficulty } from './difficulty.ts'
import type { BlockRules } from './forks.ts'

/** A parent header and its rules. */
export interface HeaderParent {
  readonly header: EthereumHeader
  readonly rules: BlockRules
  readonly hash: Uint8Array
}

const MIN_GAS_LIMIT = 5_000n
const MAX_GAS_LIMIT = 2n ** 63n - 1n
const GAS_LIMIT_DIVISOR = 1_024n
const MAX_EXTRA_DATA = 32

/** EIP-1559. */
export const INITIAL_BASE_FEE = 1_000_000_000n
const ELASTICITY = 2n
const BASE_FEE_DENOMINATOR = 8n

/** EIP-779: extra data of the first ten blocks, so that light clients can tell the chains apart. */
const DAO_EXTRA_DATA = new TextEncoder().encode('dao-hard-fork')
const DAO_EXTRA_BLOCKS = 10n

export function invalidBlock(message: string): LockstepError {
  return new LockstepError('BLOCK_INVALID', message)
}

/** Header fields by the fork that added them. */
const FORK_FIELDS: readonly (readonly [field: keyof EthereumHeader, since: Revision])[] = [
  ['baseFeePerGas', 'London'],
  ['withdrawalsRoot', 'Shanghai'],
  ['blobGasUsed', 'Cancun'],
  ['excessBlobGas', 'Cancun'],
  ['parentBeaconBlockRoot', 'Cancun'],
  ['requestsHash', 'Prague'],
  ['blockAccessListHash', 'Amsterdam'],
  ['slotNumber', 'Amsterdam'],
]

/** Returns the base fee that a block must state since London (EIP-1559). */
export function nextEthereumBaseFee(parent: EthereumHeader): bigint {
  const { gasLimit, gasUsed, baseFeePerGas } = parent
  if (baseFeePerGas === undefined) return INITIAL_BASE_FEE
  const target = gasLimit / ELASTICITY
  if (gasUsed === target) return baseFeePerGas
  if (gasUsed > target) {
    const rise = (baseFeePerGas * (gasUsed - target)) / target / BASE_FEE_DENOMINATOR
    return baseFeePerGas + (rise > 1n ? rise : 1n)
  }
  return baseFeePerGas - (baseFeePerGas * (target - gasUsed)) / target / BASE_FEE_DENOMINATOR
}

/**
 * Checks every header field that the parent determines. The processor checks those that execution determines.
 * @throws BLOCK_INVALID naming the rule.
 */
export function checkHeader(header: EthereumHeader, parent: HeaderParent, rules: BlockRules): void {
  const before = parent.header
  if (!equalBytes(header.parentHash, parent.hash))
    throw invalidBlock('parentHash is not the hash of the parent')
  if (header.number !== before.number + 1n) {
    throw invalidBlock(`number ${header.number} does not follow ${before.number}`)
  }
  if (header.timestamp <= before.timestamp) {
    throw invalidBlock(`timestamp ${header.timestamp} is not after ${before.timestamp}`)
  }
  checkFields(header, rules)
  checkGas(header, parent, rules)
  checkDifficulty(header, parent, rules)
  checkBlobGas(header, before, rules)
}

function checkFields(header: EthereumHeader, { revision, sinceDao }: BlockRules): void {
  for (const [field, since] of FORK_FIELDS) {
    if ((header[field] !== undefined) !== atLeast(revision, since)) {
      const wanted = atLeast(revision, since) ? 'missing' : 'not allowed'
      throw invalidBlock(`${field} is ${wanted} in ${revision}`)
    }
  }
  if (header.extraData.length > MAX_EXTRA_DATA) {
    throw invalidBlock(
      `extra data has ${header.extraData.length} bytes, more than ${MAX_EXTRA_DATA}`,
    )
  }
  if (sinceDao !== undefined && sinceDao < DAO_EXTRA_BLOCKS) {
    if (!equalBytes(header.extraData, DAO_EXTRA_DATA))
      throw invalidBlock('extra data is not "dao-hard-fork"')
  }
}

function checkGas(header: EthereumHeader, parent: HeaderParent, { revision }: BlockRules): void {
  const { gasLimit, gasUsed } = header
  const isFirstLondon = atLeast(revision, 'London') && !atLeast(parent.rules.revision, 'London')
  const limit = parent.header.gasLimit * (isFirstLondon ? ELASTICITY : 1n)
  const change = gasLimit > limit ? gasLimit - limit : limit - gasLimit
  if (change >= limit / GAS_LIMIT_DIVISOR || gasLimit < MIN_GAS_LIMIT || gasLimit > MAX_GAS_LIMIT) {
    throw invalidBlock(`gas limit ${gasLimit} is out of bounds after ${limit}`)
  }
  if (gasUsed > gasLimit)
    throw invalidBlock(`gas used ${gasUsed} exceeds the gas limit ${gasLimit}`)
  if (!atLeast(revision, 'London')) return
  const baseFee = nextEthereumBaseFee(parent.header)
  if (header.baseFeePerGas !== baseFee) {
    throw invalidBlock(`base fee ${header.baseFeePerGas}, want ${baseFee}`)
  }
}

function checkDifficulty(header: EthereumHeader, parent: HeaderParent, rules: BlockRules): void {
  const { difficulty, nonce, ommersHash, number, timestamp } = header
  if (atLeast(rules.revision, 'Paris')) {
    // EIP-3675
    if (difficulty !== 0n) throw invalidBlock(`difficulty ${difficulty} after the merge, want 0`)
    if (nonce.some((byte) => byte !== 0)) throw invalidBlock('nonce is not zero after the merge')
    if (!equalBytes(ommersHash, NO_OMMERS_HASH))
      throw invalidBlock('ommers are not allowed after the merge')
    return
  }
  const hasOmmers = !equalBytes(parent.header.ommersHash, NO_OMMERS_HASH)
  const wanted = nextDifficulty(rules, { ...parent.header, hasOmmers }, number, timestamp)
  if (difficulty !== wanted) throw invalidBlock(`difficulty ${difficulty}, want ${wanted}`)
}

function checkBlobGas(header: EthereumHeader, parent: EthereumHeader, rules: BlockRules): void {
  const { blobGasUsed, excessBlobGas } = header
  if (rules.blobs === undefined || blobGasUsed === undefined) return
  if (blobGasUsed % BLOB_GAS !== 0n || blobGasUsed > rules.blobs.max * BLOB_GAS) {
    throw invalidBlock(`blob gas used ${blobGasUsed}`)
  }
  const excess = nextExcessBlobGas(parent, rules.blobs, rules.revision)
  if (excessBlobGas !== excess) {
    throw invalidBlock(`excess blob gas ${excessBlobGas}, want ${excess}`)
  }
}
