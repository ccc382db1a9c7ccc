import { familiesOf } from './exception-families.ts'

/**
 * The suites' exceptions, and how a transaction or block that raises one is refused: the engine's code or the text of
 * the refusal. If vectors under one name break several rules, each rule that may fail first is listed. A name without
 * a row, or another refusal, is judged by its kind (exception-families.ts).
 */
const EXCEPTIONS: Readonly<Record<string, RegExp>> = {
  // State and blockchain tests: rules about a transaction and the state
  GAS_ALLOWANCE_EXCEEDED:
    /gasLimitExceedsBlock$|^transaction \d+ has a gas limit of \d+, but the block has \d+ left$/,
  GAS_LIMIT_EXCEEDS_MAXIMUM: /gasLimitTooHigh$/,
  INSUFFICIENT_ACCOUNT_FUNDS: /insufficientFunds$/,
  INTRINSIC_GAS_TOO_LOW: /intrinsicGasTooLow$|floorDataGasTooLow$|^intrinsic gas too low/,
  INTRINSIC_GAS_BELOW_FLOOR_GAS_COST: /floorDataGasTooLow$|intrinsicGasTooLow$/,
  INSUFFICIENT_MAX_FEE_PER_BLOB_GAS: /blobFeeCapTooLow$/,
  INSUFFICIENT_MAX_FEE_PER_GAS: /feeCapBelowBaseFee$/,
  NONCE_IS_MAX: /nonceOverflow$/,
  NONCE_MISMATCH_TOO_HIGH: /nonceTooHigh$/,
  NONCE_MISMATCH_TOO_LOW: /nonceTooLow$/,
  PRIORITY_GREATER_THAN_MAX_FEE_PER_GAS: /tipAboveFeeCap$/,
  SENDER_NOT_EOA: /senderHasCode$/,
  INITCODE_SIZE_EXCEEDED: /initCodeTooLarge$|^init code has \d+ bytes, more than \d+$/,
  TYPE_1_TX_PRE_FORK: /^type 1 is not supported before Berlin$/,
  TYPE_2_TX_PRE_FORK: /^type 2 is not supported before London$/,
  TYPE_3_TX_PRE_FORK: /typeNotSupported$|^type 3 is not supported before Cancun$/,
  TYPE_3_TX_BLOB_COUNT_EXCEEDED: /blobCountTooHigh$/,
  TYPE_3_TX_MAX_BLOB_GAS_ALLOWANCE_EXCEEDED: /blobCountTooHigh$|^blob gas used \d+$/,
  TYPE_3_TX_CONTRACT_CREATION: /blobCreation$/,
  TYPE_3_TX_INVALID_BLOB_VERSIONED_HASH: /blobVersionWrong$/,
  TYPE_3_TX_WITH_FULL_BLOBS: /^rlp: too few elements for types.BlobTx$/,
  TYPE_3_TX_ZERO_BLOBS: /blobWithoutHashes$/,
  TYPE_4_EMPTY_AUTHORIZATION_LIST: /authorizationListEmpty$/,
  TYPE_4_TX_CONTRACT_CREATION: /setCodeCreation$|too short for common.Address$/,
  TYPE_4_TX_PRE_FORK: /^type 4 is not supported before Prague$/,

  // Transaction tests: rules about an encoding
  TYPE_NOT_SUPPORTED: /^type \d is not supported before|^rlp: /,
  ADDRESS_TOO_LONG: /too long for common.Address$/,
  ADDRESS_TOO_SHORT: /too short for common.Address$/,
  EC_RECOVERY_FAIL: /^invalid transaction v, r, s values$/,
  INVALID_CHAINID: /^chain id \d+, want 1$|^invalid transaction v, r, s values$/,
  INVALID_SIGNATURE_VRS:
    /^invalid transaction v, r, s values$|^chain id \d+, want 1$|^a chain id is not supported before|too long for a 256-bit integer$/,
  GASLIMIT_OVERFLOW: /too long for a 64-bit integer$|leading zero bytes/,
  GASLIMIT_PRICE_PRODUCT_OVERFLOW: /^the cost exceeds 256 bits$|insufficientFunds$/,
  GASPRICE_OVERFLOW: /too long for a 256-bit integer$/,
  NONCE_OVERFLOW: /too long for a 64-bit integer$/,
  NONCE_TOO_BIG: /^nonce has max value$/,
  PRIORITY_GREATER_THAN_MAX_FEE_PER_GAS_2: /^the tip exceeds the fee cap$/,
  PRIORITY_OVERFLOW: /too long for a 256-bit integer$/,
  VALUE_OVERFLOW: /too long for a 256-bit integer$/,
  RLP_ERROR_EOF: /(exceeds available input length|larger than containing list)$/,
  RLP_ERROR_SIZE:
    /more than one value$|(exceeds available input length|larger than containing list)$/,
  RLP_INVALID_ACCESS_LIST_ADDRESS_TOO_LONG: /too long for common.Address$/,
  RLP_INVALID_ACCESS_LIST_ADDRESS_TOO_SHORT: /too short for common.Address$/,
  RLP_INVALID_ACCESS_LIST_STORAGE_TOO_LONG: /too long for common.Hash$/,
  RLP_INVALID_ACCESS_LIST_STORAGE_TOO_SHORT: /too short for common.Hash$/,
  RLP_INVALID_DATA: /expected input string or byte$/,
  RLP_INVALID_GASLIMIT: /(exceeds available input length|larger than containing list)$/,
  RLP_INVALID_HEADER: /expected input list for types.LegacyTx$/,
  RLP_INVALID_NONCE: /expected an integer$/,
  RLP_INVALID_SIGNATURE_R: /(exceeds available input length|larger than containing list)$/,
  RLP_INVALID_SIGNATURE_S: /(exceeds available input length|larger than containing list)$/,
  RLP_INVALID_TO: /(exceeds available input length|larger than containing list)$/,
  RLP_LEADING_ZEROS_BASEFEE: /leading zero bytes/,
  RLP_LEADING_ZEROS_DATA_SIZE: /non-canonical size information$/,
  RLP_LEADING_ZEROS_GASLIMIT: /leading zero bytes/,
  RLP_LEADING_ZEROS_NONCE: /leading zero bytes/,
  RLP_LEADING_ZEROS_NONCE_SIZE: /non-canonical integer or byte$/,
  RLP_LEADING_ZEROS_R: /leading zero bytes/,
  RLP_LEADING_ZEROS_S: /leading zero bytes/,
  RLP_LEADING_ZEROS_V: /leading zero bytes/,
  RLP_LEADING_ZEROS_VALUE: /leading zero bytes/,
  RLP_TOO_FEW_ELEMENTS: /too few elements for types.LegacyTx$/,
  RLP_TOO_MANY_ELEMENTS: /too many elements for types.LegacyTx$/,

  // Blockchain tests: rules about a block
  EXTRA_DATA_INVALID_DAO: /^extra data is not "dao-hard-fork"$/,
  EXTRA_DATA_TOO_BIG: /^extra data has \d+ bytes, more than 32$/,
  IMPORT_IMPOSSIBLE_DIFFICULTY_OVER_PARIS: /^difficulty \d+ after the merge, want 0$/,
  IMPORT_IMPOSSIBLE_LEGACY: /^baseFeePerGas is missing in London$/,
  IMPORT_IMPOSSIBLE_LEGACY_WRONG_PARENT: /^baseFeePerGas is missing in London$/,
  IMPORT_IMPOSSIBLE_LONDON_WRONG_PARENT: /^baseFeePerGas is not allowed in Berlin$/,
  IMPORT_IMPOSSIBLE_PARIS_WRONG_POS: /^difficulty 0, want \d+$/,
  IMPORT_IMPOSSIBLE_PARIS_WRONG_POW: /^difficulty \d+ after the merge, want 0$/,
  IMPORT_IMPOSSIBLE_UNCLES_OVER_PARIS: /^ommers are not allowed after the merge$/,
  INCORRECT_BLOCK_FORMAT: /^rlp: the header has \d+ fields, want /,
  INCORRECT_EXCESS_BLOB_GAS: /^excess blob gas \d+, want \d+$/,
  INVALID_BASEFEE_PER_GAS: /^base fee \d+, want \d+$/,
  INVALID_BLOCK_NUMBER: /^number \d+ does not follow \d+$/,
  INVALID_BLOCK_TIMESTAMP_OLDER_THAN_PARENT: /^timestamp \d+ is not after \d+$/,
  INVALID_DEPOSIT_EVENT_LAYOUT:
    /^deposit event (offset|length)|^a deposit event has \d+ bytes, want 576$/,
  INVALID_DIFFICULTY: /^difficulty \d+ after the merge, want 0$/,
  INVALID_GASLIMIT:
    /^gas limit \d+ is out of bounds after \d+$|^baseFeePerGas is not allowed in Berlin$/,
  INVALID_GAS_USED: /^gas used is \d+, but the header states \d+$/,
  INVALID_LOG_BLOOM: /^wrong logs bloom$/,
  INVALID_RECEIPTS_ROOT: /^wrong receipts root$/,
  INVALID_REQUESTS: /^wrong requests hash$/,
  INVALID_TRANSACTIONS_ROOT: /^wrong transactions root$/,
  INVALID_WITHDRAWALS_ROOT: /^wrong withdrawals root$/,
  RLP_INVALID_ADDRESS: /^rlp: field \d of a withdrawal is not 20 bytes$/,
  RLP_INVALID_FIELD_OVERFLOW_64: /too long for a 64-bit integer$/,
  SYSTEM_CONTRACT_CALL_FAILED: /^requests of type \d: /,
  UNCLE_PARENT_INCORRECT: /^an ommer's parent is not an ancestor of the block's parent$/,
  UNKNOWN_PARENT: /^the parent block is unknown$/,
  UNKNOWN_PARENT_ZERO: /^the parent block is unknown$/,

  // Older state tests
  IntrinsicGas: /^intrinsicGasTooLow$/,
  SenderNotEOA: /^senderHasCode$/,
  TR_BLOBCREATE: /^blobCreation$/,
  TR_BLOBLIST_OVERSIZE: /^blobCountTooHigh$/,
  TR_BLOBVERSION_INVALID: /^blobVersionWrong$/,
  TR_FeeCapLessThanBlocks: /^feeCapBelowBaseFee$/,
  TR_GasLimitReached: /^gasLimitExceedsBlock$/,
  TR_InitCodeLimitExceeded: /^initCodeTooLarge$/,
  TR_IntrinsicGas: /^intrinsicGasTooLow$/,
  TR_NoFunds: /^insufficientFunds$/,
  TR_NoFundsOrGas: /^insufficientFunds$|^intrinsicGasTooLow$/,
  TR_NoFundsX: /^insufficientFunds$/,
  TR_NonceHasMaxValue: /^nonceOverflow$/,
  TR_RLP_WRONGVALUE: /^a field overflows$/,
  TR_TipGtFeeCap: /^tipAboveFeeCap$/,
  TR_TypeNotSupported: /^typeNotSupported$/,
}

/**
 * In older blockchain tests, the transactions root of a block with an invalid transaction leaves that transaction
 * out, so the root fails first.
 */
const FIRST_IN_BLOCK = /^wrong transactions root$/

/** How a refusal matches a name: by the name's row, by its kind, or not at all because the name is unknown. */
type Match = 'named' | 'kind' | 'unknown'

function matchOf(name: string, refusal: string): Match | undefined {
  const [group, exception = group] = name.split('.') as [string, string?]
  if (group === 'TransactionException' && FIRST_IN_BLOCK.test(refusal)) return 'named'
  if (EXCEPTIONS[exception]?.test(refusal)) return 'named'
  const families = familiesOf(exception)
  if (families.length === 0) return Object.hasOwn(EXCEPTIONS, exception) ? undefined : 'unknown'
  return families.some((family) => family.refusal.test(refusal)) ? 'kind' : undefined
}

/** Kinds of match, the best first. */
const MATCHES: readonly Match[] = ['named', 'kind', 'unknown']

/**
 * Returns what is wrong with a refusal, or undefined if nothing is. `expected` holds names of exceptions separated by
 * `|`, one of which must match. A name without a row, or a refusal that its row lacks, is judged by its kind and
 * added to `notes`.
 */
export function compareRefusal(
  refusal: string | undefined,
  expected: string | undefined,
  notes: Set<string>,
): string | undefined {
  if (refusal === undefined) return expected && `taken, want ${expected}`
  if (expected === undefined) return `refused: ${refusal}`
  const found = new Set(expected.split('|').map((name) => matchOf(name.trim(), refusal)))
  const best = MATCHES.find((match) => found.has(match))
  if (best === undefined) return `refused: ${refusal}, want ${expected}`
  // Without numbers, so that all cases of a kind share one line.
  const shown = refusal.replace(/\d+/g, 'N')
  if (best === 'kind') notes.add(`${expected}: refused by a rule of its kind: ${shown}`)
  if (best === 'unknown')
    notes.add(`${expected}: no name that is known: refused all the same: ${shown}`)
  return undefined
}
